// SPDX-License-Identifier: Apache-2.0
// What must hold for every plan, on random states, thousands of them in a run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "schedule/pass.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr std::uint32_t kCpus = 4;
constexpr std::uint64_t kMemory = 1000;

// A cluster made of events, with a planner that sees each.
class World {
 public:
  World(std::uint32_t nodes, std::uint32_t cpus, const Policy& policy)
      : planner({.memory_counts = true}) {
    planner.set_policy(policy);
    NodesDefined defined;
    std::vector<NodeId> ids;
    for (std::uint32_t i = 1; i <= nodes; ++i) {
      NodeSpec spec{.name = fmt::format("n{}", i), .cpus = cpus, .memory_mb = kMemory};
      defined.nodes.push_back({{i}, Ref(spec)});
      ids.push_back({i});
    }
    happen(defined);
    for (NodeId id : ids) {
      happen(NodeRegistered{.node = id, .registration = Ref(NodeRegistration{.cpus = cpus})});
      happen(NodeStateChanged{.node = id, .condition = NodeCondition::Up});
    }
    PartitionSpec partition{.name = "p", .is_default = true};
    happen(PartitionDefined{.partition = {1}, .spec = Ref(partition), .nodes = Ref(ids)});
  }
  void happen(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = now, .body = std::move(body)};
    apply(state, event);
    planner.observe(event, state);
  }
  JobId submit(JobSpec spec) {
    spec.partitions = "p";
    JobId id{state.next_job_id};
    happen(JobSubmitted{.job = id,
                        .sluid = {id.value},
                        .spec = Ref(std::move(spec)),
                        .priority = automatic_priority(id, 0)});
    return id;
  }
  Plan plan(PlanBudget::Depth depth = PlanBudget::Depth::Full) {
    return planner.plan(state, now, {.depth = depth});
  }
  Plan plan_until_pause(int jobs) {
    return planner.plan(state, now, {.depth = PlanBudget::Depth::Full, .pause = [jobs]() mutable {
                                       return jobs-- <= 0;
                                     }});
  }
  void start(const Proposal& proposal) {
    happen(JobStarted{.job = proposal.job,
                      .partition = proposal.partition,
                      .allocation = Ref(proposal.allocation),
                      .limit_end = proposal.end});
    running.insert(proposal.job);
  }
  void end(JobId id) {
    if (running.erase(id)) {
      happen(JobFinished{.job = id, .state = JobState::Completed});
      std::vector<NodeId> left = state.find(id)->nodes_left;
      for (NodeId node : left) happen(JobNodeReleased{.job = id, .node = node});
    } else {
      happen(JobFinished{.job = id, .state = JobState::Cancelled});
    }
    happen(JobForgotten{.job = id});
  }

  State state;
  Planner planner;
  Instant now{1'000'000};
  std::set<JobId> running;
};

JobSpec random_spec(Prng& prng, std::uint32_t nodes) {
  JobSpec spec;
  spec.min_nodes = static_cast<std::uint32_t>(prng.between(1, std::min(3u, nodes)));
  spec.tasks = static_cast<std::uint32_t>(prng.between(spec.min_nodes, nodes * kCpus / 2));
  spec.time_limit_s = static_cast<std::uint32_t>(prng.between(1, 40)) * 30;
  if (prng.chance(1, 4)) spec.max_nodes = spec.min_nodes + 1;
  if (prng.chance(1, 3)) spec.memory_per_cpu_mb = static_cast<std::uint64_t>(prng.between(1, 300));
  spec.exclusive = prng.chance(1, 8);
  if (prng.chance(1, 10)) spec.time_min_s = spec.time_limit_s / 2;
  return spec;
}

// Some time in the life of a cluster: jobs come, run, end early or in time and are cancelled.
World random_world(Prng& prng, const Policy& policy, PlanBudget::Depth depth) {
  auto nodes = static_cast<std::uint32_t>(prng.between(2, 6));
  World world(nodes, kCpus, policy);
  for (int round = 0; round < 6; ++round) {
    for (std::int64_t i = prng.between(0, 4); i > 0; --i) world.submit(random_spec(prng, nodes));
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
};
using Stays = std::map<NodeId, std::vector<Stay>>;

void add(Stays& stays, const Allocation& allocation, const JobSpec& spec, Instant from,
         Instant to) {
  for (const NodeShare& share : allocation.nodes)
    stays[share.node].push_back({from, to, share.cpus, share.memory_mb, spec.exclusive});
}

bool has_room_for_all(const Stays& all) {
  for (const auto& [node, stays] : all)
    for (const Stay& at : stays) {
      std::uint64_t cpus = 0, memory = 0, together = 0;
      bool alone = false;
      for (const Stay& one : stays) {
        if (one.from > at.from || one.to <= at.from) continue;
        cpus += one.cpus;
        memory += one.memory_mb;
        ++together;
        alone = alone || one.alone;
      }
      if (cpus > kCpus || memory > kMemory || (alone && together > 1)) return false;
    }
  return true;
}

Stays stays_of(const World& world, const Plan& plan) {
  Stays all;
  for (JobId id : world.running) {
    const Job& job = *world.state.find(id);
    add(all, *job.allocation, *job.spec, world.now, job.limit_end);
  }
  for (const Proposal& start : plan.starts)
    add(all, start.allocation, *world.state.find(start.job)->spec, world.now, start.end);
  for (const Booking& booking : plan.booked)
    add(all, booking.allocation, *world.state.find(booking.job)->spec, booking.start, booking.end);
  return all;
}

std::map<JobId, Instant> starts_of(const Plan& plan, Instant now) {
  std::map<JobId, Instant> out;
  for (const Proposal& start : plan.starts) out[start.job] = now;
  for (const Booking& booking : plan.booked) out[booking.job] = booking.start;
  return out;
}

constexpr int kSeeds = 400;

TEST(Properties, NothingIsGivenOrPromisedTwiceAndNoLimitIsBroken) {
  for (const Policy* policy : policies())
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed);
      World world = random_world(prng, *policy, PlanBudget::Depth::Full);
      Plan plan = world.plan();
      std::string what = fmt::format("{} seed {}", policy->name, seed);
      EXPECT_TRUE(has_room_for_all(stays_of(world, plan))) << what;
      std::set<JobId> seen;
      for (const Proposal& start : plan.starts) {
        const JobSpec& spec = *world.state.find(start.job)->spec;
        EXPECT_TRUE(seen.insert(start.job).second) << what;
        EXPECT_TRUE(still_fits(world.state, spec, start.allocation, {.memory_counts = true}));
        EXPECT_GE(start.allocation.nodes.size(), spec.min_nodes) << what;
        if (spec.max_nodes) EXPECT_LE(start.allocation.nodes.size(), spec.max_nodes) << what;
        EXPECT_GE(start.allocation.cpus(), spec.tasks) << what;
      }
    }
}

// A quick pass sees only what changed, yet nothing that was promised is given away.
TEST(Properties, QuickPassesKeepWhatWasPromised) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    World world = random_world(prng, kBackfill, PlanBudget::Depth::Quick);
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
    for (const Booking& booking : quick.booked)
      if (promised.contains(booking.job)) EXPECT_LE(booking.start, promised[booking.job]) << seed;
  }
}

// The parts of a full pass that makes a pause after so many jobs. Starts are made at once.
std::vector<Plan> plan_in_parts(World& world, int jobs_at_once) {
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
      World at_once = random_world(prng, *policy, PlanBudget::Depth::Full);
      World paused = random_world(other, *policy, PlanBudget::Depth::Full);
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
    World world = random_world(prng, kBackfill, PlanBudget::Depth::Full);
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
      World without = random_world(prng, *policy, PlanBudget::Depth::Full);
      World with = random_world(other, *policy, PlanBudget::Depth::Full);
      JobSpec spec = random_spec(prng, 2);
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
    World world = random_world(prng, kConservative, PlanBudget::Depth::Full);
    Plan plan = world.plan();
    for (const Proposal& start : plan.starts) world.start(start);
    if (plan.booked.empty()) continue;
    std::map<JobId, Instant> before = starts_of(plan, world.now);
    JobId gone = plan.booked[prng.below(plan.booked.size())].job;
    world.end(gone);
    for (const auto& [job, start] : starts_of(world.plan(), world.now))
      if (before.contains(job)) EXPECT_LE(start, before[job]) << "seed " << seed;
  }
}

TEST(Properties, TheSameStateGivesTheSamePlanAlsoToAPlannerThatStartsAnew) {
  for (const Policy* policy : policies()) {
    if (policy->keeps_promises) continue;  // what it promised before counts, too
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed);
      World world = random_world(prng, *policy, PlanBudget::Depth::Full);
      Planner fresh({.memory_counts = true});
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
  World world(one_node ? 1 : kProcessors, one_node ? kProcessors : 1, policy);
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

}  // namespace
}  // namespace ym
