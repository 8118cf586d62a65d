// SPDX-License-Identifier: Apache-2.0
// Generic resources as squeue, sinfo and scontrol show them.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "model/node_gres.h"
#include "notation/cpu_list.h"

namespace ym {
namespace {

std::string kind_name(std::string_view name, std::string_view type) {
  return fmt::format("{}{}{}", name, type.empty() ? "" : ":", type);
}

// Kinds of one name and type, which may have come in several lines.
std::vector<std::vector<const GresKind*>> groups_of(const GresKinds& kinds) {
  std::vector<std::vector<const GresKind*>> groups;
  for (const GresKind& kind : kinds) {
    auto same = std::ranges::find_if(groups, [&](const auto& group) {
      return group.front()->name == kind.name && group.front()->type == kind.type;
    });
    if (same == groups.end())
      groups.push_back({&kind});
    else
      same->push_back(&kind);
  }
  return groups;
}

// "(S:0-1)": the sockets whose cores are near; nothing if that was not told.
std::string sockets_text(const std::vector<const GresKind*>& group, const NodeSpec& spec) {
  CpuNumbers sockets;
  for (const GresKind* kind : group)
    for (const GresDevice& device : kind->devices) {
      auto cores = parse_cpu_list(device.cores);
      if (!cores) continue;
      for (std::uint32_t core : *cores)
        sockets.push_back(core / std::max(1u, spec.cores_per_socket));
    }
  if (sockets.empty()) return "";
  std::ranges::sort(sockets);
  sockets.erase(std::ranges::unique(sockets).begin(), sockets.end());
  return fmt::format("(S:{})", print_cpu_list(sockets));
}

std::string use_text(const std::vector<const GresKind*>& group) {
  CpuNumbers numbers;
  std::string parts;
  for (const GresKind* kind : group)
    for (std::size_t i = 0; i < kind->devices.size(); ++i) {
      const GresDevice& device = kind->devices[i];
      if (device.used > 0) numbers.push_back(kind->first + static_cast<std::uint32_t>(i));
      parts += fmt::format("{}{}/{}", parts.empty() ? "" : ",", device.used, device.room);
    }
  if (group.front()->devices.empty()) return "";
  if (group.front()->shared) return fmt::format("({})", parts);
  return fmt::format("(IDX:{})", numbers.empty() ? "N/A" : print_cpu_list(numbers));
}

std::string tres_text(const std::map<std::string, std::uint64_t>& sums) {
  std::string out;
  for (const auto& [name, count] : sums)
    if (count > 0) out += fmt::format(",gres/{}={}", name, print_gres_count(count));
  return out;
}

}  // namespace

std::string print_gres_count(std::uint64_t count) {
  constexpr std::string_view kUnits = "KMGTP";
  std::size_t unit = 0;
  for (; unit < kUnits.size() && count >= 1024 && count % 1024 == 0; ++unit) count /= 1024;
  return unit == 0 ? fmt::format("{}", count) : fmt::format("{}{}", count, kUnits[unit - 1]);
}

std::string gres_text(const Node& node) {
  if (!node.gres || !node.registration) return node.spec->gres;
  std::string out;
  for (const auto& group : groups_of(*node.gres)) {
    std::uint64_t count = 0;
    for (const GresKind* kind : group) count += kind->count;
    out += fmt::format("{}{}:{}{}", out.empty() ? "" : ",",
                       kind_name(group.front()->name, group.front()->type), print_gres_count(count),
                       sockets_text(group, *node.spec));
  }
  return out;
}

std::string gres_used_text(const Node& node) {
  std::string out;
  for (const auto& group : groups_of(*node.gres)) {
    std::uint64_t used = 0;
    for (const GresKind* kind : group) used += kind->used;
    out += fmt::format("{}{}:{}{}", out.empty() ? "" : ",",
                       kind_name(group.front()->name, group.front()->type), print_gres_count(used),
                       use_text(group));
  }
  return out;
}

std::string gres_detail_text(const GresShares& shares, NodeId node) {
  std::string out;
  for (const GresShare& share : shares) {
    if (share.node != node) continue;
    std::string name = kind_name(share.name, share.type);
    out += out.empty() ? "" : ",";
    if (share.devices.empty())
      out += fmt::format("{}(CNT:{})", name, print_gres_count(share.count));
    else
      out += fmt::format("{}:{}(IDX:{})", name, print_gres_count(share.count),
                         print_cpu_list(share.devices));
  }
  return out;
}

std::string gres_total_text(const GresShares& shares) {
  std::vector<std::pair<std::string, std::uint64_t>> sums;
  for (const GresShare& share : shares) {
    std::string name = kind_name(share.name, share.type);
    auto known = std::ranges::find(sums, name, &std::pair<std::string, std::uint64_t>::first);
    if (known == sums.end())
      sums.emplace_back(name, share.count);
    else
      known->second += share.count;
  }
  std::string out;
  for (const auto& [name, count] : sums)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", name, print_gres_count(count));
  return out;
}

std::string gres_tres_text(const GresShares& shares) {
  std::map<std::string, std::uint64_t> sums;
  for (const GresShare& share : shares) {
    sums[share.name] += share.count;
    if (!share.type.empty()) sums[kind_name(share.name, share.type)] += share.count;
  }
  return tres_text(sums);
}

std::string gres_tres_text(const GresKinds& kinds, bool used) {
  std::map<std::string, std::uint64_t> sums;
  for (const GresKind& kind : kinds) {
    if (used && kind.no_consume) continue;
    std::uint64_t count = used ? kind.used : kind.count;
    sums[kind.name] += count;
    if (!kind.type.empty()) sums[kind_name(kind.name, kind.type)] += count;
  }
  return tres_text(sums);
}

}  // namespace ym
