// SPDX-License-Identifier: Apache-2.0
#include "cli/sprio/sprio.h"

#include "base/format.h"
#include "base/text.h"
#include "cli/common/job_view.h"

namespace ym::cli {
namespace {

using Settings = SprioSettings;
using Row = const SprioRow&;

constexpr std::string_view kUsual = "%.15i %9r %.10Y %.10S";
constexpr std::string_view kLong =
    "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T";
constexpr std::string_view kWeights = "%.15i %9r %.10Y %.10S";

Status set_jobs(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) return std::unexpected(targets.error());
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

std::string number(std::int64_t value) { return fmt::format("{}", value); }
std::uint32_t priority_of(Row row) { return row.job ? row.job->job.priority : 0; }
// Jobs are served in the order in which they came, less what --nice says: no other factor counts.
std::string no_factor(Row row) { return row.job ? "0" : ""; }
std::string weight_one(Row row) { return row.job ? "0" : "1"; }
std::string fraction(Row row) {
  return fmt::format("{:.14f}", static_cast<double>(priority_of(row)) / 4294967295.0);
}
std::string no_fraction(Row) { return "0.0000000"; }

int refuse(std::string_view text) {
  complain("sprio", text);
  return 1;
}

int show(const Settings& settings, Controller& controller) {
  for (const auto& [key, value] : controller.config().shown)
    if (key == "PriorityType" && value == "priority/basic") {
      print_error(
          "You are not running a supported priority plugin\n(priority/basic).\n"
          "Only 'priority/multifactor' is supported.\n");
      return 1;
    }
  std::vector<JobRow> rows;
  JobFilter filter{.targets = settings.targets,
                   .users = settings.users,
                   .partitions = settings.partitions,
                   .states = {JobState::Pending}};
  Status asked = fetch_report<JobRows>(controller, QueryJobs{.filter = filter}, rows);
  if (!asked && !is(asked.error(), Errc::InvalidJobId)) return refuse(asked.error().text);
  if (rows.empty() && !settings.targets.empty())
    return print("Unable to find jobs matching user/id(s) specified\n"), 0;
  auto out = render_priorities(settings, rows);
  if (!out) return refuse(out.error().text);
  print(*out);
  return 0;
}

Status check(Settings& settings, const std::vector<std::string>& operands) {
  if (!operands.empty())
    return fail(fmt::format("Unrecognized option: {}", printable(operands[0])));
  auto dry = render_priorities(settings, {});
  return dry ? Status{} : std::unexpected(dry.error());
}

std::string_view usual_format(const Settings& settings) {
  if (settings.weights) return kWeights;
  return settings.report.longer ? kLong : kUsual;
}

}  // namespace

// Letters as Slurm has them; a small one is the factor itself, from 0 to 1.
const std::vector<Column<SprioRow>>& sprio_columns() {
  static const std::vector<Column<SprioRow>> columns = {
      {'i', "jobid", "JOBID",
       [](Row r) { return r.job ? shown_id({.row = r.job}) : std::string("Weights"); }},
      {'r', "partitionname", "PARTITION", [](Row r) { return r.partition; }},
      {'u', "user", "USER",
       [](Row r) { return r.job ? shown_user({.row = r.job}) : std::string(); }},
      {'o', "account", "ACCOUNT",
       [](Row r) { return r.job ? r.job->job.spec->account : std::string(); }},
      {'n', "qosname", "QOS_NAME",
       [](Row r) { return r.job ? r.job->job.spec->qos : std::string(); }},
      {'Y', "priority", "PRIORITY",
       [](Row r) { return r.job ? number(priority_of(r)) : std::string(); },
       [](Row r) { return static_cast<std::int64_t>(priority_of(r)); }},
      {'y', "normpriority", "PRIORITY", fraction},
      {'S', "site", "SITE", weight_one},
      {'A', "age", "AGE", no_factor},
      {'a', "normage", "AGE", no_fraction},
      {'B', "assoc", "ASSOC", no_factor},
      {'b', "normassoc", "ASSOC", no_fraction},
      {'F', "fairshare", "FAIRSHARE", no_factor},
      {'f', "normfairshare", "FAIRSHARE", no_fraction},
      {'J', "jobsize", "JOBSIZE", no_factor},
      {'j', "normjobsize", "JOBSIZE", no_fraction},
      {'P', "partition", "PARTITION", no_factor},
      {'p', "normpartition", "PARTITION", no_fraction},
      {'Q', "qos", "QOS", no_factor},
      {'q', "normqos", "QOS", no_fraction},
      {'N', "nice", "NICE",
       [](Row r) { return r.job ? number(r.job->job.spec->nice) : std::string(); }},
      {'T', "tres", "TRES", [](Row) { return std::string(); }},
      {'t', "normtres", "TRES", [](Row) { return std::string(); }},
      {'c', "cluster", "CLUSTER", [](Row r) { return std::string(r.cluster); }},
  };
  return columns;
}

// A line for each partition that a job may go to, by ids.
Result<std::string> render_priorities(const Settings& settings, const std::vector<JobRow>& rows) {
  auto fields = settings.report.fields(usual_format(settings));
  if (!fields) return std::unexpected(fields.error());
  Complaints told{.noun = "job"};
  auto format = resolve_format(std::move(*fields), sprio_columns(), false, told);
  if (!told.texts.empty()) return fail(told.texts.front());
  auto keys = parse_sort(settings.report.sort, sprio_columns());
  if (!keys) return std::unexpected(keys.error());
  std::vector<SprioRow> lines;
  if (settings.weights) lines.push_back({.cluster = settings.report.cluster});
  if (!settings.weights)
    for (const JobRow& row : rows)
      for (std::string_view partition : split_words(row.partition, ','))
        lines.push_back(
            {.job = &row, .partition = std::string(partition), .cluster = settings.report.cluster});
  if (!keys->empty())
    sort_rows(lines, *keys,
              [](Row a, Row b) { return a.job && b.job && a.job->job.id < b.job->job.id; });
  std::string out = settings.report.header ? format.header() : "";
  for (const SprioRow& line : lines) format.append_row(out, line);
  return out;
}

CommandPage sprio_page() {
  return {.name = "sprio",
          .summary = "show what the priorities of pending jobs are made of",
          .usage = {"[OPTION]..."},
          .description =
              "A line for each pending job and partition. Priorities are given in the order of\n"
              "submission, less --nice: the factors of priority/multifactor do not count yet and\n"
              "are shown as 0."};
}

std::vector<Option<SprioSettings>> sprio_table() {
  std::vector<Option<Settings>> table = {
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
        .help = "Only jobs of these users"},
       set_list<Settings, &Settings::users>},
      {{.name = "partition",
        .letter = 'p',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these partitions"},
       set_list<Settings, &Settings::partitions>},
      {{.name = "norm", .letter = 'n', .help = "Factors from 0 to 1"},
       [](Settings& s, std::string_view) -> Status {
         s.report.format = "%.15i %9r %.16y %.10S %.10a %.10b %.10f %.10j %.10p %.10q";
         return {};
       }},
      {{.name = "weights", .letter = 'w', .help = "The weights of the factors instead of jobs"},
       set_flag<Settings, &Settings::weights>},
      {{.name = "sibling", .help = "Taken, without effect"}, accept<Settings>},
  };
  for (auto& row : format_rows<Settings>("SPRIO", "Columns by letters: \"%.15i %9r %.10Y\"",
                                         "Taken, without effect"))
    if (row.info.letter != 'O') table.push_back(row);
  for (auto& row : look_rows<Settings>())
    if (std::string_view name = row.info.name; name != "json" && name != "yaml")
      table.push_back(row);
  return table;
}

int sprio_main(const Arguments& arguments) {
  return run_report<Settings>(
      {.page = sprio_page(), .table = sprio_table(), .check = check, .show = show}, arguments);
}

}  // namespace ym::cli
