// SPDX-License-Identifier: Apache-2.0
#include "schedule/place_gres.h"

#include <algorithm>
#include <set>

#include "model/node_gres.h"
#include "notation/cpu_list.h"
#include "schedule/gres.h"

namespace ym {
namespace {

// The cores that are near to any of the devices, as CPUs; none if a device is near to all.
std::optional<std::uint64_t> cpus_near(const GresShares& shares, const GresKinds& kinds,
                                       std::uint32_t threads) {
  std::set<std::uint32_t> near;
  for (const GresShare& share : shares)
    for (std::uint32_t number : share.devices)
      for (const GresKind& kind : kinds) {
        if (kind.name != share.name || number < kind.first ||
            number - kind.first >= kind.devices.size())
          continue;
        auto cores = parse_cpu_list(kind.devices[number - kind.first].cores);
        if (!cores || cores->empty()) return std::nullopt;
        near.insert(cores->begin(), cores->end());
      }
  if (near.empty()) return std::nullopt;
  return std::uint64_t{near.size()} * threads;
}

// --gres-flags=enforce-binding: the job's CPUs are among the cores of its devices.
bool binding_allows(const GresRequest& request, const Free& node, const GresShares& shares,
                    std::uint64_t cpus) {
  if (!request.enforce_binding) return true;
  auto near = cpus_near(shares, *node.gres, std::max(1u, node.shape.threads));
  return !near || *near >= cpus;
}

GresDeal deal_for(const JobSpec& spec, const GresRequest& request, std::uint64_t tasks) {
  GresDeal deal{.tasks = tasks, .sockets = spec.extras->sockets_per_node, .job_amounts = {}};
  for (const GresWish& wish : request.wishes)
    deal.job_amounts.push_back(wish.per == GresPer::Job ? 1 : 0);
  return deal;
}

bool fits(const JobSpec& spec, const GresRequest& request, const Free& node, const GresDeal& deal,
          std::uint32_t cpus, const PlacementRules& rules) {
  std::uint64_t gpus = gpus_of(request, deal);
  if (gpus * request.cpus_per_gpu > cpus) return false;
  if (rules.memory_counts && gpus * request.memory_per_gpu_mb > node.memory_mb) return false;
  if (!request.enforce_binding) return true;
  GresKinds kinds = givable_gres(*node.gres);
  auto shares = take_gres(request, kinds, deal, node.node);
  auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      std::max(deal.tasks * std::max(1u, spec.cpus_per_task), gpus * request.cpus_per_gpu), cpus));
  return shares &&
         binding_allows(request, node, *shares, whole_units_for(wanted, rules.unit, node.shape));
}

std::uint64_t room_for(const GresRequest& request, const GresWish& wish, const Free& node,
                       std::uint32_t cpus, const PlacementRules& rules) {
  GivableGres givable(*node.gres);
  std::uint64_t room = gres_free(*givable, wish.name, wish.type, request.many_per_shared);
  if (wish.name == "gpu" && request.cpus_per_gpu)
    room = std::min<std::uint64_t>(room, cpus / request.cpus_per_gpu);
  if (wish.name == "gpu" && request.memory_per_gpu_mb && rules.memory_counts)
    room = std::min(room, node.memory_mb / request.memory_per_gpu_mb);
  return std::min(room, wish.count);
}

// For each node the parts of the wishes for the whole job, wish by wish; empty if it is too little.
std::vector<std::vector<std::uint64_t>> job_amounts(const GresRequest& request,
                                                    const std::vector<Candidate>& chosen,
                                                    const PlacementRules& rules) {
  std::vector<std::vector<std::uint64_t>> by_node(chosen.size());
  for (const GresWish& wish : request.wishes) {
    std::vector<std::uint64_t> parts(chosen.size(), 0);
    if (wish.per == GresPer::Job) {
      std::vector<std::uint64_t> rooms;
      for (const Candidate& one : chosen)
        rooms.push_back(room_for(request, wish, one.free, one.free.cpus, rules));
      parts = deal_out(wish.count, rooms);
      if (parts.empty()) return {};
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) by_node[i].push_back(parts[i]);
  }
  return by_node;
}

}  // namespace

const GresRequest* gres_request(const JobSpec& spec) {
  const Ref<GresRequest>& request = spec.extras->specials->gres;
  return request && !request->wishes.empty() ? &*request : nullptr;
}

std::uint32_t gres_capacity(const JobSpec& spec, const Free& node, std::uint32_t tasks,
                            std::uint32_t cpus, const PlacementRules& rules) {
  const GresRequest& request = *gres_request(spec);
  GresDeal deal = deal_for(spec, request, tasks);
  deal.tasks = gres_tasks(request, *GivableGres(*node.gres), deal);
  bool plain = !request.cpus_per_gpu && !request.memory_per_gpu_mb && !request.enforce_binding;
  if (plain) return static_cast<std::uint32_t>(deal.tasks);
  bool by_task = std::ranges::any_of(
      request.wishes, [](const GresWish& wish) { return wish.per == GresPer::Task; });
  while (deal.tasks > 0 && !fits(spec, request, node, deal, cpus, rules))
    deal.tasks = by_task || request.enforce_binding ? deal.tasks - 1 : 0;
  return static_cast<std::uint32_t>(deal.tasks);
}

std::uint64_t gres_room(const GresRequest& request, const Free& node, std::uint32_t cpus,
                        const PlacementRules& rules) {
  std::uint64_t sum = 0;
  for (const GresWish& wish : request.wishes)
    if (wish.per == GresPer::Job) sum += room_for(request, wish, node, cpus, rules);
  return sum;
}

std::uint64_t gres_total(const GresRequest& request) {
  std::uint64_t sum = 0;
  for (const GresWish& wish : request.wishes)
    if (wish.per == GresPer::Job) sum += std::min<std::uint64_t>(wish.count, UINT32_MAX);
  return sum;
}

bool has_several_totals(const GresRequest& request) {
  return std::ranges::count(request.wishes, GresPer::Job, &GresWish::per) > 1;
}

bool add_gres(const JobSpec& spec, const std::vector<Candidate>& chosen,
              const std::vector<std::uint32_t>& tasks, const PlacementRules& rules,
              Allocation& allocation) {
  const GresRequest* request = gres_request(spec);
  bool whole = spec.exclusive || rules.whole_nodes;
  if (!request && !whole) return true;
  GresShares all;
  std::vector<std::vector<std::uint64_t>> amounts;
  if (request) amounts = job_amounts(*request, chosen, rules);
  if (request && amounts.empty()) return false;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Free& free = chosen[i].free;
    NodeShare& share = allocation.nodes[i];
    GresShares here;
    if (request) {
      GresDeal deal = deal_for(spec, *request, tasks[i]);
      deal.job_amounts = amounts[i];
      std::uint64_t gpus = gpus_of(*request, deal);
      auto for_gpus = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(gpus * request->cpus_per_gpu, 0xffffffff));
      if (!whole) for_gpus = whole_units_for(for_gpus, rules.unit, free.shape);
      share.cpus = std::max(share.cpus, for_gpus);
      if (rules.memory_counts && request->memory_per_gpu_mb)
        share.memory_mb = gpus * request->memory_per_gpu_mb;
      GresKinds kinds = givable_gres(*free.gres);
      auto taken = take_gres(*request, kinds, deal, free.node);
      bool enough = taken && share.cpus <= free.cpus && share.memory_mb <= free.memory_mb;
      if (!enough || !binding_allows(*request, free, *taken, whole ? 0 : share.cpus)) return false;
      here = std::move(*taken);
    }
    if (whole && free.gres) {
      GresKinds kinds = *free.gres;
      for (const GresShare& one : here) hold_gres(kinds, one);
      kinds = givable_gres(kinds);  // a GPU of which it has parts is not free as a whole
      for (GresShare& one : take_all_gres(kinds, free.node)) {
        auto known = std::ranges::find_if(here, [&](const GresShare& other) {
          return other.name == one.name && other.type == one.type;
        });
        if (known == here.end()) {
          here.push_back(std::move(one));
          continue;
        }
        known->count += one.count;
        known->devices.insert(known->devices.end(), one.devices.begin(), one.devices.end());
        std::ranges::sort(known->devices);
      }
    }
    all.insert(all.end(), std::make_move_iterator(here.begin()),
               std::make_move_iterator(here.end()));
  }
  if (!all.empty()) allocation.gres = Ref(std::move(all));
  return true;
}

void hold_gres(const Allocation& allocation, Free& free) {
  if (!allocation.gres || !free.gres) return;
  GresKinds kinds = *free.gres;
  for (const GresShare& share : *allocation.gres)
    if (share.node == free.node) hold_gres(kinds, share);
  free.gres = Ref(std::move(kinds));
}

void release_gres(const Allocation& allocation, Free& free) {
  if (!allocation.gres || !free.gres) return;
  GresKinds kinds = *free.gres;
  for (const GresShare& share : *allocation.gres)
    if (share.node == free.node) release_gres(kinds, share);
  free.gres = Ref(std::move(kinds));
}

bool still_has_gres(const Node& node, const Allocation& allocation) {
  return !allocation.gres || has_gres(*GivableGres(*node.gres), *allocation.gres, node.id);
}

bool still_has_gres(const Free& free, const Allocation& allocation) {
  return !allocation.gres || has_gres(*GivableGres(*free.gres), *allocation.gres, free.node);
}

Ref<GresKinds> unused_gres(const Node& node) {
  if (!node.gres) return {};
  GresKinds kinds = *node.gres;
  for (GresKind& kind : kinds) {
    kind.used = 0;
    for (GresDevice& device : kind.devices) device.used = 0;
  }
  return Ref(std::move(kinds));
}

}  // namespace ym
