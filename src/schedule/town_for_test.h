// SPDX-License-Identifier: Apache-2.0
// For tests of what must hold for every plan: clusters of many kinds in the midst of their lives.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/prng.h"
#include "model/gres_request.h"
#include "schedule/world_for_test.h"

namespace ym {

inline constexpr std::uint32_t kCpus = 4, kGpus = 2, kSharers = 2;
inline constexpr std::uint64_t kMemory = World::kMemory;

// What there is besides nodes, in some of the worlds.
struct Kind {
  bool blocks = false;       // of two nodes; a job of no more stays within one
  bool alone = false;        // and some jobs want theirs for themselves
  bool gpus = false;         // two to a node
  bool reservation = false;  // of the first node, for others
  bool licenses = false;     // of two sorts; a reservation keeps one of each
  bool threads = false;      // two to a core, which no two jobs share
  bool het = false;          // some jobs have two components, which start together
  bool forced = false;       // to share: each CPU is for two jobs at once
  bool asked = false;        // likewise, for those who ask for it
  bool owners = false;       // of two users; some want no others on their nodes
  bool tiers = false;        // three partitions of two tiers; most jobs name several
};
inline constexpr Kind kKinds[] = {
    {},
    {.blocks = true},
    {.blocks = true, .alone = true},
    {.gpus = true},
    {.reservation = true},
    {.licenses = true},
    {.threads = true},
    {.het = true},
    {.forced = true},
    {.asked = true},
    {.owners = true},
    {.gpus = true, .reservation = true, .threads = true, .forced = true},
    {.blocks = true,
     .alone = true,
     .gpus = true,
     .reservation = true,
     .licenses = true,
     .threads = true,
     .het = true}};
const std::map<std::string, std::uint32_t> kLicenses = {{"m", 4}, {"k", 2}};

inline Topologies blocks_of_two(std::uint32_t nodes) {
  NodeGroups groups{.kind = TopologyKind::Block};
  groups.leaf.resize(nodes + 1, NodeGroups::kNone);
  for (std::uint32_t i = 1; i <= nodes; ++i) {
    std::uint32_t leaf = (i - 1) / 2;
    if (leaf == groups.groups.size()) {
      groups.groups.push_back({.name = fmt::format("b{}", leaf)});
      groups.members.emplace_back();
    }
    groups.leaf[i] = leaf;
    ++groups.groups[leaf].nodes;
    groups.members[leaf].push_back({i});
  }
  auto all = static_cast<std::uint32_t>(groups.groups.size());
  for (NodeGroups::Group& one : groups.groups) one.parent = all;
  groups.groups.push_back({.name = "all", .level = 1, .nodes = nodes});
  groups.members.emplace_back();
  return {{"", Ref(std::move(groups))}};
}

inline World::Machine machine_of(const Kind& kind, std::uint32_t nodes, std::uint32_t cpus) {
  World::Machine machine{.nodes = nodes, .cpus = cpus, .gpus = kind.gpus ? kGpus : 0};
  if (kind.threads) machine.threads = 2;
  machine.rules.memory_counts = true;
  if (kind.blocks) machine.rules.topologies = Ref(blocks_of_two(nodes));
  return machine;
}

inline std::vector<PartitionSpec> partition_of(const Kind& kind) {
  PartitionSpec spec{.name = "p", .is_default = true};
  if (kind.forced) spec.oversubscribe = fmt::format("FORCE:{}", kSharers);
  if (kind.asked) spec.oversubscribe = fmt::format("YES:{}", kSharers);
  if (kind.tiers)
    return {spec, {.name = "high", .priority_tier = 2}, {.name = "also", .priority_job_factor = 3}};
  return {spec};
}

// A cluster whose jobs come, run and end.
class Town : public World {
 public:
  Town(const Kind& kind_, std::uint32_t nodes, std::uint32_t cpus, const Policy& policy)
      : World(machine_of(kind_, nodes, cpus), partition_of(kind_)), kind(kind_) {
    rules = machine_of(kind, nodes, cpus).rules;
    planner.set_policy(policy);
    if (kind.licenses) {
      LicensesDefined defined;
      for (const auto& [name, total] : kLicenses)
        defined.licenses.push_back({.name = name, .total = total});
      happen(defined);
    }
    if (!kind.reservation) return;
    Reservation one{.id = {1}, .name = "theirs", .users = "somebody"};
    one.start = now + std::chrono::seconds(600);
    one.end = now + std::chrono::seconds(1200);
    one.nodes = {{.node = {1}}};
    if (kind.licenses) one.licenses = "k:1,m:1";
    happen(ReservationDefined{.reservation = one});
  }
  Plan plan(PlanBudget::Depth depth = PlanBudget::Depth::Full) {
    return World::plan({.depth = depth});
  }
  Plan plan_until_pause(int jobs) {
    return planner.plan(state, now, {.depth = PlanBudget::Depth::Full, .pause = [jobs]() mutable {
                                       return jobs-- <= 0;
                                     }});
  }
  void start(const Proposal& proposal) {
    bool splits =
        proposal.array_task != kNoTask && state.find(proposal.job)->array->waiting.count() > 1;
    running.insert(splits ? JobId{state.next_job_id} : proposal.job);
    World::start(proposal);
    for (const Proposal& other : proposal.others) running.insert(other.job);
  }
  void end(JobId id) {
    World::end(id, running.erase(id) ? JobState::Completed : JobState::Cancelled);
    happen(JobForgotten{.job = id});
  }

  Kind kind;
  PlacementRules rules;
  std::set<JobId> running;
};

inline JobSpec random_spec(Prng& prng, std::uint32_t nodes, const Kind& kind = {}) {
  JobSpec spec;
  spec.min_nodes = static_cast<std::uint32_t>(prng.between(1, std::min(3u, nodes)));
  spec.tasks = static_cast<std::uint32_t>(prng.between(spec.min_nodes, nodes * kCpus / 2));
  spec.time_limit_s = static_cast<std::uint32_t>(prng.between(1, 40)) * 30;
  if (prng.chance(1, 4)) spec.max_nodes = spec.min_nodes + 1;
  if (prng.chance(1, 3)) spec.memory_per_cpu_mb = static_cast<std::uint64_t>(prng.between(1, 300));
  spec.exclusive = prng.chance(1, 8);
  if (prng.chance(1, 10)) spec.time_min_s = spec.time_limit_s / 2;
  if (kind.asked) spec.oversubscribe = prng.chance(2, 3);
  JobSpecials specials;
  if (kind.gpus && prng.chance(1, 2))
    specials.gres = Ref(*understand({.per_node = fmt::format("gpu:{}", prng.between(1, kGpus))}));
  if (kind.alone && prng.chance(1, 5)) {
    specials.exclusive_kind = kExclusiveTopo;
    spec.exclusive = true;
  }
  if (kind.owners) {
    spec.uid = {static_cast<std::uint32_t>(prng.between(1000, 1001))};
    if (prng.chance(1, 4)) specials.exclusive_kind = kExclusiveUser;
  }
  if (kind.tiers) {
    constexpr const char* kNames[] = {"p", "high", "p,high", "also,p,high", "high,also"};
    spec.partitions = kNames[prng.below(std::size(kNames))];
  }
  JobExtras extras;
  if (!(specials == JobSpecials{})) extras.specials = Ref(specials);
  if (kind.licenses && prng.chance(2, 3)) {
    extras.licenses = fmt::format("m:{}", prng.between(1, 3));
    if (prng.chance(1, 3)) extras.licenses += ",k:1";
  }
  if (!(extras == JobExtras{})) spec.extras = Ref(std::move(extras));
  return spec;
}

// Some time in the life of a cluster: jobs come, run, end early or in time and are cancelled.
inline Town random_world(Prng& prng, const Policy& policy, PlanBudget::Depth depth,
                         const Kind& kind = {}) {
  auto nodes = static_cast<std::uint32_t>(prng.between(2, 6));
  Town world(kind, nodes, kCpus, policy);
  for (int round = 0; round < 6; ++round) {
    for (std::int64_t i = prng.between(0, 4); i > 0; --i)
      if (kind.het && prng.chance(1, 3))
        world.submit_together({random_spec(prng, nodes, kind), random_spec(prng, nodes, kind)});
      else
        world.submit(random_spec(prng, nodes, kind));
    for (const Proposal& start : world.plan(depth).starts) world.start(start);
    world.now = world.now + std::chrono::seconds(prng.between(1, 200));
    std::vector<JobId> over;
    for (JobId id : world.running)
      if (world.state.find(id)->limit_end <= world.now || prng.chance(1, 6)) over.push_back(id);
    for (JobId id : over) world.end(id);
  }
  return world;
}

// Who has how much of a node from when to when; the most at once.
struct Stay {
  Instant from, to;
  std::uint32_t cpus;
  std::uint64_t memory_mb;
  bool alone;
  std::uint64_t gpus = 0;
  std::uint32_t row = 0;  // in which it shares its CPUs
};
using Stays = std::map<NodeId, std::vector<Stay>>;

inline void add(Stays& stays, const Allocation& allocation, const JobSpec& spec, Instant from,
                Instant to) {
  for (const NodeShare& share : allocation.nodes) {
    std::uint64_t gpus = 0;
    for (const GresShare& one : *allocation.gres)
      if (one.node == share.node) gpus += one.count;
    bool alone = spec.exclusive && share.row == 0;
    stays[share.node].push_back({from, to, share.cpus, share.memory_mb, alone, gpus, share.row});
  }
}

// Those in one row have different CPUs: so a CPU has no more jobs than there are rows.
inline bool has_room_in_rows(const std::map<std::uint32_t, std::uint64_t>& cpus_by_row) {
  bool some_own = cpus_by_row.contains(0);
  for (const auto& [row, cpus] : cpus_by_row)
    if (cpus > kCpus || row > kSharers || (some_own && row > 0)) return false;
  return true;
}

inline bool has_room_for_all(const Stays& all) {
  for (const auto& [node, stays] : all)
    for (const Stay& at : stays) {
      std::map<std::uint32_t, std::uint64_t> cpus;
      std::uint64_t memory = 0, together = 0, gpus = 0;
      bool alone = false;
      for (const Stay& one : stays) {
        if (one.from > at.from || one.to <= at.from) continue;
        cpus[one.row] += one.cpus;
        memory += one.memory_mb;
        gpus += one.gpus;
        ++together;
        alone = alone || one.alone;
      }
      if (!has_room_in_rows(cpus) || memory > kMemory || gpus > kGpus || (alone && together > 1))
        return false;
    }
  return true;
}

inline Stays stays_of(const Town& world, const Plan& plan) {
  Stays all;
  for (JobId id : world.running) {
    const Job& job = *world.state.find(id);
    add(all, *job.allocation, *job.spec, world.now, job.limit_end);
  }
  auto add_start = [&](const Proposal& one) {
    add(all, one.allocation, *world.state.find(one.job)->spec, world.now, one.end);
  };
  for (const Proposal& start : plan.starts) {
    add_start(start);
    std::ranges::for_each(start.others, add_start);
  }
  for (const Booking& booking : plan.booked)
    add(all, booking.allocation, *world.state.find(booking.job)->spec, booking.start, booking.end);
  return all;
}

inline std::map<JobId, Instant> starts_of(const Plan& plan, Instant now) {
  std::map<JobId, Instant> out;
  for (const Proposal& start : plan.starts) {
    out[start.job] = now;
    for (const Proposal& other : start.others) out[other.job] = now;
  }
  for (const Booking& booking : plan.booked) out[booking.job] = booking.start;
  return out;
}

inline constexpr int kSeeds = 400;

}  // namespace ym
