// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "cli/common/targets.h"
#include "cli/sinfo/sinfo.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

using Settings = SinfoSettings;

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

Status set_states(Settings& settings, std::string_view value) {
  settings.states.clear();
  append_list(settings.states, to_lower(value));
  return {};
}

Status set_nodes(Settings& settings, std::string_view value) {
  auto hosts = Hostlist::parse(value);
  if (!hosts) return std::unexpected(hosts.error());
  settings.nodes = hosts->str();
  return {};
}

Status set_iterate(Settings& settings, std::string_view value) {
  auto seconds = parse_unsigned<std::uint32_t>(value);
  if (!seconds || *seconds == 0 || *seconds > 86400) return fail("not a number of seconds");
  settings.iterate_s = *seconds;
  return {};
}

Status accept(Settings&, std::string_view) { return {}; }

}  // namespace

CommandPage sinfo_page() {
  return {
      .name = "sinfo",
      .summary = "show partitions and nodes",
      .usage = {"[OPTION]..."},
      .description =
          "Nodes of a partition that are alike share a line. A star behind a partition marks the\n"
          "default one, behind a state a node that does not answer."};
}

namespace {

std::vector<Option<SinfoSettings>> choice_rows() {
  return {
      {{.name = "all", .letter = 'a', .help = "Hidden partitions, too", .variable = "SINFO_ALL"},
       flag<&Settings::all>},
      {{.name = "hide", .help = "No hidden partitions; this is usual"},
       flag<&Settings::all, false>},
      {{.name = "dead", .letter = 'd', .help = "Only nodes that do not answer"},
       flag<&Settings::dead_only>},
      {{.name = "responding", .letter = 'r', .help = "Only nodes that answer"},
       flag<&Settings::responding_only>},
      {{.name = "partition",
        .letter = 'p',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only these partitions",
        .variable = "SINFO_PARTITION"},
       add_list<&Settings::partitions>},
      {{.name = "nodes",
        .letter = 'n',
        .takes = Takes::Value,
        .argument = "HOSTS",
        .help = "Only these nodes"},
       set_nodes},
      {{.name = "states",
        .letter = 't',
        .takes = Takes::Value,
        .argument = "LIST",
        .help = "Only nodes in these states: idle, alloc, mix, down, drain"},
       set_states},
      {{.name = "Node", .letter = 'N', .help = "A line for each node"}, flag<&Settings::by_node>},
      {{.name = "long", .letter = 'l', .help = "More columns"}, flag<&Settings::longer>},
      {{.name = "summarize", .letter = 's', .help = "A line for each partition"},
       flag<&Settings::summary>},
  };
}

}  // namespace

std::vector<Option<SinfoSettings>> sinfo_table() {
  std::vector<Option<SinfoSettings>> table = choice_rows();
  const std::vector<Option<SinfoSettings>> more = {
      {{.name = "list-reasons", .letter = 'R', .help = "Why nodes are down, drained or failing"},
       flag<&Settings::reasons>},
      {{.name = "exact", .letter = 'e', .help = "Nodes of different size never share a line"},
       flag<&Settings::exact>},
      {{.name = "format",
        .letter = 'o',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = "Columns by letters: \"%P %.5a %D %N\"",
        .variable = "SINFO_FORMAT"},
       text<&Settings::format>},
      {{.name = "Format",
        .letter = 'O',
        .takes = Takes::Value,
        .argument = "FORMAT",
        .help = "Columns by names: partition:10,nodelist:.20",
        .variable = "SINFO_FORMAT2"},
       text<&Settings::long_format>},
      {{.name = "sort",
        .letter = 'S',
        .takes = Takes::Value,
        .argument = "KEYS",
        .help = "Order of the lines, by the letters of --format",
        .variable = "SINFO_SORT"},
       text<&Settings::sort>},
      {{.name = "noheader", .letter = 'h', .help = "No line of headers"},
       flag<&Settings::header, false>},
      {{.name = "iterate",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "Show it again every so many seconds"},
       set_iterate},
      {{.name = "noconvert", .help = "Taken, without effect: units are never rounded"}, accept},
      {{.name = "local", .help = "Taken, without effect"}, accept},
      {{.name = "verbose", .letter = 'v', .help = "Taken, without effect"}, accept},
  };
  table.insert(table.end(), more.begin(), more.end());
  return table;
}

}  // namespace ym::cli
