// SPDX-License-Identifier: Apache-2.0
#include "model/node_gres.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "notation/gres.h"

namespace ym {
namespace {

using Items = std::vector<GresItem>;

std::vector<std::string> files_of(const GresItem& item) {
  auto files = expand_files(item.files);
  return files ? *files : std::vector<std::string>{};
}

// How many of a name slurm.conf still allows, by type; "" for any.
class Allowance {
 public:
  Allowance(const std::vector<GresTerm>& terms, std::string_view name) {
    for (const GresTerm& term : terms) {
      if (term.name != name) continue;
      left_[term.type] += term.count;
      no_consume = no_consume || term.no_consume;
    }
  }
  // Up to `count` of the type; `type` becomes that of slurm.conf where the node does not tell one.
  std::uint64_t take(std::string& type, std::uint64_t count) {
    auto at = left_.find(type);
    if (at == left_.end() || at->second == 0) at = left_.find("");
    if ((at == left_.end() || at->second == 0) && type.empty()) {
      at = std::ranges::find_if(left_, [](const auto& one) { return one.second > 0; });
      if (at != left_.end()) type = at->first;
    }
    if (at == left_.end()) return 0;
    std::uint64_t taken = std::min(count, at->second);
    at->second -= taken;
    return taken;
  }
  bool no_consume = false;

 private:
  std::map<std::string, std::uint64_t> left_;
};

// The devices of one item, or its mere number.
void add_item(GresKinds& kinds, const GresItem& item, Allowance& allowed, std::uint32_t& next) {
  std::vector<std::string> files = files_of(item);
  bool counted = files.empty() || (item.flags & kGresCountOnly);
  std::uint64_t count = counted ? item.count : item.multiple ? 1 : files.size();
  while (count > 0) {
    GresKind kind{.name = item.name, .type = item.type, .flags = item.flags};
    kind.count = allowed.take(kind.type, count);
    kind.no_consume = allowed.no_consume;
    if (!counted) kind.count = std::min<std::uint64_t>(kind.count, kGresDevicesMax - next);
    if (kind.count == 0) return;
    count -= kind.count;
    if (!counted) {
      kind.first = next;
      kind.devices.assign(kind.count, {.cores = item.cores, .links = item.links});
      next += static_cast<std::uint32_t>(kind.count);
    }
    bool joins = !kinds.empty() && kinds.back().name == kind.name &&
                 kinds.back().type == kind.type && kinds.back().flags == kind.flags &&
                 kinds.back().devices.empty() == counted;
    if (!joins) {
      kinds.push_back(std::move(kind));
      continue;
    }
    kinds.back().count += kind.count;
    kinds.back().devices.insert(kinds.back().devices.end(), kind.devices.begin(),
                                kind.devices.end());
  }
}

// Parts of the GPUs that are in `kinds` already: so many of each as its file's line says, or
// evenly.
void add_shared(GresKinds& kinds, const Items& items, std::string_view name, Allowance& allowed) {
  std::vector<std::string> gpu_files;
  for (const GresItem& item : items)
    if (item.name == "gpu" && !item.multiple)
      for (std::string& file : files_of(item)) gpu_files.push_back(std::move(file));
  GresKinds shared;
  for (const GresKind& gpus : kinds) {
    if (gpus.name != "gpu" || gpus.devices.empty()) continue;
    shared.push_back({.name = std::string(name), .type = gpus.type, .shared = true});
    shared.back().first = gpus.first;
    for (const GresDevice& gpu : gpus.devices)
      shared.back().devices.push_back({.room = 0, .cores = gpu.cores});
  }
  std::vector<GresDevice*> devices;
  for (GresKind& kind : shared)
    for (GresDevice& device : kind.devices) devices.push_back(&device);
  for (const GresItem& item : items) {
    if (item.name != name) continue;
    std::vector<GresDevice*> on;
    for (const std::string& file : files_of(item)) {
      auto at = static_cast<std::size_t>(std::ranges::find(gpu_files, file) - gpu_files.begin());
      if (at < devices.size()) on.push_back(devices[at]);
    }
    if (item.files.empty()) on = devices;
    std::string type = item.type;
    std::uint64_t count = allowed.take(type, item.count);
    for (std::size_t i = 0; i < on.size(); ++i)
      on[i]->room += static_cast<std::uint32_t>(
          std::min<std::uint64_t>(count / on.size() + (i < count % on.size() ? 1 : 0), 0xffff));
  }
  for (GresKind& kind : shared) {
    for (const GresDevice& device : kind.devices) kind.count += device.room;
    if (kind.count > 0) kinds.push_back(std::move(kind));
  }
}

std::vector<std::string> names_in(const std::vector<GresTerm>& terms) {
  std::vector<std::string> names;
  // GPUs first: others are parts of them.
  for (bool gpus : {true, false})
    for (const GresTerm& term : terms)
      if (gpus == (term.name == "gpu") && std::ranges::find(names, term.name) == names.end())
        names.push_back(term.name);
  return names;
}

template <class Change>
void change_gres(GresKinds& kinds, const GresShare& share, Change change) {
  if (share.devices.empty()) {
    for (GresKind& kind : kinds) {
      if (kind.name != share.name || kind.type != share.type || !kind.devices.empty()) continue;
      change(kind.used, share.count);
      return;
    }
    return;
  }
  for (std::size_t i = 0; i < share.devices.size(); ++i) {
    std::uint32_t number = share.devices[i];
    for (GresKind& kind : kinds) {
      if (kind.name != share.name || kind.devices.empty() || number < kind.first ||
          number - kind.first >= kind.devices.size())
        continue;
      std::uint32_t part = i < share.parts.size() ? share.parts[i] : 1;
      change(kind.used, part);
      change(kind.devices[number - kind.first].used, part);
      break;
    }
  }
}

}  // namespace

bool is_shared_gres(std::string_view name) { return name == "shard" || name == "mps"; }

GresKinds gres_of(const NodeSpec& spec, const NodeRegistration& registration) {
  GresKinds kinds;
  auto terms = parse_node_gres(spec.gres);
  if (!terms) return kinds;  // the configuration was refused
  for (const std::string& name : names_in(*terms)) {
    Allowance allowed(*terms, name);
    bool told = std::ranges::any_of(registration.gres,
                                    [&](const GresItem& item) { return item.name == name; });
    bool has_gpus = std::ranges::any_of(
        kinds, [](const GresKind& kind) { return kind.name == "gpu" && !kind.devices.empty(); });
    if (told && is_shared_gres(name) && has_gpus) {
      add_shared(kinds, registration.gres, name, allowed);
      continue;
    }
    std::uint32_t next = 0;
    for (const GresItem& item : registration.gres)
      if (item.name == name) add_item(kinds, item, allowed, next);
    if (told) continue;
    for (const GresTerm& term : *terms)
      if (term.name == name && term.count > 0)
        kinds.push_back(
            {.name = name, .type = term.type, .count = term.count, .no_consume = term.no_consume});
  }
  if (kinds.size() > kGresKindsMax) kinds.resize(kGresKindsMax);
  return kinds;
}

std::vector<GresItem> trim_gres(const NodeSpec& spec, std::vector<GresItem> found) {
  std::vector<GresItem> items;
  auto terms = parse_node_gres(spec.gres);
  if (!terms) return items;
  std::map<std::string, Allowance> allowances;
  for (const GresItem& item : found) {
    Allowance& allowed = allowances.try_emplace(item.name, *terms, item.name).first->second;
    std::vector<std::string> files = files_of(item);
    bool by_file = !files.empty() && !is_shared_gres(item.name) && !item.multiple;
    std::uint64_t left = item.count;
    std::size_t next = 0;
    while (left > 0) {
      GresItem part = item;
      part.count = allowed.take(part.type, left);
      if (part.count == 0) break;
      if (by_file && part.count < files.size()) {
        part.files.clear();
        for (std::uint64_t i = 0; i < part.count; ++i)
          part.files += (i == 0 ? "" : ",") + files[next++];
      }
      left -= part.count;
      items.push_back(std::move(part));
    }
  }
  return items;
}

std::string gres_shortcoming(const NodeSpec& spec, const NodeRegistration& registration) {
  auto terms = parse_node_gres(spec.gres);
  if (!terms || terms->empty()) return "";
  std::string out;
  for (const GresTerm& term : *terms) {
    std::uint64_t wanted = 0, found = 0;
    for (const GresTerm& other : *terms)
      if (other.name == term.name) wanted += other.count;
    for (const GresItem& item : registration.gres)
      if (item.name == term.name) found += item.count;
    bool told = out.find("gres/" + term.name + " ") != std::string::npos;
    if (found < wanted && !told)
      out += fmt::format("{}gres/{} count reported lower than configured ({} < {})",
                         out.empty() ? "" : ", ", term.name, found, wanted);
  }
  return out;
}

void hold_gres(GresKinds& kinds, const GresShare& share) {
  change_gres(kinds, share, [](auto& used, auto by) { used += by; });
}

void release_gres(GresKinds& kinds, const GresShare& share) {
  change_gres(kinds, share,
              [](auto& used, auto by) { used -= std::min<decltype(used + 0)>(used, by); });
}

GresShares gres_on(const GresShares& shares, NodeId node) {
  GresShares here;
  for (const GresShare& share : shares)
    if (share.node == node) here.push_back(share);
  return here;
}

}  // namespace ym
