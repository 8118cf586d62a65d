// SPDX-License-Identifier: Apache-2.0
#include "config/nodes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "config/cpus.h"
#include "notation/gres.h"

namespace ym {
namespace {

constexpr std::size_t kGuessesMax = 10'000;
constexpr std::uint32_t kCpusMax = 65'533;
constexpr std::string_view kStates[] = {"UNKNOWN",  "CLOUD", "DOWN",    "DRAIN",
                                        "EXTERNAL", "FAIL",  "FAILING", "FUTURE"};

bool is_default_name(const ConfigLine& line, std::size_t from) {
  return same_ignoring_case(line.assignments[from].value, "DEFAULT");
}

std::string known_state(std::string_view text) {
  for (std::string_view state : kStates)
    if (same_ignoring_case(state, text)) return std::string(state);
  return "";
}

bool has_feature(const NodeSpec& node, std::string_view feature) {
  for (std::string_view word : split_words(node.features, ','))
    if (word == feature) return true;
  return false;
}

// 7001, 7001-7100, [7001-7100,8001]: all of them, in order.
std::optional<std::vector<std::uint16_t>> parse_port_list(std::string_view text,
                                                          std::size_t count_max) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
    text = text.substr(1, text.size() - 2);
  std::vector<std::uint16_t> ports;
  for (std::string_view part : split(text, ',')) {
    auto ends = split(part, '-');
    if (ends.size() > 2) return std::nullopt;
    auto low = parse_unsigned<std::uint16_t>(ends.front()),
         high = parse_unsigned<std::uint16_t>(ends.back());
    if (!low || !high || *low == 0 || *high < *low) return std::nullopt;
    for (std::uint32_t port = *low; port <= *high && ports.size() <= count_max; ++port)
      ports.push_back(static_cast<std::uint16_t>(port));
  }
  return ports;
}

}  // namespace

NodeSpec NodeLines::common_spec(const Fields& fields, Place place, std::string_view names) {
  NodeSpec spec;
  derive_cpus(fields, spec, [&](std::string_view text) {
    findings_.diagnostics.warn(place, fmt::format("NodeName={}: {}", printable(names, 64), text));
  });
  if (spec.cpus > kCpusMax)
    findings_.diagnostics.error(
        place, fmt::format("a node cannot have {} CPUs, at most {}", spec.cpus, kCpusMax));
  spec.memory_mb = fields.number("RealMemory", 1);
  spec.tmp_mb = fields.number("TmpDisk", 0);
  spec.weight = static_cast<std::uint32_t>(fields.number("Weight", 1));
  spec.features = fields.text("Features");
  spec.gres = fields.text("Gres");
  spec.reason = fields.text("Reason");
  spec.cpu_spec_list = fields.text("CpuSpecList");
  spec.core_spec_count = static_cast<std::uint32_t>(fields.number("CoreSpecCount", 0));
  spec.mem_spec_limit_mb = fields.number("MemSpecLimit", 0);
  spec.system_cpus = count_system_cpus(spec);
  spec.suspend_time_s = static_cast<std::uint32_t>(fields.number("SuspendTime", NodeSpec::kUsual));
  std::string state = fields.text("State", "UNKNOWN");
  spec.state = known_state(state);
  if (same_ignoring_case(state, "IDLE")) {
    spec.state = "UNKNOWN";
    findings_.diagnostics.warn(place,
                               "State=IDLE is for slurmctld to find out, State=UNKNOWN is used");
  } else if (spec.state.empty()) {
    findings_.diagnostics.error(
        place, fmt::format("State: '{}' is not one of UNKNOWN, CLOUD, DOWN, DRAIN, EXTERNAL, "
                           "FAIL, FAILING, FUTURE",
                           printable(state, 64)));
  } else if (spec.state == "EXTERNAL") {
    findings_.note_unused(KeyScope::Node, "State=" + spec.state, spec.state, place);
  }
  return spec;
}

void NodeLines::add(const ConfigLine& line, std::size_t from) {
  Fields given = check_fields(KeyScope::Node, line, from, findings_);
  if (is_default_name(line, from)) return defaults_.update(given);
  auto names = Hostlist::parse(given.text("NodeName"));
  if (!names)
    return findings_.diagnostics.error(line.place, fmt::format("NodeName: {}", names.error().text));
  if (names->empty()) return findings_.diagnostics.error(line.place, "NodeName is empty");
  if (names->count() > kConfigNodesMax - nodes_.size())
    return findings_.diagnostics.error(line.place,
                                       fmt::format("more than {} nodes", kConfigNodesMax));
  Fields fields = defaults_;
  fields.update(given);
  NodeSpec spec = common_spec(fields, line.place, given.text("NodeName"));
  std::size_t first = nodes_.size();
  names->for_each([&](std::string_view name) {
    spec.name = spec.hostname = name;
    nodes_.push_back(spec);
    places_.push_back(line.place);
  });
  spread("NodeHostname", fields, first, line.place);
  for (std::size_t i = first; i < nodes_.size(); ++i) nodes_[i].address = nodes_[i].hostname;
  spread("NodeAddr", fields, first, line.place);
  spread_ports(fields, first, line.place);
}

// Hostnames and addresses go in step with the names, or one serves for all.
void NodeLines::spread(std::string_view key, const Fields& fields, std::size_t first, Place place) {
  const Value* value = fields.find(key);
  if (!value) return;
  auto member = key == "NodeAddr" ? &NodeSpec::address : &NodeSpec::hostname;
  std::size_t count = nodes_.size() - first;
  bool literal =
      value->text.find(':') != std::string::npos;  // an IPv6 address; brackets would be ranges
  auto list = literal ? Result<Hostlist>(Hostlist()) : Hostlist::parse(value->text);
  if (!list)
    return findings_.diagnostics.error(place, fmt::format("{}: {}", key, list.error().text));
  std::uint64_t given = literal ? 1 : list->count();
  if (given != 1 && given != count)
    return findings_.diagnostics.error(
        place, fmt::format("{} gives {} for {} nodes: give one for each, or one for all", key,
                           given, count));
  if (given == 1) {
    std::string one = literal ? value->text : list->nth(0);
    for (std::size_t i = first; i < nodes_.size(); ++i) nodes_[i].*member = one;
    return;
  }
  std::size_t at = first;
  list->for_each([&](std::string_view name) { nodes_[at++].*member = name; });
}

void NodeLines::spread_ports(const Fields& fields, std::size_t first, Place place) {
  const Value* value = fields.find("Port");
  if (!value) return;
  std::size_t count = nodes_.size() - first;
  auto ports = parse_port_list(value->text, count);
  if (!ports)
    return findings_.diagnostics.error(
        place, fmt::format("Port: '{}' is not a port or a range such as [7001-7100]",
                           printable(value->text, 64)));
  if (ports->size() != 1 && ports->size() != count)
    return findings_.diagnostics.error(
        place,
        fmt::format("Port gives {} for {} nodes: give one for each, or one for all",
                    ports->size() > count ? "more" : fmt::format("{}", ports->size()), count));
  for (std::size_t i = 0; i < count; ++i)
    nodes_[first + i].port = ports->size() == 1 ? ports->front() : (*ports)[i];
}

void NodeLines::add_node_set(const ConfigLine& line, std::size_t from) {
  Fields fields = check_fields(KeyScope::NodeSet, line, from, findings_);
  NodeSet set{.name = fields.text("NodeSet"),
              .feature = fields.text("Feature"),
              .nodes = fields.text("Nodes"),
              .place = line.place};
  if (!Hostlist::valid_name(set.name))
    return findings_.diagnostics.error(
        line.place, fmt::format("NodeSet: '{}' cannot be a name", printable(set.name, 64)));
  if (set.feature.empty() && set.nodes.empty())
    findings_.diagnostics.error(line.place,
                                fmt::format("NodeSet={} needs Feature= or Nodes=", set.name));
  node_sets_.push_back(std::move(set));
}

void NodeLines::add_down_nodes(const ConfigLine& line, std::size_t from) {
  Fields given = check_fields(KeyScope::DownNodes, line, from, findings_);
  if (is_default_name(line, from)) return down_defaults_.update(given);
  Fields fields = down_defaults_;
  fields.update(given);
  down_.push_back({std::move(fields), line.place});
}

void NodeLines::finish(ClusterConfig& config) {
  for (NodeSpec& node : nodes_) {
    if (node.port == 0) node.port = config.node_port;
    all_.push_back(node.name);
    if (guesses_.size() < kGuessesMax) guesses_.push_back(node.name);
  }
  known_ = all_.uniq();
  if (known_.count() != all_.count()) find_duplicates();
  resolve_node_sets();
  resolve_down_nodes(config);
  check_gres(config.gres_types);
  config.nodes = nodes_;
}

// Names that GresTypes does not have are no resources.
void NodeLines::check_gres(std::string_view types) {
  std::vector<std::string_view> known = split_words(types, ',');
  Place last;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].gres.empty() || places_[i] == last) continue;
    last = places_[i];
    auto terms = parse_node_gres(nodes_[i].gres);
    if (!terms) {
      findings_.diagnostics.error(last, fmt::format("Gres: {}", terms.error().text));
      continue;
    }
    for (const GresTerm& term : *terms)
      if (std::ranges::find(known, std::string_view(term.name)) == known.end())
        findings_.diagnostics.warn(
            last, fmt::format("Gres: {} is not in GresTypes, nobody can ask for it", term.name));
  }
}

// One message for each pair of lines that share names, not one for each name.
void NodeLines::find_duplicates() {
  std::vector<std::size_t> order(nodes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    int by_name = nodes_[a].name.compare(nodes_[b].name);
    return by_name != 0 ? by_name < 0 : a < b;
  });
  std::vector<std::pair<std::size_t, std::size_t>> found;  // the second one, the first one
  for (std::size_t i = 1; i < order.size(); ++i)
    if (nodes_[order[i]].name == nodes_[order[i - 1]].name)
      found.emplace_back(order[i], order[i - 1]);
  std::sort(found.begin(), found.end());
  Place last;
  for (auto [again, before] : found) {
    if (places_[again] == last) continue;
    last = places_[again];
    findings_.diagnostics.error(last,
                                fmt::format("node {} is already defined at {}", nodes_[again].name,
                                            findings_.diagnostics.name(places_[before])));
  }
}

void NodeLines::resolve_node_sets() {
  for (NodeSet& set : node_sets_) {
    for (const NodeSet* other = node_sets_.data(); other != &set; ++other)
      if (other->name == set.name)
        findings_.diagnostics.error(set.place,
                                    fmt::format("NodeSet={} is already defined", set.name));
    if (known_.contains(set.name))
      findings_.diagnostics.error(set.place,
                                  fmt::format("NodeSet={} has the name of a node", set.name));
    Hostlist members;
    if (same_ignoring_case(set.nodes, "ALL")) {
      members = all_;
    } else if (auto list = Hostlist::parse(set.nodes); !list) {
      findings_.diagnostics.error(set.place, fmt::format("Nodes: {}", list.error().text));
    } else {
      members = *list;
      report_unknown("Nodes", list->minus(known_), set.place);
    }
    if (!set.feature.empty())
      for (const NodeSpec& node : nodes_)
        if (has_feature(node, set.feature)) members.push_back(node.name);
    set.members = members.uniq();
    if (set.members.empty() && !findings_.diagnostics.failed())
      findings_.diagnostics.warn(set.place, fmt::format("NodeSet={} has no nodes", set.name));
  }
}

void NodeLines::resolve_down_nodes(ClusterConfig& config) {
  for (const Down& down : down_) {
    Hostlist nodes = resolve("DownNodes", down.fields.text("DownNodes"), down.place);
    config.down_nodes.push_back({.nodes = nodes.str(),
                                 .state = down.fields.text("State", "UNKNOWN"),
                                 .reason = down.fields.text("Reason")});
  }
}

Hostlist NodeLines::resolve(std::string_view key, std::string_view text, Place place) const {
  if (same_ignoring_case(text, "ALL")) return all_;
  auto list = Hostlist::parse(text);
  if (!list) {
    findings_.diagnostics.error(place, fmt::format("{}: {}", key, list.error().text));
    return {};
  }
  for (const NodeSet& set : node_sets_)
    if (list->contains(set.name)) {
      Hostlist name;
      name.push_back(set.name);
      *list = list->minus(name).united(set.members);
    }
  Hostlist once = list->uniq();
  report_unknown(key, once.minus(known_), place);
  return once.count() == list->count() ? *list : once;
}

void NodeLines::report_unknown(std::string_view key, const Hostlist& unknown, Place place) const {
  if (unknown.empty()) return;
  std::vector<std::string_view> candidates(guesses_.begin(), guesses_.end());
  for (const NodeSet& set : node_sets_) candidates.push_back(set.name);
  std::string first = unknown.nth(0);
  std::string_view meant = nearest(std::string_view(first).substr(0, 64), candidates);
  std::string text =
      fmt::format("{}: no NodeName line defines {}", key, printable(unknown.str(), 128));
  if (!meant.empty()) text += fmt::format(", did you mean {}?", meant);
  findings_.diagnostics.error(place, text);
}

}  // namespace ym
