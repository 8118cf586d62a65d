// SPDX-License-Identifier: Apache-2.0
#include "cli/sprio/sprio.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/job_view.h"

namespace ym::cli {
namespace {

using Settings = SprioSettings;
using Row = const SprioRow&;

constexpr std::string_view kLong =
    "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T";
constexpr std::string_view kLongNormalized =
    "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t";

Status set_jobs(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) return std::unexpected(targets.error());
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

std::string number(std::int64_t value) { return fmt::format("{}", value); }
std::uint32_t priority_of(Row row) {
  if (row.parts) return row.parts->priority;
  return row.job ? row.job->job.priority : 0;
}
std::string fraction(Row row) {
  if (!row.job) return "";
  return fmt::format("{:.14f}", static_cast<double>(priority_of(row)) / 4294967295.0);
}

// A factor's column: what it adds to the job's priority, or the weight itself.
template <PriorityFactor PriorityParts::* factor, std::uint32_t PriorityRules::* weight>
std::string points(Row row) {
  if (!row.job) return number(row.weights.*weight);
  if (!row.parts) return "0";
  return fmt::format("{:.0f}", static_cast<double>((row.parts->*factor).points) / kWholePoint);
}
template <PriorityFactor PriorityParts::* factor, std::uint32_t PriorityRules::* weight>
std::string normal(Row row) {
  if (!row.job) return number(row.weights.*weight);
  std::int64_t value = row.parts ? (row.parts->*factor).value : 0;
  return fmt::format("{:.7f}", static_cast<double>(value) / kWholeFactor);
}
template <PriorityFactor PriorityParts::* factor>
std::int64_t by_points(Row row) {
  return row.parts ? (row.parts->*factor).points : 0;
}

std::string site(Row row) {
  if (!row.job) return "1";
  return number(row.parts ? row.parts->site : 0);
}
// "cpu=200,mem=4", without those that add nothing.
std::string tres(Row row, bool normalized) {
  if (!row.job) return row.tres_weights.empty() ? "(null)" : row.tres_weights;
  std::string text;
  if (row.parts)
    for (const PriorityParts::Tres& one : row.parts->tres) {
      if (one.factor.value == 0) continue;
      text += fmt::format("{}{}=", text.empty() ? "" : ",", one.name);
      text += normalized
                  ? fmt::format("{:.7f}", static_cast<double>(one.factor.value) / kWholeFactor)
                  : fmt::format("{:.0f}", static_cast<double>(one.factor.points) / kWholePoint);
    }
  return text;
}

int refuse(std::string_view text) {
  complain("sprio", text);
  return 1;
}

// What the configuration says of weights.
void read_weights(Settings& settings, const MainConfig& config) {
  const std::pair<std::string_view, std::uint32_t PriorityRules::*> keys[] = {
      {"PriorityWeightAge", &PriorityRules::age},
      {"PriorityWeightAssoc", &PriorityRules::assoc},
      {"PriorityWeightFairShare", &PriorityRules::fair_share},
      {"PriorityWeightJobSize", &PriorityRules::job_size},
      {"PriorityWeightPartition", &PriorityRules::partition},
      {"PriorityWeightQOS", &PriorityRules::qos}};
  for (const auto& [key, value] : config.shown) {
    for (const auto& [name, weight] : keys)
      if (key == name) settings.rules.*weight = parse_unsigned<std::uint32_t>(value).value_or(0);
    if (key == "PriorityWeightTRES" && value != "(null)") settings.tres_weights = value;
  }
}

int show(const Settings& wish, Controller& controller) {
  Settings settings = wish;
  read_weights(settings, controller.config());
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
  Status asked =
      fetch_report<JobRows>(controller, QueryJobs{.filter = filter, .with_priority = true}, rows);
  if (!asked && !is(asked.error(), Errc::InvalidJobId)) return refuse(asked.error().text);
  std::erase_if(rows, [](const JobRow& row) { return row.job.holds != Holds{}; });  // has none
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

// The factors that have a weight, unless all are asked for.
std::string usual_format(const Settings& settings) {
  if (settings.report.longer) return std::string(settings.normalized ? kLongNormalized : kLong);
  const PriorityRules& rules = settings.rules;
  std::string format("%.15i %9r");
  if (!settings.users.empty()) format += " %.8u";
  format += settings.normalized ? " %10y" : " %.10Y %.10S";
  auto add = [&](bool counts, char letter) {
    if (!counts) return;
    format +=
        settings.normalized ? fmt::format(" %10{}", lower(letter)) : fmt::format(" %.10{}", letter);
  };
  add(rules.age, 'A');
  add(rules.assoc, 'B');
  add(rules.fair_share, 'F');
  add(rules.job_size, 'J');
  add(rules.partition, 'P');
  add(rules.qos, 'Q');
  if (!settings.tres_weights.empty()) format += settings.normalized ? " %20t" : " %.20T";
  return format;
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
      {'S', "site", "SITE", site},
      {'A', "age", "AGE", points<&PriorityParts::age, &PriorityRules::age>,
       by_points<&PriorityParts::age>},
      {'a', "normage", "AGE", normal<&PriorityParts::age, &PriorityRules::age>},
      {'B', "assoc", "ASSOC", points<&PriorityParts::assoc, &PriorityRules::assoc>,
       by_points<&PriorityParts::assoc>},
      {'b', "normassoc", "ASSOC", normal<&PriorityParts::assoc, &PriorityRules::assoc>},
      {'F', "fairshare", "FAIRSHARE",
       points<&PriorityParts::fair_share, &PriorityRules::fair_share>,
       by_points<&PriorityParts::fair_share>},
      {'f', "normfairshare", "FAIRSHARE",
       normal<&PriorityParts::fair_share, &PriorityRules::fair_share>},
      {'J', "jobsize", "JOBSIZE", points<&PriorityParts::job_size, &PriorityRules::job_size>,
       by_points<&PriorityParts::job_size>},
      {'j', "normjobsize", "JOBSIZE", normal<&PriorityParts::job_size, &PriorityRules::job_size>},
      {'P', "partition", "PARTITION",
       points<&PriorityParts::of_partition, &PriorityRules::partition>,
       by_points<&PriorityParts::of_partition>},
      {'p', "normpartition", "PARTITION",
       normal<&PriorityParts::of_partition, &PriorityRules::partition>},
      {'Q', "qos", "QOS", points<&PriorityParts::qos, &PriorityRules::qos>,
       by_points<&PriorityParts::qos>},
      {'q', "normqos", "QOS", normal<&PriorityParts::qos, &PriorityRules::qos>},
      {'N', "nice", "NICE",
       [](Row r) { return r.job ? number(r.job->job.spec->nice) : std::string(); }},
      {'T', "tres", "TRES", [](Row r) { return tres(r, false); }},
      {'t', "normtres", "TRES", [](Row r) { return tres(r, true); }},
      {'c', "cluster", "CLUSTER", [](Row r) { return std::string(r.cluster); }},
  };
  return columns;
}

namespace {

void add_lines(const Settings& settings, const JobRow& row, std::vector<SprioRow>& lines) {
  const std::vector<std::string>& wanted = settings.partitions;
  for (std::string_view partition : split_words(row.partition, ',')) {
    if (!wanted.empty() && std::ranges::find(wanted, partition) == wanted.end()) continue;
    SprioRow line{
        .job = &row, .partition = std::string(partition), .cluster = settings.report.cluster};
    for (const PriorityParts& parts : row.priority_parts)
      if (parts.partition == partition) line.parts = &parts;
    lines.push_back(std::move(line));
  }
}

}  // namespace

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
  if (settings.weights)
    lines.push_back({.cluster = settings.report.cluster,
                     .weights = settings.rules,
                     .tres_weights = settings.tres_weights});
  if (!settings.weights)
    for (const JobRow& row : rows) add_lines(settings, row, lines);
  if (!keys->empty())
    sort_rows(lines, *keys,
              [](Row a, Row b) { return a.job && b.job && a.job->job.id < b.job->job.id; });
  std::string out = settings.report.header ? format.header() : "";
  for (const SprioRow& line : lines) format.append_row(out, line);
  return out;
}

CommandPage sprio_page() {
  return {
      .name = "sprio",
      .summary = "show what the priorities of pending jobs are made of",
      .usage = {"[OPTION]..."},
      .description =
          "A line for each pending job and partition: its priority, and what each factor that\n"
          "has a weight adds to it. Without any weight in slurm.conf (PriorityWeight...), jobs\n"
          "are served in the order of submission, less --nice."};
}

std::vector<Option<SprioSettings>> sprio_table() {
  std::vector<Option<Settings>> table = {
      {{.name = "jobs",
        .letter = 'j',
        .takes = Takes::Value,
        .argument = "IDS",
        .help = "Only these jobs"},
       set_jobs},
      {{.name = "users",
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
       set_flag<Settings, &Settings::normalized>},
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
