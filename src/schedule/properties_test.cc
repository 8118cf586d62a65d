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
#include "schedule/town_for_test.h"

namespace ym {
namespace {

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
  constexpr Kind kQuick[] = {{},
                             {.gpus = true},
                             {.licenses = true},
                             {.threads = true},
                             {.forced = true},
                             {.asked = true},
                             {.tiers = true}};
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

// It stands in several queues, and is one job still; and nobody in a queue behind all of them
// delays it in any.
TEST(Properties, AJobOfSeveralTiersStartsOnceAndHasOnePromise) {
  for (const Policy* policy : policies())
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Prng prng(seed), other(seed);
      std::string what = fmt::format("{} seed {}", policy->name, seed);
      Town world = random_world(prng, *policy, PlanBudget::Depth::Full, {.tiers = true});
      Town with = random_world(other, *policy, PlanBudget::Depth::Full, {.tiers = true});
      Plan plan = world.plan();
      EXPECT_TRUE(has_room_for_all(stays_of(world, plan))) << what;
      std::map<JobId, Instant> starts = starts_of(plan, world.now);
      EXPECT_EQ(starts.size(), plan.starts.size() + plan.booked.size()) << what;
      if (policy != &kBackfill && policy != &kConservative) continue;
      JobSpec spec = random_spec(prng, 2);
      JobId last = with.submit(spec);
      std::map<JobId, Instant> beside = starts_of(with.plan(), with.now);
      beside.erase(last);
      EXPECT_EQ(starts, beside) << what;
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
    std::map<JobId, Instant> after = starts_of(world.plan(), world.now);
    for (const auto& [job, start] : before) {
      if (start <= world.now || !world.state.find(job)) continue;
      ASSERT_TRUE(after.contains(job)) << "seed " << seed << " job " << job.value;
      EXPECT_LE(after[job], start) << "seed " << seed << " job " << job.value;
    }
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

}  // namespace
}  // namespace ym
