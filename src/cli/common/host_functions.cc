// SPDX-License-Identifier: Apache-2.0
#include "cli/common/host_functions.h"

#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/controller.h"
#include "os/files.h"

namespace ym::cli {
namespace {

struct Call {
  std::string_view function, argument;
};

bool has_feature(const NodeRow& row, std::string_view feature) {
  for (std::string_view one : split_words(row.node.features_now(), ','))
    if (one == feature) return true;
  return false;
}

Result<Hostlist> with_features(std::string_view argument, const HostSources& sources) {
  auto rows = sources.nodes();
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> names;
  for (const NodeRow& row : *rows)
    for (std::string_view feature : split_words(argument, ','))
      if (has_feature(row, feature)) {
        names.push_back(row.node.spec->name);
        break;
      }
  return Hostlist::of(names);
}

// Blocks or lowest switches that have one of the nodes.
template <class Rows, class Nodes>
Hostlist neighbours(const Rows& rows, const Hostlist& wanted, const Nodes& nodes_of) {
  Hostlist out;
  for (const auto& row : rows) {
    bool has = false;
    wanted.for_each([&](std::string_view name) { has = has || nodes_of(row).contains(name); });
    if (has) out = out.united(nodes_of(row));
  }
  return out;
}

struct Unit {
  std::string name;
  Hostlist nodes;
};

// What a function of that name chooses among. Switches of any level have a name; only the lowest
// are somebody's neighbours.
std::vector<Unit> units_of(const Topology& topology, std::string_view kind, bool lowest) {
  std::vector<Unit> out;
  if (kind == "switch")
    for (const TopologySwitch& one : topology.switches)
      if (!lowest || one.level == 0) out.push_back({one.name, one.members});
  if (kind == "block")
    for (const TopologyBlock& one : topology.blocks) out.push_back({one.name, one.nodes});
  if (kind == "ring")
    for (const TopologyRing& one : topology.rings) out.push_back({one.name, one.nodes});
  if (kind == "torus")
    for (const TopologyTorus& one : topology.tori) out.push_back({one.name, hosts_of(one)});
  return out;
}

Result<Hostlist> in_topology(std::string_view kind, bool with, std::string_view argument,
                             const HostSources& sources) {
  auto topology = sources.topology();
  if (!topology) return std::unexpected(topology.error());
  auto names = Hostlist::parse(argument);
  if (!names) return std::unexpected(names.error());
  std::vector<Unit> units = units_of(*topology, kind, with);
  if (with) return neighbours(units, *names, [](const Unit& one) { return one.nodes; });
  Hostlist out;
  Status status;
  names->for_each([&](std::string_view name) {
    auto at = std::ranges::find(units, name, &Unit::name);
    if (at != units.end())
      out = out.united(at->nodes);
    else
      status = fail(fmt::format("there is no {} {}", kind, name));
  });
  if (!status) return std::unexpected(status.error());
  return out;
}

Result<Hostlist> value_of(const Call& call, const HostSources& sources) {
  if (call.function == "feature") return with_features(call.argument, sources);
  for (std::string_view kind : {"switch", "block", "ring", "torus"}) {
    if (!call.function.starts_with(kind)) continue;
    std::string_view rest = call.function.substr(kind.size());
    if (kind == "torus" && rest.starts_with("3d")) rest.remove_prefix(2);  // Slurm's name
    if (rest.empty() || rest == "with")
      return in_topology(kind, !rest.empty(), call.argument, sources);
  }
  return fail(
      fmt::format("there is no function {}{{}}; there are feature, switch, block, ring, torus, "
                  "switchwith, blockwith, ringwith and toruswith",
                  printable(call.function)));
}

// Names of any of them can be used; of two alike the first counts.
Topology all_in_one(std::vector<Topology> all) {
  Topology out;
  for (Topology& one : all) {
    std::ranges::move(one.switches, std::back_inserter(out.switches));
    std::ranges::move(one.blocks, std::back_inserter(out.blocks));
    std::ranges::move(one.rings, std::back_inserter(out.rings));
    std::ranges::move(one.tori, std::back_inserter(out.tori));
    if (out.block_sizes.empty()) out.block_sizes = one.block_sizes;
  }
  return out;
}

}  // namespace

Hostlist hosts_of(const TopologyTorus& torus) {
  std::vector<std::string> names;
  for (const std::string& name : torus.nodes)
    if (!name.empty()) names.push_back(name);
  return Hostlist::of(names);
}

bool has_host_function(std::string_view text) { return text.find('{') != std::string_view::npos; }

Result<Hostlist> resolve_hosts(std::string_view text, const HostSources& sources) {
  if (!has_host_function(text)) return Hostlist::parse(text);
  std::vector<std::string> names;
  auto add = [&](const Hostlist& list) {
    list.for_each([&](std::string_view name) { names.emplace_back(name); });
  };
  while (!text.empty()) {
    auto open = text.find('{');
    // What stands before the function's own name is a plain list.
    auto comma = open == std::string_view::npos ? open : text.substr(0, open).rfind(',');
    std::string_view plain = open == std::string_view::npos    ? text
                             : comma == std::string_view::npos ? std::string_view()
                                                               : text.substr(0, comma);
    auto list = Hostlist::parse(plain);
    if (!list) return list;
    add(*list);
    if (open == std::string_view::npos) break;
    auto close = text.find('}', open);
    if (close == std::string_view::npos) return fail("'{' without '}'");
    std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
    auto value = value_of({.function = text.substr(begin, open - begin),
                           .argument = text.substr(open + 1, close - open - 1)},
                          sources);
    if (!value) return value;
    add(*value);
    text.remove_prefix(close + 1);
    if (!text.empty() && text[0] != ',') return fail("behind '}' a ',' or the end is expected");
    if (!text.empty()) text.remove_prefix(1);
  }
  return Hostlist::of(names);
}

HostSources sources_of(Controller& controller) {
  return {.nodes = [&]() -> Result<std::vector<NodeRow>> {
            auto rows = controller.ask<NodeRows>(QueryNodes{});
            if (!rows) return std::unexpected(rows.error());
            return std::move(rows->rows);
          },
          .topology = [&] { return load_topology(controller.config_path()); }};
}

Result<std::vector<Topology>> load_topologies(const std::string& slurm_conf) {
  auto slash = slurm_conf.rfind('/');
  std::string folder = slash == std::string::npos ? "" : slurm_conf.substr(0, slash + 1);
  if (std::string yaml = folder + "topology.yaml"; ::access(yaml.c_str(), F_OK) == 0) {
    auto text = read_file(yaml);
    if (!text) return std::unexpected(text.error());
    return parse_topology_yaml(yaml, *text);
  }
  std::string path = folder + "topology.conf";
  if (::access(path.c_str(), F_OK) != 0)
    return fail(fmt::format("No topology information available: there is no {}", path));
  auto one = parse_topology_conf(path, [](const std::string& name) { return read_file(name); });
  if (!one) return std::unexpected(one.error());
  return std::vector<Topology>{std::move(*one)};
}

Result<Topology> load_topology(const std::string& slurm_conf) {
  auto all = load_topologies(slurm_conf);
  if (!all) return std::unexpected(all.error());
  return all_in_one(std::move(*all));
}

}  // namespace ym::cli
