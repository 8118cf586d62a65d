// SPDX-License-Identifier: Apache-2.0
#include "config/topology_conf.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/text.h"

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
      take_block(line);
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

  void take_block(const ConfigLine& line) {
    TopologyBlock out{.name = line.assignments[0].value, .nodes = {}};
    for (std::size_t i = 1; i < line.assignments.size(); ++i) {
      const Assignment& given = line.assignments[i];
      if (same_ignoring_case(given.key, "Nodes"))
        out.nodes = hosts(given, line.place);
      else
        diagnostics_.error(line.place, fmt::format("unknown key {}", printable(given.key)));
    }
    if (!Hostlist::valid_name(out.name))
      return diagnostics_.error(line.place, "a block needs a name");
    if (topology_.find_block(out.name))
      return diagnostics_.error(line.place, fmt::format("block {} is there twice", out.name));
    if (topology_.blocks.size() >= kTopologySwitchesMax)
      return diagnostics_.error(line.place, "too many blocks");
    topology_.blocks.push_back(std::move(out));
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

const TopologySwitch* Topology::find_switch(std::string_view name) const {
  auto at = std::ranges::find(switches, name, &TopologySwitch::name);
  return at == switches.end() ? nullptr : &*at;
}

const TopologyBlock* Topology::find_block(std::string_view name) const {
  auto at = std::ranges::find(blocks, name, &TopologyBlock::name);
  return at == blocks.end() ? nullptr : &*at;
}

Result<Topology> parse_topology_conf(const std::string& path, const ReadFile& read_file) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  Topology topology;
  Reader reader(topology, diagnostics);
  for (const ConfigLine& line : read_lines(path, read_file, diagnostics, files)) reader.take(line);
  reader.finish();
  if (diagnostics.failed()) return fail(diagnostics.errors());
  return topology;
}

}  // namespace ym
