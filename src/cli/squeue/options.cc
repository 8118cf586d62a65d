// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/squeue/squeue.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

using Settings = SqueueSettings;

template <auto Member>
Status add_list(Settings& settings, std::string_view value) {
  (settings.*Member).clear();
  append_list(settings.*Member, value);
  return {};
}
template <auto Member, bool Value = true>
Status flag(Settings& settings, std::string_view) {
  settings.*Member = Value;
  return {};
}
template <auto Member>
Status text(Settings& settings, std::string_view value) {
  settings.*Member = value;
  return {};
}

Status set_jobs(Settings& settings, std::string_view value) {
  auto targets = parse_targets(value);
  if (!targets) return std::unexpected(targets.error());
  settings.targets.insert(settings.targets.end(), targets->begin(), targets->end());
  return {};
}

Status set_steps(Settings& settings, std::string_view value) {
  settings.steps = true;
  return value.empty() || value == "all" ? Status{} : set_jobs(settings, value);
}

Status set_states(Settings& settings, std::string_view value) {
  auto states = parse_states(value);
  if (!states) return std::unexpected(states.error());
  settings.states = std::move(*states);
  return {};
}

Status set_nodes(Settings& settings, std::string_view value) {
  auto hosts = Hostlist::parse(value);
  if (!hosts) return std::unexpected(hosts.error());
  settings.nodes = hosts->str();
  return {};
}

Status set_me(Settings& settings, std::string_view) {
  settings.users = {fmt::format("{}", ::getuid())};
  return {};
}

Status set_iterate(Settings& settings, std::string_view value) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (!seconds || *seconds == 0 || *seconds > 86400) return fail("not a number of seconds");
  settings.iterate_s = *seconds;
  return {};
}

Status accept(Settings&, std::string_view) { return {}; }

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
       add_list<&Settings::users>},
      {{.name = "users",
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "The same as --user",
        .hidden = true},
       add_list<&Settings::users>},
      {{.name = "me", .help = "Only my jobs"}, set_me},
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
       add_list<&Settings::partitions>},
      {{.name = "account",
        .letter = 'A',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these accounts",
        .variable = "SQUEUE_ACCOUNT"},
       add_list<&Settings::accounts>},
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
       add_list<&Settings::qos>},
      {{.name = "name",
        .letter = 'n',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs of these names",
        .variable = "SQUEUE_NAMES"},
       add_list<&Settings::names>},
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
       add_list<&Settings::licenses>},
      {{.name = "reservation",
        .letter = 'R',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only jobs in these reservations"},
       add_list<&Settings::reservations>},
      {{.name = "all", .letter = 'a', .help = "Hidden partitions, too", .variable = "SQUEUE_ALL"},
       flag<&Settings::all>},
      {{.name = "hide", .help = "No hidden partitions; this is usual"},
       flag<&Settings::all, false>},
  };
}

Table look_rows() {
  return {
      {{.name = "format",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = "Columns by letters: \"%.18i %.9P %j\"",
        .variable = "SQUEUE_FORMAT"},
       text<&Settings::format>},
      {{.name = "Format",
        .letter = 'O',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = "Columns by names: jobid:10,name:.20",
        .variable = "SQUEUE_FORMAT2"},
       text<&Settings::long_format>},
      {{.name = "sort",
        .letter = 'S',
        .takes = Takes::Value,
        .argument = "KEYS",
        .help = "Order of the lines, by the letters of --format",
        .variable = "SQUEUE_SORT"},
       text<&Settings::sort>},
      {{.name = "noheader", .letter = 'h', .help = "No line of headers"},
       flag<&Settings::header, false>},
      {{.name = "long", .letter = 'l', .help = "More columns"}, flag<&Settings::longer>},
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
        .help = "A line for all waiting elements of an array; this is usual"},
       flag<&Settings::single_elements, false>},
      {{.name = "iterate",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "Show it again every so many seconds"},
       set_iterate},
      {{.name = "only-job-state", .help = "Ids and states only"}, flag<&Settings::only_state>},
      {{.name = "noconvert", .help = "Taken, without effect: units are never rounded"}, accept},
      {{.name = "local", .help = "Taken, without effect"}, accept},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept},
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
  for (auto& row : look_rows()) table.push_back(row);
  return table;
}

}  // namespace ym::cli
