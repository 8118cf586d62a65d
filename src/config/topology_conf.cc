// SPDX-License-Identifier: Apache-2.0
#include "config/topology_conf.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "config/topology_torus.h"
#include "config/yaml.h"

namespace ym {
namespace {

constexpr std::uint32_t kLevelsMax = 64;

class Reader {
 public:
  Reader(Topology& topology, Diagnostics& diagnostics)
      : topology_(topology), diagnostics_(diagnostics) {}

  void take(const ConfigLine& line) {
    if (line.assignments.empty()) return;
    const std::string& first = line.assignments[0].key;
    if (same_ignoring_case(first, "SwitchName"))
      take_switch(line);
    else if (same_ignoring_case(first, "BlockName"))
      take_named(line, "block", topology_.blocks);
    else if (same_ignoring_case(first, "RingName"))
      take_named(line, "ring", topology_.rings);
    else if (same_ignoring_case(first, "BlockSizes") || same_ignoring_case(first, "BlockLevels"))
      take_sizes(line);
    else
      diagnostics_.error(line.place, fmt::format("unknown key {}", printable(first)));
  }

  // The levels and what is below, from the leaves up.
  void finish() {
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!places.emplace(lines_[i].one.name, i).second)
        diagnostics_.error(lines_[i].place,
                           fmt::format("switch {} is there twice", lines_[i].one.name));
    std::vector<std::optional<std::uint32_t>> levels(lines_.size());
    for (std::uint32_t level = 0; level < kLevelsMax; ++level)
      for (std::size_t i = 0; i < lines_.size(); ++i)
        if (!levels[i]) settle(i, level, places, levels);
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (!levels[i])
        diagnostics_.error(lines_[i].place,
                           fmt::format("switch {} has one below it that is not there, or itself",
                                       lines_[i].one.name));
    for (std::uint32_t level = 0; level < kLevelsMax; ++level)
      for (Line& line : lines_)
        if (line.one.level == level) topology_.switches.push_back(line.one);
  }

 private:
  struct Line {
    TopologySwitch one;
    Place place;
  };

  Hostlist hosts(const Assignment& given, Place place) {
    auto list = Hostlist::parse(given.value);
    if (list) return *list;
    diagnostics_.error(place, fmt::format("{}: {}", given.key, list.error().text));
    return {};
  }

  void take_switch(const ConfigLine& line) {
    Line out{.one = {.name = line.assignments[0].value}, .place = line.place};
    for (std::size_t i = 1; i < line.assignments.size(); ++i) {
      const Assignment& given = line.assignments[i];
      if (same_ignoring_case(given.key, "Nodes"))
        out.one.members = hosts(given, line.place);
      else if (same_ignoring_case(given.key, "Switches"))
        out.one.switches = hosts(given, line.place);
      else if (same_ignoring_case(given.key, "LinkSpeed"))
        out.one.link_speed = parse_unsigned<std::uint32_t>(given.value).value_or(1);
      else
        diagnostics_.error(line.place, fmt::format("unknown key {}", printable(given.key)));
    }
    if (!Hostlist::valid_name(out.one.name))
      return diagnostics_.error(line.place, "a switch needs a name");
    if (out.one.members.empty() == out.one.switches.empty())
      return diagnostics_.error(line.place, "a switch has either Nodes or Switches");
    if (lines_.size() >= kTopologySwitchesMax)
      return diagnostics_.error(line.place, "too many switches");
    lines_.push_back(std::move(out));
  }

  // A name and the nodes behind it.
  template <class Named>
  void take_named(const ConfigLine& line, const char* what, std::vector<Named>& all) {
    Named out{.name = line.assignments[0].value, .nodes = {}};
    for (std::size_t i = 1; i < line.assignments.size(); ++i) {
      const Assignment& given = line.assignments[i];
      if (same_ignoring_case(given.key, "Nodes"))
        out.nodes = hosts(given, line.place);
      else
        diagnostics_.error(line.place, fmt::format("unknown key {}", printable(given.key)));
    }
    if (!Hostlist::valid_name(out.name))
      return diagnostics_.error(line.place, fmt::format("a {} needs a name", what));
    if (std::ranges::find(all, out.name, &Named::name) != all.end())
      return diagnostics_.error(line.place, fmt::format("{} {} is there twice", what, out.name));
    if (all.size() >= kTopologySwitchesMax)
      return diagnostics_.error(line.place, fmt::format("too many {}s", what));
    all.push_back(std::move(out));
  }

  void take_sizes(const ConfigLine& line) {
    for (std::string_view word : split_words(line.assignments[0].value, ',')) {
      auto size = parse_unsigned<std::uint32_t>(word);
      if (!size || *size == 0)
        return diagnostics_.error(line.place, fmt::format("{} is no size", printable(word)));
      topology_.block_sizes.push_back(*size);
    }
  }

  template <class Places>
  void settle(std::size_t i, std::uint32_t level, const Places& places,
              std::vector<std::optional<std::uint32_t>>& levels) {
    TopologySwitch& one = lines_[i].one;
    bool all_known = true;
    Hostlist members = one.members;
    one.switches.for_each([&](std::string_view name) {
      auto at = places.find(name);
      // Those of this very level were settled a moment ago: they count with the next one.
      bool known = at != places.end() && levels[at->second] && *levels[at->second] < level;
      all_known = all_known && known;
      if (known) members = members.united(lines_[at->second].one.members);
    });
    if (!all_known) return;
    levels[i] = one.level = level;
    one.members = std::move(members);
  }

  Topology& topology_;
  Diagnostics& diagnostics_;
  std::vector<Line> lines_;
};

}  // namespace

Result<Topology> parse_topology_conf(const std::string& path, const ReadFile& read_file) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  Topology topology;
  Reader reader(topology, diagnostics);
  for (const ConfigLine& line : read_lines(path, read_file, diagnostics, files)) reader.take(line);
  reader.finish();
  if (diagnostics.failed()) return fail(diagnostics.errors());
  if (!topology.switches.empty()) topology.kind = TopologyKind::Tree;
  if (!topology.rings.empty()) topology.kind = TopologyKind::Ring;
  if (!topology.blocks.empty()) topology.kind = TopologyKind::Block;
  topology.name = "default";
  topology.cluster_default = true;
  return topology;
}

namespace {

// One map of the file as a line of topology.conf would say it.
ConfigLine line_of(const YamlNode& map,
                   std::initializer_list<std::pair<const char*, const char*>> names,
                   Diagnostics& diagnostics, std::uint32_t file) {
  ConfigLine out{.place = {.file = file, .line = static_cast<std::uint32_t>(map.line)}};
  for (const YamlNode& node : map.items) {
    auto known = std::ranges::find(names, node.key,
                                   [](const auto& pair) { return std::string_view(pair.first); });
    if (known == names.end() || node.kind != YamlNode::Kind::Text)
      diagnostics.error(out.place, fmt::format("unknown key {}", printable(node.key)));
    else
      out.assignments.push_back({known->second, node.text});
  }
  // The name opens the line, wherever it stands in the map.
  auto opener =
      std::ranges::find(out.assignments, std::string_view(names.begin()->second), &Assignment::key);
  if (opener == out.assignments.end()) {
    diagnostics.error(out.place, fmt::format("{} is missing", names.begin()->first));
    out.assignments.clear();
  } else {
    std::rotate(out.assignments.begin(), opener, opener + 1);
  }
  return out;
}

// Everything within one topology of topology.yaml.
class YamlTopology {
 public:
  YamlTopology(Diagnostics& diagnostics, std::uint32_t file)
      : diagnostics_(diagnostics), file_(file) {}

  Topology read(const YamlNode& map) {
    Topology out;
    Reader reader(out, diagnostics_);
    int kinds = 0;
    for (const YamlNode& node : map.items) {
      const std::string& key = node.key;
      if (key == "topology") {
        out.name = node.text;
      } else if (key == "cluster_default") {
        out.cluster_default = same_ignoring_case(node.text, "true");
      } else if (read_kind(node, reader, out)) {
        ++kinds;
      } else if (key != "flat") {
        wrong(node, fmt::format("unknown key {}", printable(key)));
      }
    }
    reader.finish();
    if (!Hostlist::valid_name(out.name)) wrong(map, "a topology needs a name");
    if (kinds != 1) wrong(map, "a topology is one of tree, block, ring, torus3d and flat: true");
    return out;
  }

 private:
  // What the nodes are wired to; false if it is something else.
  bool read_kind(const YamlNode& node, Reader& reader, Topology& out) {
    const std::string& key = node.key;
    if (key == "flat") return flat(node);
    if (key == "tree") {
      out.kind = TopologyKind::Tree;
      members(node, "switches", reader,
              {{"switch", "SwitchName"},
               {"children", "Switches"},
               {"nodes", "Nodes"},
               {"link_speed", "LinkSpeed"}});
    } else if (key == "block") {
      out.kind = TopologyKind::Block;
      sizes(node, out);
      members(node, "blocks", reader, {{"block", "BlockName"}, {"nodes", "Nodes"}});
    } else if (key == "ring") {
      out.kind = TopologyKind::Ring;
      members(node, "rings", reader, {{"ring", "RingName"}, {"nodes", "Nodes"}});
    } else if (key == "torus3d") {
      out.kind = TopologyKind::Torus;
      out.tori = read_tori(node, diagnostics_, file_);
    } else {
      return false;
    }
    return true;
  }
  // true, or a map of wishes, which change nothing here: names are in their order anyway.
  bool flat(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::Map) return same_ignoring_case(node.text, "true");
    for (const YamlNode& one : node.items)
      if (one.key != "alpha_step_rank")
        wrong(one, fmt::format("unknown key {}", printable(one.key)));
    return true;
  }
  void wrong(const YamlNode& node, const std::string& text) {
    diagnostics_.error({.file = file_, .line = static_cast<std::uint32_t>(node.line)}, text);
  }
  void members(const YamlNode& node, const char* key, Reader& reader,
               std::initializer_list<std::pair<const char*, const char*>> names) {
    const YamlNode* list = node.find(key);
    if (!list || list->kind != YamlNode::Kind::List)
      return wrong(node, fmt::format("{} are missing", key));
    for (const YamlNode& one : list->items)
      if (ConfigLine line = line_of(one, names, diagnostics_, file_); !line.assignments.empty())
        reader.take(line);
  }
  void sizes(const YamlNode& node, Topology& out) {
    const YamlNode* list = node.find("block_sizes");
    if (!list) return;
    for (const YamlNode& one : list->items) {
      auto size = parse_unsigned<std::uint32_t>(one.text);
      if (!size || *size == 0) return wrong(one, fmt::format("{} is no size", printable(one.text)));
      out.block_sizes.push_back(*size);
    }
  }

  Diagnostics& diagnostics_;
  std::uint32_t file_;
};

}  // namespace

Result<std::vector<Topology>> parse_topology_yaml(const std::string& path, std::string_view text) {
  auto document = parse_yaml(path, text);
  if (!document) return std::unexpected(document.error());
  if (document->kind != YamlNode::Kind::List)
    return fail(path + ": a list of topologies is expected");
  Diagnostics diagnostics;
  std::uint32_t file = diagnostics.add_file(path);
  std::vector<Topology> out;
  for (const YamlNode& one : document->items) {
    Topology made = YamlTopology(diagnostics, file).read(one);
    if (std::ranges::find(out, made.name, &Topology::name) != out.end())
      diagnostics.error({.file = file, .line = static_cast<std::uint32_t>(one.line)},
                        fmt::format("topology {} is there twice", printable(made.name)));
    out.push_back(std::move(made));
  }
  if (diagnostics.failed()) return fail(diagnostics.errors());
  return out;
}

}  // namespace ym
