// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/sinfo.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "cli/common/host_functions.h"
#include "notation/hostlist.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string_view usual_format(const SinfoSettings& settings) {
  bool longer = settings.report.longer;
  if (settings.summary) return "%#9P %.5a %.10l %.16F %N";
  if (settings.reasons) return longer ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (settings.by_node)
    return longer ? "%#9N %.6D %#.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E"
                  : "%#9N %.6D %#.9P %6t";
  return longer ? "%#9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %.11i %N"
                : "%#9P %.5a %.10l %.6D %.6t %N";
}

std::string_view usual_sort(const SinfoSettings& settings) {
  return settings.by_node || settings.reasons ? "N,#P" : "#P,-t";
}

Result<Format<NodeGroup>> format_of(const SinfoSettings& settings,
                                    std::vector<std::string>* complaints) {
  ReportWish wish = settings.report;
  // "all" is a name as well as a letter.
  if (same_ignoring_case(wish.long_format, "all")) {
    wish.long_format.clear();
    wish.format = "%all";
  }
  auto fields = wish.fields(usual_format(settings));
  if (!fields) return std::unexpected(fields.error());
  Complaints told{.noun = wish.by_name() ? "job" : "node"};
  auto format = resolve_format(std::move(*fields), node_columns(), wish.by_name(), told);
  if (complaints) *complaints = std::move(told.texts);
  return format;
}

bool node_wanted(const SinfoSettings& settings, const Hostlist& hosts, const NodeRow& row) {
  const Node& node = row.node;
  if (!settings.nodes.empty() && !hosts.contains(node.spec->name)) return false;
  if (settings.dead_only && node.responding) return false;
  if (settings.responding_only && !node.responding) return false;
  bool trouble = node.condition == NodeCondition::Down || node.drain || node.fail;
  if (settings.reasons && (!trouble || node.reason.empty())) return false;
  if (node.condition == NodeCondition::Future && !settings.states.names_future()) return false;
  return settings.states.holds(node);
}

bool partition_wanted(const SinfoSettings& settings, const PartitionSpec& spec) {
  return settings.partitions.empty() ||
         std::ranges::find(settings.partitions, spec.name) != settings.partitions.end();
}

// Puts nodes that are alike on one line. A node stands once on a line, however many of the line's
// partitions it is in.
class Grouping {
 public:
  Grouping(const SinfoSettings& settings, const Format<NodeGroup>& format)
      : settings_(settings), format_(format) {}

  void add(const PartitionRow& partition, const NodeRow* node) {
    const ReportWish& wish = settings_.report;
    NodeGroup single{.partition = &partition};
    if (wish.notation || !wish.clusters.empty()) single.cluster = wish.cluster;
    if (node) single.nodes.push_back(node);
    auto [place, fresh] = by_key_.emplace(key_of(single), groups_.size());
    if (fresh)
      groups_.push_back(std::move(single));
    else if (node && !seen_.contains({place->second, node}))
      groups_[place->second].nodes.push_back(node);
    if (node) seen_.emplace(place->second, node);
  }
  std::vector<NodeGroup> groups() { return std::move(groups_); }

 private:
  // What distinguishes the lines: the columns that split; and with a line for each node, or a sum
  // for each partition, just these.
  std::string key_of(const NodeGroup& single) const {
    std::string key;
    if (settings_.summary || settings_.by_node || settings_.report.notation)
      key = single.partition->partition.spec->name + '\n';
    if (settings_.by_node && !single.nodes.empty()) return key + single.nodes[0]->node.spec->name;
    if (settings_.report.notation && !single.nodes.empty())
      return key + state_long(single.nodes[0]->node);
    if (settings_.summary) return key;
    for (const Column<NodeGroup>* column : format_.columns) {
      if (!column || column->splits == Splits::No) continue;
      if (column->splits == Splits::Exact && !settings_.exact) continue;
      key += column->extract(single) + '\n';
    }
    return key;
  }

  const SinfoSettings& settings_;
  const Format<NodeGroup>& format_;
  std::vector<NodeGroup> groups_;
  std::map<std::string, std::size_t> by_key_;
  std::set<std::pair<std::size_t, const NodeRow*>> seen_;
};

// A line that names no partition has nothing to say of one without nodes.
bool tells_partitions(const SinfoSettings& settings, const Format<NodeGroup>& format) {
  return settings.report.notation || settings.summary ||
         std::ranges::any_of(format.columns, [](const Column<NodeGroup>* column) {
           return column && (column->letter == 'P' || column->letter == 'R');
         });
}

// O(partitions × nodes), as each node knows its partitions by name only.
std::vector<NodeGroup> groups_of(const SinfoSettings& settings, const Format<NodeGroup>& format,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes) {
  auto parsed = Hostlist::parse(settings.nodes);
  Hostlist hosts = parsed ? *parsed : Hostlist();
  Grouping grouping(settings, format);
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
      grouping.add(partition, &node);
    }
    // A partition without such nodes is told, too.
    if (!any && !settings.by_node && !settings.reasons && tells_partitions(settings, format))
      grouping.add(partition, nullptr);
  }
  return grouping.groups();
}

bool earlier(const NodeGroup& a, const NodeGroup& b) {
  auto first = [](const NodeGroup& g) { return g.nodes.empty() ? 0u : g.nodes[0]->node.id.value; };
  if (a.partition != b.partition) return a.partition < b.partition;
  return first(a) < first(b);
}

// A wrong order is no error: the lines come as configured then.
std::vector<SortKey<NodeGroup>> sort_keys(const SinfoSettings& settings) {
  std::string_view told = settings.report.sort;
  auto keys = parse_sort(told.empty() ? usual_sort(settings) : told, node_columns());
  if (!keys) keys = parse_sort("#P", node_columns());
  return keys ? *keys : std::vector<SortKey<NodeGroup>>{};
}

void print_data(const SinfoSettings& settings, const std::vector<PartitionRow>& partitions,
                const std::vector<NodeRow>& nodes) {
  DataWriter data(*settings.report.notation);
  data.begin_map().begin_list("sinfo");
  for (const NodeGroup& group : groups_of(settings, {}, partitions, nodes))
    write_group(data, group);
  data.end();
  write_meta(data, settings.report);
  data.end();
  print(data.finish());
}

int show_reservations(const SinfoSettings& settings, Controller& controller) {
  auto rows = controller.ask<ReservationRows>(QueryReservations{});
  if (!rows) {
    print_error(fmt::format("slurm_load_reservations error: {}\n", rows.error().text));
    return 1;
  }
  print(render_reservations(rows->rows, settings.report.header, wall_clock()));
  return 0;
}

int show_once(const SinfoSettings& given, Controller& controller) {
  if (given.reservations) return show_reservations(given, controller);
  SinfoSettings settings = given;
  if (has_host_function(given.nodes)) {
    auto hosts = resolve_hosts(given.nodes, sources_of(controller));
    if (!hosts) {
      complain("sinfo", fmt::format("Invalid node name: {}", hosts.error().text));
      return 1;
    }
    settings.nodes = hosts->str();
  }
  std::vector<PartitionRow> partitions;
  std::vector<NodeRow> nodes;
  // What is asked for by name is shown.
  QueryPartitions question{.name = "", .hide = !settings.all && settings.partitions.empty()};
  Status asked = fetch_report<PartitionRows>(controller, question, partitions);
  if (asked) asked = fetch_report<NodeRows>(controller, QueryNodes{}, nodes);
  if (!asked) {
    print_error(fmt::format("slurm_load_partitions: {}\n", asked.error().text));
    return 1;
  }
  if (settings.report.notation) {
    print_data(settings, partitions, nodes);
    return 0;
  }
  auto out = render_nodes(settings, partitions, nodes, wall_clock());
  if (!out) {
    complain("sinfo", out.error().text);
    return 1;
  }
  print(*out);
  return 0;
}

Status check(SinfoSettings& settings, const std::vector<std::string>&) {
  std::vector<std::string> complaints;
  auto dry = render_nodes(settings, {}, {}, wall_clock(), &complaints);
  if (!dry) return std::unexpected(dry.error());
  for (const std::string& text : complaints) {
    if (settings.report.by_name())
      complain("sinfo", text);
    else
      print_error(text + "\n");
  }
  return {};
}

}  // namespace

Result<std::string> render_nodes(const SinfoSettings& settings,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes, Instant now,
                                 std::vector<std::string>* complaints) {
  auto format = format_of(settings, complaints);
  if (!format) return std::unexpected(format.error());
  std::vector<NodeGroup> groups = groups_of(settings, *format, partitions, nodes);
  sort_rows(groups, sort_keys(settings), earlier);
  format->fit(groups);
  const ReportWish& wish = settings.report;
  std::string out;
  if (!wish.clusters.empty() && wish.header) out += fmt::format("CLUSTER: {}\n", wish.cluster);
  if (wish.header && (wish.longer || wish.iterate_s)) out += date_line(now);
  if (wish.header) out += format->header();
  for (const NodeGroup& group : groups) format->append_row(out, group);
  return out;
}

int sinfo_main(const Arguments& arguments) {
  return run_report<SinfoSettings>(
      {.page = sinfo_page(), .table = sinfo_table(), .check = check, .show = show_once}, arguments);
}

}  // namespace ym::cli
