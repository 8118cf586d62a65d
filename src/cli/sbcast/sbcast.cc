// SPDX-License-Identifier: Apache-2.0
#include "cli/sbcast/sbcast.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/sbcast/libraries.h"
#include "notation/hostlist.h"
#include "notation/job_id.h"
#include "os/environment.h"

namespace ym::cli {
namespace {

using Settings = SbcastSettings;

template <auto Member>
Status flag(Settings& settings, std::string_view) {
  settings.wish.*Member = true;
  return {};
}
Status set_compress(Settings& settings, std::string_view value) {
  auto wanted = parse_compression(value);
  if (!wanted) return std::unexpected(wanted.error());
  settings.wish.compress = *wanted;
  settings.compress_given = true;
  return {};
}
constexpr std::uint32_t kWidthMax = 65533;

Status set_fanout(Settings& settings, std::string_view value) {
  // Without a tree every node is the first.
  auto number = same_ignoring_case(value, "off") ? std::optional(kWidthMax)
                                                 : parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0 || *number > kWidthMax)
    return fail(fmt::format("neither off nor a number from 1 to {}", kWidthMax));
  settings.wish.fanout = *number;
  return {};
}
Status set_job(Settings& settings, std::string_view value) {
  settings.job = value;
  return {};
}
Status set_nodes(Settings& settings, std::string_view value) {
  auto hosts = Hostlist::parse(value);
  if (!hosts || hosts->count() == 0) return fail("not a list of nodes");
  settings.nodes = hosts->str();
  return {};
}
// A node believes whom its job's credential names; without a job there is nobody.
Status refuse_no_allocation(Settings&, std::string_view) {
  return fail("files are written with the rights of a job's user only");
}
Status set_size(Settings& settings, std::string_view value) {
  auto size = parse_piece(value);
  if (!size) return std::unexpected(size.error());
  settings.wish.piece = *size;
  return {};
}
Status set_timeout(Settings& settings, std::string_view value) {
  auto seconds = parse_unsigned<std::uint16_t>(value);
  if (!seconds || *seconds == 0) return fail("not a number of seconds");
  settings.wish.patience = std::chrono::seconds(*seconds);
  return {};
}
Status set_send_libs(Settings& settings, std::string_view value) {
  if (!value.empty() && value != "yes" && value != "no") return fail("neither yes nor no");
  settings.send_libs = value != "no";
  return {};
}
Status set_exclude(Settings& settings, std::string_view value) {
  settings.exclude = value;
  return {};
}
Status add_verbose(Settings& settings, std::string_view) {
  ++settings.verbose;
  return {};
}

// The credential of all the job's nodes; with a step only those of the step are kept.
Result<StepCreated> nodes_of(Controller& controller, const JobRef& wanted) {
  JobId job{wanted.job + wanted.component.value_or(0)};  // components' numbers follow each other
  auto created = controller.ask<StepCreated>(GetJobCredential{.job = job});
  if (!created)
    return fail(fmt::format("Slurm job {} lookup error: {}", job.value, created.error().text));
  if (!wanted.step) return created;
  if (wanted.step->kind != StepRef::Kind::Number) return fail("Invalid job step id specified");
  std::vector<NodeAddress> nodes;
  Status asked = controller.ask_many<StepRows>(
      QuerySteps{.job = job, .step = StepId{wanted.step->number}},
      [&nodes, job](StepRows&& some) {
        for (StepRow& row : some.rows)
          if (row.job == job) nodes.insert(nodes.end(), row.addresses.begin(), row.addresses.end());
      },
      [&nodes] { nodes.clear(); });
  if (!asked) return std::unexpected(asked.error());
  if (nodes.empty()) return fail("Invalid job step id specified");
  created->nodes = std::move(nodes);
  return created;
}

// Only those of the job's nodes that --nodelist names; all of these must be the job's.
Status keep_nodes(StepCreated& created, const std::string& wanted) {
  auto hosts = Hostlist::parse(wanted);
  if (wanted.empty() || !hosts) return {};
  std::vector<NodeAddress> kept;
  for (const std::string& name : hosts->uniq().names()) {
    auto at = std::ranges::find(created.nodes, name, &NodeAddress::name);
    if (at == created.nodes.end())
      return fail(fmt::format("Node {} is not of this job", printable(name)));
    kept.push_back(*at);
  }
  created.nodes = std::move(kept);
  return {};
}

Result<std::vector<NodeOutcome>> copy(Controller& controller, Settings& settings,
                                      const std::vector<std::string>& operands) {
  auto job = JobRef::parse(settings.job);
  if (!job || job->job == 0) return fail("Invalid job id specified");
  auto created = nodes_of(controller, *job);
  if (!created) return std::unexpected(created.error());
  if (Status kept = keep_nodes(*created, settings.nodes); !kept)
    return std::unexpected(kept.error());
  const MainConfig& config = controller.config();
  BroadcastWish& wish = settings.wish;
  wish.source = operands[0];
  wish.destination = destination_of(operands[0], operands[1], config.bcast_parameters);
  if (auto compression = bcast_parameter(config.bcast_parameters, "Compression");
      compression && !settings.compress_given)
    wish.compress = parse_compression(*compression).value_or(false);
  if (settings.verbose) {
    for (const NodeAddress& node : created->nodes)
      remark("sbcast", fmt::format("{} to {}:{}", wish.source, node.name, wish.destination));
  }
  bool libraries = settings.send_libs.value_or(
      bcast_parameter(config.bcast_parameters, "send_libs").has_value());
  if (!libraries) return broadcast(controller, *created, wish);
  return broadcast_with_libraries(
      controller, *created, wish,
      parse_exclusions(settings.exclude.value_or(config.bcast_exclude)));
}

}  // namespace

CommandPage sbcast_page() {
  return {.name = "sbcast",
          .summary = "copy a file to all nodes of a job",
          .usage = {"[OPTION]... SOURCE DESTINATION"},
          .description =
              "The file is written with the rights of the job's user. A destination "
              "that ends in / is a\n"
              "folder. A node that cannot take the file is named, the others get it."};
}

namespace {

std::vector<Option<SbcastSettings>> place_rows() {
  return {
      {{.name = "compress",
        .letter = 'C',
        .takes = Takes::Maybe,
        .argument = "LIBRARY",
        .help = "Compress on the way: lz4 (without a value, too) or none",
        .variable = "SBCAST_COMPRESS"},
       set_compress},
      {{.name = "force",
        .letter = 'f',
        .help = "Replace a file that is there",
        .variable = "SBCAST_FORCE"},
       flag<&BroadcastWish::force>},
      {{.name = "fanout",
        .letter = 'F',
        .takes = Takes::Value,
        .argument = "NUMBER",
        .help = "How many nodes each passes it on to; TreeWidth without it",
        .variable = "SBCAST_FANOUT",
        .hidden = true},
       set_fanout},
      {{.name = "treewidth",
        .takes = Takes::Value,
        .argument = "NUMBER|off",
        .help = "How many nodes each passes it on to; TreeWidth without it",
        .variable = "SBCAST_TREEWIDTH"},
       set_fanout},
      {{.name = "nodelist",
        .letter = 'w',
        .takes = Takes::Value,
        .argument = "HOSTS",
        .help = "Only to these nodes of the job"},
       set_nodes},
      {{.name = "no-allocation",
        .help = "Refused: files are written with the rights of a job's user only"},
       refuse_no_allocation},
  };
}

std::vector<Option<SbcastSettings>> way_rows() {
  return {
      {{.name = "jobid",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "JOB[.STEP]",
        .help = "To the nodes of this job or step; the own job without it"},
       set_job},
      {{.name = "preserve",
        .letter = 'p',
        .help = "Keep the times of the file",
        .variable = "SBCAST_PRESERVE"},
       flag<&BroadcastWish::preserve>},
      {{.name = "size",
        .letter = 's',
        .takes = Takes::Value,
        .argument = "SIZE",
        .help = "Of a piece, with k or m; 8m without it",
        .variable = "SBCAST_SIZE"},
       set_size},
      {{.name = "timeout",
        .letter = 't',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "How long a node may take for a piece",
        .variable = "SBCAST_TIMEOUT"},
       set_timeout},
      {{.name = "send-libs",
        .takes = Takes::Maybe,
        .argument = "yes|no",
        .help = "Copy the libraries of a program, too, into DESTINATION_libs",
        .variable = "SBCAST_SEND_LIBS"},
       set_send_libs},
      {{.name = "exclude",
        .takes = Takes::Value,
        .argument = "PATH,...",
        .help = "No libraries from these folders; BcastExclude without it",
        .variable = "SBCAST_EXCLUDE"},
       set_exclude},
      {{.name = "verbose", .letter = 'v', .help = "Tell what is done"}, add_verbose},
  };
}

}  // namespace

std::vector<Option<SbcastSettings>> sbcast_table() {
  std::vector<Option<SbcastSettings>> table = place_rows();
  for (const auto& row : way_rows()) table.push_back(row);
  return table;
}

int sbcast_main(const Arguments& arguments) {
  auto parsed = parse_command(sbcast_page(), sbcast_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  auto fail_with = [](const std::string& text) {
    complain("sbcast", text);
    return 1;
  };
  if (parsed.operands.size() != 2)
    return fail_with("Need two file names, have " + std::to_string(parsed.operands.size()));
  if (parsed.settings.job.empty())
    parsed.settings.job = environment_variable("SLURM_JOB_ID").value_or("");
  if (parsed.settings.job.empty())
    return fail_with(
        "Need a job id to run this command.  Run from within a Slurm job or use the --jobid "
        "option.");
  auto controller = Controller::open();
  if (!controller) return fail_with(controller.error().text);
  auto failed = copy(*controller, parsed.settings, parsed.operands);
  if (!failed) return fail_with(failed.error().text);
  for (const NodeOutcome& one : *failed)
    complain("sbcast", fmt::format("{}: {}", one.node, printable(one.error, 1000)));
  return failed->empty() ? 0 : 1;
}

}  // namespace ym::cli
