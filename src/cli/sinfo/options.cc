// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "cli/common/host_functions.h"
#include "cli/common/targets.h"
#include "cli/sinfo/sinfo.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

using Settings = SinfoSettings;

template <auto Member, bool Value = true>
constexpr auto flag = set_flag<Settings, Member, Value>;

Status set_states(Settings& settings, std::string_view value) {
  auto states = NodeStateChoice::parse(value);
  if (states)
    settings.states = std::move(*states);
  else
    settings.report.refusal = states.error().text;
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
       set_list<Settings, &Settings::partitions>},
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
      {{.name = "reservation", .letter = 'T', .help = "Reservations instead of nodes"},
       flag<&Settings::reservations>},
      {{.name = "bg", .letter = 'b', .help = "Taken, without effect", .hidden = true},
       accept<Settings>},
      {{.name = "iterate",
        .letter = 'i',
        .takes = Takes::Value,
        .argument = "SECONDS",
        .help = "Show it again every so many seconds"},
       [](Settings& s, std::string_view value) {
         return set_iterate(s.report, value, "Error: invalid entry for --iterate=");
       }},
  };
  table.insert(table.end(), more.begin(), more.end());
  for (auto& row : format_rows<Settings>("SINFO", "Columns by letters: \"%P %.5a %D %N\"",
                                         "Columns by names: partition:10,nodelist:.20"))
    table.push_back(row);
  for (auto& row : look_rows<Settings>()) table.push_back(row);
  return table;
}

}  // namespace ym::cli
