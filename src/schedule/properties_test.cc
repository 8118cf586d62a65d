// SPDX-License-Identifier: Apache-2.0
// What must hold for every plan, on random states, thousands of them in a run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/format.h"
#include "base/prng.h"
#include "model/gres_request.h"
#include "schedule/outlook.h"
#include "schedule/pass.h"
#include "schedule/world_for_test.h"

namespace ym {
namespace {

constexpr std::uint32_t kCpus = 4, kGpus = 2, kSharers = 2;
constexpr std::uint64_t kMemory = World::kMemory;

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
};
constexpr Kind kKinds[] = {{},
                           {.blocks = true},
                           {.blocks = true, .alone = true},
                           {.gpus = true},
                           {.reservation = true},
                           {.licenses = true},
                           {.threads = true},
                           {.het = true},
                           {.forced = true},
                           {.asked = true},
                           {.gpus = true, .reservation = true, .threads = true, .forced = true},
                           {.blocks = true,
                            .alone = true,
                            .gpus = true,
                            .reservation = true,
                            .licenses = true,
                            .threads = true,
                            .het = true}};
const std::map<std::string, std::uint32_t> kLicenses = {{"m", 4}, {"k", 2}};

Topologies blocks_of_two(std::uint32_t nodes) {
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

World::Machine machine_of(const Kind& kind, std::uint32_t nodes, std::uint32_t cpus) {
  World::Machine machine{.nodes = nodes, .cpus = cpus, .gpus = kind.gpus ? kGpus : 0};
  if (kind.threads) machine.threads = 2;
  machine.rules.memory_counts = true;
  if (kind.blocks) machine.rules.topologies = Ref(blocks_of_two(nodes));
  return machine;
}

std::vector<PartitionSpec> partition_of(const Kind& kind) {
  PartitionSpec spec{.name = "p", .is_default = true};
  if (kind.forced) spec.oversubscribe = fmt::format("FORCE:{}", kSharers);
  if (kind.asked) spec.oversubscribe = fmt::format("YES:{}", kSharers);
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
    World::start(proposal);
    running.insert(proposal.job);
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

JobSpec random_spec(Prng& prng, std::uint32_t nodes, const Kind& kind = {}) {
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
Town random_world(Prng& prng, const Policy& policy, PlanBudget::Depth depth,
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

void add(Stays& stays, const Allocation& allocation, const JobSpec& spec, Instant from,
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
bool has_room_in_rows(const std::map<std::uint32_t, std::uint64_t>& cpus_by_row) {
  bool some_own = cpus_by_row.contains(0);
  for (const auto& [row, cpus] : cpus_by_row)
    if (cpus > kCpus || row > kSharers || (some_own && row > 0)) return false;
  return true;
}

bool has_room_for_all(const Stays& all) {
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

Stays stays_of(const Town& world, const Plan& plan) {
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

std::map<JobId, Instant> starts_of(const Plan& plan, Instant now) {
  std::map<JobId, Instant> out;
  for (const Proposal& start : plan.starts) {
    out[start.job] = now;
    for (const Proposal& other : start.others) out[other.job] = now;
  }
  for (const Booking& booking : plan.booked) out[booking.job] = booking.start;
  return out;
}

constexpr int kSeeds = 400;

// Everything that a plan gives or promises, and to whom.
struct Given {
  const JobSpec* spec;
  const Allocation* allocation;
  Instant from, to;
};
std::vector<Given> given_by(const Town& world, const Plan& plan) {
  std::vector<Given> all;
  auto spec = [&](JobId id) { return &*world.state.find(id)->spec; };
  for (const Proposal& one : plan.starts) {
    all.push_back({spec(one.job), &one.allocation, world.now, one.end});
    for (const Proposal& other : one.others)
      all.push_back({spec(other.job), &other.allocation, world.now, other.end});
  }
  for (const Booking& one : plan.booked)
    all.push_back({spec(one.job), &one.allocation, one.start, one.end});
  return all;
}

// Nobody shares a core, nobody is on the reserved node during the reservation, nobody beside one
// who has his block for himself, and nobody in two blocks who fits in one.
void expect_rules_kept(const Town& world, const Plan& plan, const std::string& what) {
  std::vector<Given> all = given_by(world, plan);
  PlacementRules home = rules_in(*world.state.find(PartitionId{1})->spec, world.rules);
  for (const Given& one : all)
    for (const NodeShare& share : one.allocation->nodes) {
      if (world.kind.threads) EXPECT_EQ(share.cpus % 2, 0u) << what;
      EXPECT_EQ(share.row > 0, rows_for(*one.spec, home) > 0) << what;
      if (!one.spec->exclusive)
        EXPECT_EQ(share.memory_mb, one.spec->memory_per_cpu_mb * share.cpus) << what;
    }
  world.state.reservations.for_each([&](std::uint64_t, const Reservation& kept) {
    for (const Given& one : all)
      for (const NodeShare& share : one.allocation->nodes)
        if (kept.find(share.node))
          EXPECT_TRUE(one.to <= kept.start || one.from >= kept.end) << what;
  });
  if (!world.kind.blocks) return;
  const NodeGroups& groups = *world.rules.topologies->at("");
  auto blocks = [&](const Allocation& allocation) {
    std::set<std::uint32_t> leaves;
    for (const NodeShare& share : allocation.nodes) leaves.insert(groups.leaf_of(share.node));
    return leaves;
  };
  for (JobId id : world.running) {
    const Job& job = *world.state.find(id);
    all.push_back({&*job.spec, &*job.allocation, world.now, job.limit_end});
  }
  for (const Given& one : all) {
    std::set<std::uint32_t> own = blocks(*one.allocation);
    // Whoever asked for more nodes than a block has took several.
    if (one.spec->min_nodes <= 2 && one.allocation->nodes.size() <= 2)
      EXPECT_EQ(own.size(), 1u) << what;
    if (!one.allocation->topo_alone) continue;
    for (const Given& other : all) {
      bool meet = other.from < one.to && one.from < other.to;
      if (other.allocation == one.allocation || !meet) continue;
      for (std::uint32_t leaf : blocks(*other.allocation)) EXPECT_FALSE(own.contains(leaf)) << what;
    }
  }
}

// Of each licence no more is given and promised than there is, beside what the reservation keeps.
void expect_licenses_suffice(const Town& world, const Plan& plan, const std::string& what) {
  std::vector<Given> all = given_by(world, plan);
  for (JobId id : world.running) {
    const Job& job = *world.state.find(id);
    all.push_back({&*job.spec, &*job.allocation, world.now, job.limit_end});
  }
  for (const Given& at : all) {
    std::map<std::string, std::uint64_t> held;
    for (const Given& one : all) {
      EXPECT_EQ(one.allocation->licenses, one.spec->extras->licenses) << what;
      if (one.from > at.from || one.to <= at.from) continue;
      auto list = LicenseList::parse(one.allocation->licenses);
      ASSERT_TRUE(list) << what;
      for (const LicenseList::Term& term : list->terms) held[term.name] += term.count;
    }
    world.state.reservations.for_each([&](std::uint64_t, const Reservation& kept) {
      if (kept.licenses.empty() || kept.start > at.from || kept.end <= at.from) return;
      for (const auto& [name, total] : kLicenses) ++held[name];
    });
    for (const auto& [name, count] : held) EXPECT_LE(count, kLicenses.at(name)) << what;
  }
}

TEST(Properties, NothingIsGivenOrPromisedTwiceAndNoLimitIsBroken) {
  for (const Policy* policy : policies())
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed);
      const Kind& kind = kKinds[seed % std::size(kKinds)];
      Town world = random_world(prng, *policy, PlanBudget::Depth::Full, kind);
      Plan plan = world.plan();
      std::string what = fmt::format("{} seed {}", policy->name, seed);
      EXPECT_TRUE(has_room_for_all(stays_of(world, plan))) << what;
      expect_rules_kept(world, plan, what);
      expect_licenses_suffice(world, plan, what);
      std::set<JobId> seen;
      for (const Proposal& start : plan.starts) {
        const JobSpec& spec = *world.state.find(start.job)->spec;
        PlacementRules rules = rules_in(*world.state.find(start.partition)->spec, world.rules);
        EXPECT_TRUE(seen.insert(start.job).second) << what;
        EXPECT_TRUE(still_fits(world.state, spec, start.allocation, rules)) << what;
        EXPECT_GE(start.allocation.nodes.size(), spec.min_nodes) << what;
        if (spec.max_nodes) EXPECT_LE(start.allocation.nodes.size(), spec.max_nodes) << what;
        EXPECT_GE(start.allocation.cpus(), spec.tasks) << what;
      }
    }
}

TEST(Properties, ThoseWhoMayShareCpusDo) {
  std::size_t shared = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    Town world = random_world(prng, kBackfill, PlanBudget::Depth::Full, {.forced = true});
    for (const Proposal& start : world.plan().starts) world.start(start);
    world.state.nodes.for_each(
        [&](std::uint64_t, const Node& node) { shared += node.cpus_used > kCpus; });
  }
  EXPECT_GT(shared, kSeeds) << "hardly a node has jobs that share";
}

// A quick pass sees only what changed, yet nothing that was promised is given away.
TEST(Properties, QuickPassesKeepWhatWasPromised) {
  constexpr Kind kQuick[] = {
      {}, {.gpus = true}, {.licenses = true}, {.threads = true}, {.forced = true}, {.asked = true}};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    Town world =
        random_world(prng, kBackfill, PlanBudget::Depth::Quick, kQuick[seed % std::size(kQuick)]);
    Plan full = world.plan();
    for (const Proposal& start : full.starts) world.start(start);
    std::vector<JobId> over(world.running.begin(), world.running.end());
    if (!over.empty()) world.end(over[prng.below(over.size())]);
    Plan quick = world.plan(PlanBudget::Depth::Quick);
    EXPECT_TRUE(quick.quick);
    std::map<JobId, Instant> promised = starts_of(full, world.now);
    Plan both = quick;
    std::set<JobId> moved;
    for (const Proposal& start : quick.starts) moved.insert(start.job);
    for (const Booking& booking : quick.booked) moved.insert(booking.job);
    for (const Booking& booking : full.booked)
      if (!moved.contains(booking.job)) both.booked.push_back(booking);
    EXPECT_TRUE(has_room_for_all(stays_of(world, both))) << "seed " << seed;
    expect_licenses_suffice(world, both, fmt::format("seed {}", seed));
    for (const Booking& booking : quick.booked)
      if (promised.contains(booking.job)) EXPECT_LE(booking.start, promised[booking.job]) << seed;
  }
}

// The parts of a full pass that makes a pause after so many jobs. Starts are made at once.
std::vector<Plan> plan_in_parts(Town& world, int jobs_at_once) {
  std::vector<Plan> parts;
  do {
    parts.push_back(world.plan_until_pause(jobs_at_once));
    for (const Proposal& start : parts.back().starts) world.start(start);
  } while (parts.back().unfinished);
  return parts;
}

TEST(Properties, AFullPassThatMakesPausesPromisesWhatOneWithoutDoes) {
  std::size_t in_parts = 0;
  for (const Policy* policy : policies()) {
    if (policy->arrange) continue;  // it looks at what runs meanwhile
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed), other(seed);
      Town at_once = random_world(prng, *policy, PlanBudget::Depth::Full);
      Town paused = random_world(other, *policy, PlanBudget::Depth::Full);
      std::map<JobId, Instant> alone = starts_of(at_once.plan(), at_once.now), together;
      std::vector<Plan> parts = plan_in_parts(paused, static_cast<int>(prng.between(1, 3)));
      for (const Plan& part : parts) together.merge(starts_of(part, paused.now));
      EXPECT_EQ(alone, together) << policy->name << " seed " << seed;
      in_parts += parts.size() > 1;
    }
  }
  EXPECT_GT(in_parts, kSeeds) << "hardly a pass made a pause";
}

// Neither what the full pass has promised nor what its predecessor has promised to those whom it
// has not reached.
TEST(Properties, QuickPassesWithinAFullOneKeepWhatWasPromised) {
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    Town world = random_world(prng, kBackfill, PlanBudget::Depth::Full);
    Plan former = world.plan();
    for (const Proposal& start : former.starts) world.start(start);
    Plan part = world.plan_until_pause(1);
    for (const Proposal& start : part.starts) world.start(start);
    std::vector<JobId> over(world.running.begin(), world.running.end());
    if (!part.unfinished || over.empty()) continue;
    world.end(over[prng.below(over.size())]);
    world.submit(random_spec(prng, 2));
    std::set<JobId> reached;
    for (const Booking& booking : part.booked) reached.insert(booking.job);
    for (const Proposal& start : part.starts) reached.insert(start.job);
    std::erase_if(former.booked, [&](const Booking& one) { return reached.contains(one.job); });
    former.starts.clear();
    part.starts.clear();
    bool had_room = has_room_for_all(stays_of(world, former));
    Plan quick = world.plan(PlanBudget::Depth::Quick);
    EXPECT_TRUE(quick.quick);
    EXPECT_TRUE(world.planner.is_unfinished());
    std::set<JobId> started;
    for (const Proposal& start : quick.starts) started.insert(start.job);
    for (Plan* promises : {&part, &former}) {
      std::erase_if(promises->booked,
                    [&](const Booking& one) { return started.contains(one.job); });
      promises->starts = quick.starts;
      if (promises == &part || had_room)
        EXPECT_TRUE(has_room_for_all(stays_of(world, *promises))) << "seed " << seed;
    }
    tried += !quick.starts.empty();
  }
  EXPECT_GT(tried, 20u) << "hardly a quick pass started anything";
}

TEST(Properties, AJobOfLowerPriorityNeverDelaysAnyPlannedStart) {
  for (const Policy* policy : {&kBackfill, &kConservative})
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed), other(seed);
      const Kind& kind = kKinds[seed % std::size(kKinds)];
      Town without = random_world(prng, *policy, PlanBudget::Depth::Full, kind);
      Town with = random_world(other, *policy, PlanBudget::Depth::Full, kind);
      JobSpec spec = random_spec(prng, 2, kind);
      JobId last = with.submit(spec);
      std::map<JobId, Instant> alone = starts_of(without.plan(), without.now);
      std::map<JobId, Instant> beside = starts_of(with.plan(), with.now);
      beside.erase(last);
      EXPECT_EQ(alone, beside) << policy->name << " seed " << seed;
    }
}

TEST(Properties, RemovingAJobNeverDelaysWhatOthersWerePromised) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    const Kind& kind = kKinds[seed % std::size(kKinds)];
    Town world = random_world(prng, kConservative, PlanBudget::Depth::Full, kind);
    Plan plan = world.plan();
    for (const Proposal& start : plan.starts) world.start(start);
    if (plan.booked.empty()) continue;
    std::map<JobId, Instant> before = starts_of(plan, world.now);
    JobId gone = plan.booked[prng.below(plan.booked.size())].job;
    if (!world.running.empty() && prng.chance(1, 3))
      gone = *std::next(world.running.begin(),
                        static_cast<std::ptrdiff_t>(prng.below(world.running.size())));
    std::vector<JobId> parts;
    for (const Job* one : components_of(world.state, *world.state.find(gone)))
      parts.push_back(one->id);
    for (JobId part : parts) world.end(part);
    for (const auto& [job, start] : starts_of(world.plan(), world.now))
      if (before.contains(job)) EXPECT_LE(start, before[job]) << "seed " << seed;
  }
}

TEST(Properties, TheSameHistoryGivesTheSamePlan) {
  for (const Policy* policy : policies())
    for (std::uint64_t seed = 1; seed <= kSeeds / 4; ++seed) {
      Prng prng(seed), again(seed);
      const Kind& kind = kKinds[seed % std::size(kKinds)];
      Town one = random_world(prng, *policy, PlanBudget::Depth::Full, kind);
      Town two = random_world(again, *policy, PlanBudget::Depth::Full, kind);
      EXPECT_EQ(starts_of(one.plan(), one.now), starts_of(two.plan(), two.now))
          << policy->name << " seed " << seed;
    }
}

TEST(Properties, TheSameStateGivesTheSamePlanAlsoToAPlannerThatStartsAnew) {
  for (const Policy* policy : policies()) {
    // What it promised before counts, or what it has learnt of jobs that are over.
    if (policy->keeps_promises || policy->arrange) continue;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed);
      const Kind& kind = kKinds[seed % std::size(kKinds)];
      Town world = random_world(prng, *policy, PlanBudget::Depth::Full, kind);
      Planner fresh(world.rules);
      fresh.set_policy(*policy);
      fresh.rebuild(world.state);
      Plan one = world.plan(), two = fresh.plan(world.state, world.now, {});
      EXPECT_EQ(starts_of(one, world.now), starts_of(two, world.now)) << policy->name << seed;
      EXPECT_EQ(stays_of(world, one).size(), stays_of(world, two).size());
    }
  }
}

// When jobs of so many processors start, on one node that has all or on nodes of one each.
std::map<JobId, Instant> history(std::uint64_t seed, const Policy& policy, bool one_node) {
  constexpr std::uint32_t kProcessors = 16;
  Prng prng(seed);
  Town world({}, one_node ? 1 : kProcessors, one_node ? kProcessors : 1, policy);
  std::map<JobId, Instant> started, ends;
  for (int round = 0; round < 60; ++round) {
    world.now = world.now + std::chrono::seconds(prng.between(1, 60));
    std::vector<JobId> over;
    for (const auto& [id, end] : ends)
      if (end <= world.now) over.push_back(id);
    for (JobId id : over) {
      world.end(id);
      ends.erase(id);
    }
    for (std::int64_t i = prng.between(0, 2); i > 0; --i)
      world.submit({.tasks = static_cast<std::uint32_t>(prng.between(1, kProcessors)),
                    .time_limit_s = static_cast<std::uint32_t>(prng.between(1, 300))});
    for (const Proposal& start : world.plan().starts) {
      world.start(start);
      started[start.job] = world.now;
      // By the job's number, so that both clusters see the same jobs.
      std::int64_t percent = 20 + start.job.value * 37 % 81;
      ends[start.job] = world.now + Duration((start.end - world.now).count() * percent / 100);
    }
  }
  return started;
}

TEST(Properties, ProcessorsAreCountedAlikeOnOneNodeAndOnMany) {
  for (const Policy* policy : {&kFcfs, &kEasy, &kEasySjbf, &kLargestSlowdownFirst})
    for (std::uint64_t seed = 1; seed <= 60; ++seed)
      EXPECT_EQ(history(seed, *policy, true), history(seed, *policy, false))
          << policy->name << " seed " << seed;
}

// Whatever a pass remembers to be quick: asked anew, with nothing remembered, the answer is the
// same.
TEST(PromiseProperties, EachIsTheEarliestStartThatThoseBeforeItLeave) {
  std::size_t promises = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Prng prng(seed);
    // Where CPUs are shared blocks fill in ways that their choice does not foresee.
    Kind kind{.blocks = seed % 3 == 1,
              .gpus = seed % 3 == 2,
              .licenses = seed % 4 == 3,
              .forced = seed % 5 == 3 && seed % 3 != 1,
              .asked = seed % 5 == 4};
    Town world =
        random_world(prng, seed % 2 ? kBackfill : kBestForecast, PlanBudget::Depth::Full, kind);
    auto nodes = static_cast<std::uint32_t>(world.state.nodes.size());
    for (int i = 0; i < 12; ++i) world.submit(random_spec(prng, nodes, kind));
    Plan plan = world.plan();
    for (const Proposal& start : plan.starts) world.start(start);
    Outlook outlook(world.state, world.rules, world.now);
    for (const Booking& booking : plan.booked) {
      auto found = outlook.earliest(*world.state.find(booking.job)->spec);
      ASSERT_TRUE(found) << "seed " << seed;
      EXPECT_EQ(found->start, booking.start) << "seed " << seed << " job " << booking.job.value;
      outlook.promise(booking);
      ++promises;
    }
  }
  EXPECT_GT(promises, 4000u);
}

}  // namespace
}  // namespace ym
