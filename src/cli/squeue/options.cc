// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/host_functions.h"
#include "cli/squeue/squeue.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Settings = SqueueSettings;

template <auto Member>
constexpr auto list = set_list<Settings, Member>;
template <auto Member, bool Value = true>
constexpr auto flag = set_flag<Settings, Member, Value>;

Status set_jobs(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) {
    settings.report.refusal = fmt::format("Invalid job id: {}", printable(value));
    return {};
  }
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

Status add_steps(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets)
    settings.report.refusal = fmt::format("Invalid job_step id: {}", printable(value));
  else
    settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

Status set_steps(Settings& settings, std::string_view value) {
  settings.steps = true;
  return value.empty() || value == "all" ? Status{} : add_steps(settings, value);
}

Status set_states(Settings& settings, std::string_view value) {
  auto states = parse_states(value);
  if (!states) {
    settings.report.refusal = states.error().text;
    return {};
  }
  settings.states = std::move(*states);
  return {};
}

Status set_nodes(Settings& settings, std::string_view value) {
  // Functions are resolved when there is a controller to ask.
  if (has_host_function(value)) {
    settings.nodes = value;
    return {};
  }
  auto hosts = Hostlist::parse(value);
  if (!hosts) return std::unexpected(hosts.error());
  settings.nodes = hosts->str();
  return {};
}

Status set_me(Settings& settings, std::string_view) {
  settings.users = {fmt::format("{}", ::getuid())};
  return {};
}

Status set_not_me(Settings& settings, std::string_view) {
  settings.not_user = ::getuid();
  return {};
}

template <std::optional<Duration> Settings::* Member>
Status set_span(Settings& settings, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit || limit->unlimited) return fail("not a time: minutes, or hours:minutes:seconds");
  settings.*Member = limit->span;
  return {};
}

using Table = std::vector<Option<Settings>>;

Table choice_rows() {
  return {
      {{.name = "jobs",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "IDS",
        .help = "Only these jobs"},
       set_jobs},
      {{.name = "user",
        .letter = 'u',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these users",
        .variable = "SQUEUE_USERS"},
       list<&Settings::users>},
      {{.name = "users",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "The same as --user",
        .hidden = true},
       list<&Settings::users>},
      {{.name = "me", .help = "Only my jobs"}, set_me},
      {{.name = "notme", .help = "Only jobs of others"}, set_not_me},
      {{.name = "states",
        .letter = 't',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these states; all for finished ones, too",
        .variable = "SQUEUE_STATES"},
       set_states},
      {{.name = "partition",
        .letter = 'p',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these partitions",
        .variable = "SQUEUE_PARTITION"},
       list<&Settings::partitions>},
      {{.name = "account",
        .letter = 'A',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these accounts",
        .variable = "SQUEUE_ACCOUNT"},
       list<&Settings::accounts>},
  };
}

Table kind_rows() {
  return {
      {{.name = "qos",
        .letter = 'q',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these QOS",
        .variable = "SQUEUE_QOS"},
       list<&Settings::qos>},
      {{.name = "name",
        .letter = 'n',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these names",
        .variable = "SQUEUE_NAMES"},
       list<&Settings::names>},
      {{.name = "nodelist",
        .letter = 'w',
        .takes = Takes::Value,
        .argument = "HOSTS",
        .help = "Only jobs on these nodes"},
       set_nodes},
      {{.name = "licenses",
        .letter = 'L',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs that ask for these licences",
        .variable = "SQUEUE_LICENSES"},
       list<&Settings::licenses>},
      {{.name = "reservation",
        .letter = 'R',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these reservations"},
       list<&Settings::reservations>},
      {{.name = "running-over",
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only jobs that have been running for longer than this"},
       set_span<&Settings::running_over>},
      {{.name = "running-under",
        .takes = Takes::Value,
        .argument = "TIME",
        .help = "Only jobs that have been running for less than this"},
       set_span<&Settings::running_under>},
      {{.name = "all", .letter = 'a', .help = "Hidden partitions, too", .variable = "SQUEUE_ALL"},
       flag<&Settings::all>},
      {{.name = "hide", .help = "No hidden partitions; this is usual"},
       flag<&Settings::all, false>},
  };
}

Table kind_of_report_rows() {
  return {
      {{.name = "start", .help = "When pending jobs are expected to start"},
       flag<&Settings::start>},
      {{.name = "steps",
        .letter = 's',
        .takes = Takes::Maybe,
        .argument = "IDS",
        .help = "Steps instead of jobs"},
       set_steps},
      {{.name = "array",
        .letter = 'r',
        .help = "A line for each element of an array",
        .variable = "SQUEUE_ARRAY"},
       flag<&Settings::single_elements>},
      {{.name = "array-unique",
        .help = "A line for all waiting elements of an array; this is usual",
        .variable = "SQUEUE_ARRAY_UNIQUE"},
       flag<&Settings::single_elements, false>},
      {{.name = "priority",
        .letter = 'P',
        .help = "A line for each partition that a pending job may go to",
        .variable = "SQUEUE_PRIORITY"},
       flag<&Settings::by_partition>},
      {{.name = "iterate",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "Show it again every so many seconds"},
       [](Settings& s, std::string_view value) {
         return set_iterate(s.report, value, "--iterate=");
       }},
      {{.name = "only-job-state", .help = "Ids and states only"}, flag<&Settings::only_state>},
      {{.name = "expand-patterns",
        .help = "Taken, without effect: patterns of file names are always expanded"},
       accept<Settings>},
      {{.name = "sibling", .help = "Taken, without effect"}, accept<Settings>},
  };
}

}  // namespace

CommandPage squeue_page() {
  return {
      .name = "squeue",
      .summary = "show the jobs in the queue",
      .usage = {"[OPTION]..."},
      .description =
          "Shows jobs that wait, run or are just ending. Finished jobs stay visible for MinJobAge\n"
          "and are shown on request (-t all)."};
}

std::vector<Option<SqueueSettings>> squeue_table() {
  Table table = choice_rows();
  for (auto& row : kind_rows()) table.push_back(row);
  for (auto& row : format_rows<Settings>("SQUEUE", "Columns by letters: \"%.18i %.9P %j\"",
                                         "Columns by names: jobid:10,name:.20"))
    table.push_back(row);
  for (auto& row : kind_of_report_rows()) table.push_back(row);
  for (auto& row : look_rows<Settings>()) table.push_back(row);
  return table;
}

}  // namespace ym::cli
