// SPDX-License-Identifier: Apache-2.0
#include "config/topology_torus.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

class TorusReader {
 public:
  TorusReader(Diagnostics& diagnostics, std::uint32_t file)
      : diagnostics_(diagnostics), file_(file) {}

  TopologyTorus read(const YamlNode& map) {
    TopologyTorus out;
    const YamlNode *nodes = nullptr, *regions = nullptr, *placements = nullptr;
    for (const YamlNode& node : map.items) {
      if (node.key == "name")
        out.name = node.text;
      else if (node.key == "dims")
        out.size = size(node);
      else if (node.key == "nodes")
        nodes = &node;
      else if (node.key == "regions")
        regions = &node;
      else if (node.key == "placements")
        placements = &node;
      else
        unknown(node);
    }
    if (!Hostlist::valid_name(out.name)) wrong(map, "a torus needs a name");
    if (out.size.volume() == 0 || out.size.volume() > kTorusCellsMax)
      return wrong(map, "a torus needs dims: {x, y, z}"), out;
    out.nodes.resize(out.size.volume());
    if ((nodes != nullptr) == (regions != nullptr))
      return wrong(map, "a torus has either nodes or regions"), out;
    if (nodes) put(*nodes, {}, out.size, out);
    if (regions)
      for (const YamlNode& one : regions->items) region(one, out);
    check_names(map, out);
    if (!placements || placements->kind != YamlNode::Kind::List || placements->items.empty())
      return wrong(map, "placements are missing"), out;
    for (const YamlNode& one : placements->items) placement(one, out);
    return out;
  }

 private:
  void wrong(const YamlNode& node, const std::string& text) {
    diagnostics_.error({.file = file_, .line = static_cast<std::uint32_t>(node.line)}, text);
  }
  void unknown(const YamlNode& node) {
    wrong(node, fmt::format("unknown key {}", printable(node.key)));
  }

  TorusCell cell(const YamlNode& map) {
    TorusCell out;
    int found = 0;
    for (const YamlNode& node : map.items) {
      std::uint32_t* at = node.key == "x"   ? &out.x
                          : node.key == "y" ? &out.y
                          : node.key == "z" ? &out.z
                                            : nullptr;
      auto number = parse_unsigned<std::uint32_t>(node.text);
      if (!at || !number || *number > kTorusCellsMax) {
        wrong(node, "x, y and z are numbers");
        return {};
      }
      *at = *number;
      ++found;
    }
    if (found != 3) wrong(map, fmt::format("{} needs x, y and z", printable(map.key)));
    return out;
  }
  // None of the three is 0.
  TorusCell size(const YamlNode& map) {
    TorusCell out = cell(map);
    if (out.volume() == 0 && !diagnostics_.failed())
      wrong(map, fmt::format("{} has an empty side", printable(map.key)));
    return out;
  }
  static bool fits_in(const TorusCell& inner, const TorusCell& outer) {
    return inner.x <= outer.x && inner.y <= outer.y && inner.z <= outer.z;
  }

  // The nodes of a list come into the box, x first, then y, then z.
  void put(const YamlNode& list, const TorusCell& corner, const TorusCell& box,
           TopologyTorus& torus) {
    auto hosts = Hostlist::parse(list.text);
    if (!hosts) return wrong(list, hosts.error().text);
    if (hosts->count() != box.volume())
      return wrong(list, fmt::format("{} nodes for {} places", hosts->count(), box.volume()));
    std::uint64_t i = 0;
    hosts->for_each([&](std::string_view name) {
      std::uint64_t x = corner.x + i % box.x, y = corner.y + i / box.x % box.y,
                    z = corner.z + i / box.x / box.y;
      torus.nodes[(z * torus.size.y + y) * torus.size.x + x] = name;
      ++i;
    });
  }

  void region(const YamlNode& map, TopologyTorus& torus) {
    TorusCell corner, box;
    const YamlNode* nodes = nullptr;
    for (const YamlNode& node : map.items) {
      if (node.key == "anchor")
        corner = cell(node);
      else if (node.key == "dims")
        box = size(node);
      else if (node.key == "nodes")
        nodes = &node;
      else
        unknown(node);
    }
    TorusCell end{corner.x + box.x, corner.y + box.y, corner.z + box.z};
    if (!nodes || box.volume() == 0) return wrong(map, "a region needs dims and nodes");
    if (!fits_in(end, torus.size)) return wrong(map, "a region lies within its torus");
    put(*nodes, corner, box, torus);
  }

  void check_names(const YamlNode& map, const TopologyTorus& torus) {
    std::vector<std::string_view> names;
    for (const std::string& name : torus.nodes)
      if (!name.empty()) names.push_back(name);
    std::ranges::sort(names);
    auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) wrong(map, fmt::format("node {} is there twice", printable(*twice)));
  }

  void placement(const YamlNode& map, TopologyTorus& torus) {
    TorusPlacement out;
    bool spaced = false;
    for (const YamlNode& node : map.items) {
      if (node.key == "dims")
        out.size = size(node);
      else if (node.key == "anchor_seed")
        out.seed = cell(node);
      else if (node.key == "anchor_spacing")
        out.spacing = size(node), spaced = true;
      else
        unknown(node);
    }
    if (!spaced) out.spacing = out.size;
    if (out.size.volume() == 0) return wrong(map, "a placement needs dims");
    if (!fits_in(out.size, torus.size))
      return wrong(map, "a placement is no larger than its torus");
    if (out.spacing.volume() == 0) return;  // told already
    auto corners = [](std::uint32_t side, std::uint32_t apart) {
      return (std::uint64_t{side} + apart - 1) / apart;
    };
    cells_ += corners(torus.size.x, out.spacing.x) * corners(torus.size.y, out.spacing.y) *
              corners(torus.size.z, out.spacing.z) * out.size.volume();
    if (cells_ > kTorusBoxCellsMax) return wrong(map, "too many placements");
    torus.placements.push_back(out);
  }

  Diagnostics& diagnostics_;
  std::uint32_t file_;
  std::uint64_t cells_ = 0;  // of all boxes so far
};

}  // namespace

std::vector<TopologyTorus> read_tori(const YamlNode& node, Diagnostics& diagnostics,
                                     std::uint32_t file) {
  auto wrong = [&](const YamlNode& at, const std::string& text) {
    diagnostics.error({.file = file, .line = static_cast<std::uint32_t>(at.line)}, text);
  };
  std::vector<TopologyTorus> out;
  const YamlNode* list = node.find("toruses");
  if (!list || list->kind != YamlNode::Kind::List) {
    wrong(node, "toruses are missing");
    return out;
  }
  for (const YamlNode& one : node.items)
    if (&one != list) wrong(one, fmt::format("unknown key {}", printable(one.key)));
  TorusReader reader(diagnostics, file);
  for (const YamlNode& one : list->items) {
    TopologyTorus torus = reader.read(one);
    if (std::ranges::find(out, torus.name, &TopologyTorus::name) != out.end())
      wrong(one, fmt::format("torus {} is there twice", printable(torus.name)));
    out.push_back(std::move(torus));
  }
  return out;
}

}  // namespace ym
