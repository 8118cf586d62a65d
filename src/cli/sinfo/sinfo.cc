// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/sinfo.h"

#include <poll.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "notation/hostlist.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string date_line(Instant now) {
  std::time_t seconds = now.unix_seconds();
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[64];
  std::size_t length = std::strftime(text, sizeof text, "%a %b %d %H:%M:%S %Y\n", &parts);
  return std::string(text, length);
}

std::string_view usual_format(const SinfoSettings& settings) {
  if (settings.summary) return "%#P %.5a %.10l %.16F  %N";
  if (settings.reasons) return settings.longer ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (settings.by_node)
    return settings.longer ? "%#N %.6D %#P %.11T %.4c %.8z %.6m %.8d %.6w %.8f %20E"
                           : "%#N %.6D %#P %6t ";
  return settings.longer ? "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
                         : "%#P %.5a %.10l %.6D %.6t %N";
}

Result<Format<NodeGroup>> format_of(const SinfoSettings& settings) {
  bool by_name = !settings.long_format.empty();
  auto fields = by_name ? parse_long_format(settings.long_format)
                        : parse_short_format(settings.format.empty() ? usual_format(settings)
                                                                     : settings.format);
  if (!fields) return std::unexpected(fields.error());
  return resolve_format(std::move(*fields), node_columns(), by_name);
}

bool state_wanted(const SinfoSettings& settings, const Node& node) {
  if (settings.states.empty()) return true;
  std::string compact = state_compact(node), word = state_word(node),
              whole = to_lower(state_long(node));
  for (std::string* text : {&compact, &word})
    if (text->find_last_of("*@^") != std::string::npos) text->pop_back();
  auto flags = split_words(whole, '+');
  for (const std::string& state : settings.states) {
    if (state == "all" || state == compact || state == word || word.starts_with(state)) return true;
    if (state == "drain" && node.drain) return true;
    if (state == "reboot" && node.reboot.phase != RebootPhase::None) return true;
    if ((state == "no_respond" || state == "not_responding") && !node.responding) return true;
    // The first is what the node would be without its flags: a drained node is not idle.
    for (std::size_t i = 1; i < flags.size(); ++i)
      if (flags[i] == state) return true;
  }
  return false;
}

bool node_wanted(const SinfoSettings& settings, const Hostlist& hosts, const NodeRow& row) {
  const Node& node = row.node;
  if (!settings.nodes.empty() && !hosts.contains(node.spec->name)) return false;
  if (settings.dead_only && node.responding) return false;
  if (settings.responding_only && !node.responding) return false;
  bool trouble = node.condition == NodeCondition::Down || node.drain || node.fail;
  if (settings.reasons && (!trouble || node.reason.empty())) return false;
  if (node.condition == NodeCondition::Future && settings.states.empty()) return false;
  return state_wanted(settings, node);
}

bool has_filter(const SinfoSettings& settings) {
  return !settings.nodes.empty() || !settings.states.empty() || settings.dead_only ||
         settings.responding_only || settings.reasons;
}

// What distinguishes the lines: the columns that split, and with --exact or a line per node more
// than these.
std::string group_key(const SinfoSettings& settings, const Format<NodeGroup>& format,
                      const NodeGroup& single) {
  std::string key;
  if (settings.summary) return key;
  for (const Column<NodeGroup>* column : format.columns)
    if (column && (column->splits || (settings.exact && column->letter != 'N')))
      key += column->extract(single) + '\n';
  if (settings.by_node) key += single.nodes.empty() ? "" : single.nodes[0]->node.spec->name;
  return key;
}

struct Places {
  std::vector<NodeGroup> groups;
  std::map<std::string, std::size_t> by_key;
};

void add_to_group(Places& places, std::string key, const NodeGroup& single) {
  auto [place, fresh] = places.by_key.emplace(std::move(key), places.groups.size());
  if (fresh)
    places.groups.push_back(single);
  else
    places.groups[place->second].nodes.push_back(single.nodes[0]);
}

bool partition_wanted(const SinfoSettings& settings, const PartitionSpec& spec) {
  bool named = std::find(settings.partitions.begin(), settings.partitions.end(), spec.name) !=
               settings.partitions.end();
  if (!settings.partitions.empty()) return named;
  return settings.all || !spec.hidden;
}

// O(partitions × nodes), as each node knows its partitions by name only.
std::vector<NodeGroup> groups_of(const SinfoSettings& settings, const Format<NodeGroup>& format,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes) {
  bool shows_partition = false;
  for (const auto* column : format.columns)
    shows_partition =
        shows_partition || (column && std::string_view(column->header) == "PARTITION");
  auto parsed = Hostlist::parse(settings.nodes);
  Hostlist hosts = parsed ? *parsed : Hostlist();
  Places places;
  std::map<std::string, bool> seen;
  for (const PartitionRow& partition : partitions) {
    const PartitionSpec& spec = *partition.partition.spec;
    if (!partition_wanted(settings, spec)) continue;
    bool any = false;
    for (const NodeRow& node : nodes) {
      if (std::find(node.partitions.begin(), node.partitions.end(), spec.name) ==
          node.partitions.end())
        continue;
      if (!node_wanted(settings, hosts, node)) continue;
      any = true;
      // Without a column for it a node stands once, however many partitions it is in.
      if (!shows_partition && !seen.emplace(node.node.spec->name, true).second) continue;
      NodeGroup single{.partition = &partition, .nodes = {&node}, .exact = settings.exact};
      std::string key = shows_partition || settings.summary ? spec.name + '\n' : std::string();
      add_to_group(places, key + group_key(settings, format, single), single);
    }
    if (!any && shows_partition && !has_filter(settings) && !settings.by_node)
      places.groups.push_back({.partition = &partition});
  }
  return std::move(places.groups);
}

template <class Answer, class Row, class Question>
Status fetch(Controller& controller, const Question& question, std::vector<Row>& rows) {
  return controller.ask_many<Answer>(
      question,
      [&rows](Answer&& some) {
        for (Row& row : some.rows) rows.push_back(std::move(row));
      },
      [&rows] { rows.clear(); });
}

int show_once(const SinfoSettings& settings, Controller& controller) {
  std::vector<PartitionRow> partitions;
  std::vector<NodeRow> nodes;
  Status asked = fetch<PartitionRows>(controller, QueryPartitions{}, partitions);
  if (asked) asked = fetch<NodeRows>(controller, QueryNodes{}, nodes);
  if (!asked) {
    print_error(fmt::format("slurm_load_partitions: {}\n", asked.error().text));
    return 1;
  }
  auto out = render_nodes(settings, partitions, nodes, wall_clock());
  if (!out) {
    complain("sinfo", out.error().text);
    return 1;
  }
  print(*out);
  return 0;
}

}  // namespace

Result<std::string> render_nodes(const SinfoSettings& settings,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes, Instant now) {
  auto format = format_of(settings);
  if (!format) return std::unexpected(format.error());
  std::string_view usual = settings.by_node ? "N,P" : "P,t";
  auto keys =
      parse_sort(settings.sort.empty() ? usual : std::string_view(settings.sort), node_columns());
  if (!keys) return std::unexpected(keys.error());
  std::vector<NodeGroup> groups = groups_of(settings, *format, partitions, nodes);
  std::sort(groups.begin(), groups.end(), [&](const NodeGroup& a, const NodeGroup& b) {
    for (const auto& key : *keys)
      if (int order = compare_by(key, a, b); order != 0) return order < 0;
    auto first = [](const NodeGroup& g) {
      return g.nodes.empty() ? 0u : g.nodes[0]->node.id.value;
    };
    if (a.partition != b.partition) return a.partition < b.partition;
    return first(a) < first(b);
  });
  format->fit(groups);
  std::string out;
  if (settings.longer || settings.iterate_s) out += date_line(now);
  if (settings.header) out += format->header();
  for (const NodeGroup& group : groups) format->append_row(out, group);
  return out;
}

int sinfo_main(const Arguments& arguments) {
  auto parsed = parse_command(sinfo_page(), sinfo_table(), arguments, Operands::Mix);
  if (parsed.exit_code) return *parsed.exit_code;
  if (!parsed.operands.empty()) {
    complain("sinfo", fmt::format("Unrecognized option: {}", parsed.operands[0]));
    return 1;
  }
  if (auto dry = render_nodes(parsed.settings, {}, {}, wall_clock()); !dry) {
    complain("sinfo", dry.error().text);
    return 1;
  }
  auto controller = Controller::open();
  if (!controller) {
    complain("sinfo", controller.error().text);
    return 1;
  }
  for (;;) {
    int code = show_once(parsed.settings, *controller);
    if (!parsed.settings.iterate_s) return code;
    print("\n");
    ::poll(nullptr, 0, static_cast<int>(parsed.settings.iterate_s * 1000));
  }
}

}  // namespace ym::cli
