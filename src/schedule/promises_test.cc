// SPDX-License-Identifier: Apache-2.0
// What must hold for every promise, on random states, thousands of them in a run.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule/outlook.h"
#include "schedule/town_for_test.h"

namespace ym {
namespace {

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

// --- promises that cannot be kept ---

enum class Trouble : std::uint8_t { LimitRaised, NodeDrained, Reserved, EndsLate };
constexpr int kTroubles = 4;

// Takes something away that may have been promised.
void disturb(Prng& prng, Town& world, Trouble trouble) {
  Duration much = std::chrono::seconds(prng.between(1, 40) * 10);
  NodeId node{static_cast<std::uint32_t>(prng.between(1, world.state.nodes.size()))};
  std::vector<JobId> running(world.running.begin(), world.running.end());
  if (trouble == Trouble::NodeDrained)
    world.happen(NodeStateChanged{.node = node, .condition = NodeCondition::Up, .drain = true});
  if (trouble == Trouble::Reserved) {
    Reservation one{.id = {2}, .name = "others", .users = "somebody"};
    one.start = world.now + much;
    one.end = one.start + std::chrono::seconds(200);
    one.nodes = {{.node = node}};
    world.happen(ReservationDefined{.reservation = one});
  }
  if (running.empty()) return;
  const Job& job = *world.state.find(running[prng.below(running.size())]);
  if (trouble == Trouble::LimitRaised)
    world.happen(JobUpdated{.job = job.id,
                            .spec = job.spec,
                            .priority = job.priority,
                            .limit_end = job.limit_end + much});
  if (trouble == Trouble::EndsLate)
    world.now = std::max(world.now, job.limit_end + std::chrono::seconds(prng.between(0, 5)));
}

// What a plan gives and promises to those who wait, by the place in the order of the queue: that of
// the first component.
using Shares = std::map<JobId, std::vector<Booking>>;
Shares shares_of(const Town& world, const Plan& plan) {
  Shares all;
  auto add = [&](Booking booking) {
    const Job& job = *world.state.find(booking.job);
    all[job.het_job ? job.het_job : job.id].push_back(std::move(booking));
  };
  auto add_start = [&](const Proposal& one) {
    add({.job = one.job,
         .partition = one.partition,
         .start = world.now,
         .end = one.end,
         .allocation = one.allocation});
  };
  for (const Proposal& one : plan.starts) {
    add_start(one);
    std::ranges::for_each(one.others, add_start);
  }
  for (const Booking& one : plan.booked) add(one);
  return all;
}

std::vector<const JobSpec*> specs_of(const Town& world, JobId first) {
  std::vector<const JobSpec*> specs;
  for (const Job* one : components_of(world.state, *world.state.find(first)))
    specs.push_back(&*one->spec);
  return specs;
}

// Each starts when it was to, or sooner, or as early as those before it in the order leave; only
// who can never start is promised nothing.
void expect_places_kept(const Town& world, const Shares& shares, std::map<JobId, Instant> promised,
                        const std::string& what) {
  Outlook outlook(world.state, world.rules, world.now);
  world.state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.state != JobState::Pending || (job.het_job && job.het_job != job.id)) return;
    std::vector<Booking> found = outlook.earliest_together(specs_of(world, job.id));
    auto share = shares.find(job.id);
    EXPECT_EQ(share != shares.end(), !found.empty()) << what << " job " << job.id.value;
    if (share == shares.end() || found.empty()) return;
    Instant start = share->second.front().start;
    EXPECT_LE(start, std::max(promised[job.id], found.front().start))
        << what << " job " << job.id.value;
    for (const Booking& one : share->second) outlook.promise(one);
  });
}

// Nobody waits who could start at once beside all others.
void expect_nothing_idle(const Town& world, const Shares& shares, const std::string& what) {
  for (const auto& [id, bookings] : shares) {
    if (bookings.front().start <= world.now) continue;
    Outlook outlook(world.state, world.rules, world.now);
    for (const auto& [other, theirs] : shares)
      for (const Booking& one : theirs)
        if (other != id) outlook.promise(one);
    std::vector<Booking> found = outlook.earliest_together(specs_of(world, id));
    ASSERT_FALSE(found.empty()) << what << " job " << id.value;
    EXPECT_GT(found.front().start, world.now) << what << " job " << id.value;
  }
}

void expect_core_agrees(const Town& world, const Plan& plan, const std::string& what) {
  auto check = [&](const Proposal& one) {
    PlacementRules rules = rules_in(*world.state.find(one.partition)->spec, world.rules);
    EXPECT_TRUE(still_fits(world.state, *world.state.find(one.job)->spec, one.allocation, rules))
        << what << " job " << one.job.value;
  };
  for (const Proposal& one : plan.starts) {
    check(one);
    std::ranges::for_each(one.others, check);
  }
}

TEST(PromiseProperties, WhoseIsBrokenHasThePlaceThatItsOrderGivesIt) {
  std::size_t broken = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds; ++seed) {
    Prng prng(seed);
    const Kind& kind = kKinds[seed % std::size(kKinds)];
    Town world = random_world(prng, kConservative, PlanBudget::Depth::Full, kind);
    auto nodes = static_cast<std::uint32_t>(world.state.nodes.size());
    for (int i = 0; i < 8; ++i) world.submit(random_spec(prng, nodes, kind));
    Plan before = world.plan();
    for (const Proposal& start : before.starts) world.start(start);
    auto trouble = static_cast<Trouble>(seed / std::size(kKinds) % kTroubles);
    disturb(prng, world, trouble);
    Plan after = world.plan();
    std::string what = fmt::format("seed {} trouble {}", seed, static_cast<int>(trouble));
    Shares shares = shares_of(world, after);
    std::map<JobId, Instant> promised = starts_of(before, world.now);
    for (const Booking& one : after.booked) broken += one.start > promised[one.job];
    EXPECT_TRUE(has_room_for_all(stays_of(world, after))) << what;
    // That a node has had several users since it was empty is not foreseen.
    if (!kind.owners) expect_places_kept(world, shares, promised, what);
    expect_nothing_idle(world, shares, what);
    expect_core_agrees(world, after, what);
  }
  EXPECT_GT(broken, kSeeds) << "hardly a promise could not be kept";
}

// An element of an array gets a record of its own while it waits, as when it was held for a while.
void split_one(Prng& prng, Town& world) {
  std::vector<JobId> arrays;
  world.state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.array && job.array->waiting.count() > 1) arrays.push_back(job.id);
  });
  if (arrays.empty()) return;
  const Job& job = *world.state.find(arrays[prng.below(arrays.size())]);
  JobId element{world.state.next_job_id};
  IndexSet waiting = job.array->waiting;
  world.happen(ArrayTaskSplit{
      .array_job = job.id, .task = *waiting.pop_front(), .job = element, .sluid = {element.value}});
}

void expect_array_limits_kept(const Town& world, const Plan& plan, const std::string& what) {
  std::map<JobId, std::uint32_t> running;
  for (JobId id : world.running) ++running[world.state.find(id)->array_job];
  for (const Proposal& one : plan.starts) {
    const Job& job = *world.state.find(one.job);
    if (job.array_max_running)
      EXPECT_LE(++running[job.array_job], job.array_max_running) << what << job.id.value;
  }
}

// Jobs and arrays come and end, none late. None keeps other users off its nodes.
TEST(PromiseProperties, NobodyStartsLaterThanHeWasPromisedFirst) {
  std::size_t kept = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Prng prng(seed);
    const Kind& kind = kKinds[seed % std::size(kKinds)];
    if (kind.owners) continue;
    auto nodes = static_cast<std::uint32_t>(prng.between(2, 4));
    std::string what = fmt::format("seed {} job ", seed);
    Town world(kind, nodes, kCpus, kConservative);
    // What an array's record is promised is its next element's.
    std::map<std::pair<JobId, std::uint32_t>, Instant> first;
    for (int round = 0; round < 30; ++round) {
      if (round < 12) world.submit(random_spec(prng, nodes, kind));
      if (round < 12 && prng.chance(1, 3))
        world.submit(random_spec(prng, nodes, kind), prng.chance(1, 3) ? "1-4" : "1-4%1");
      if (prng.chance(1, 3)) split_one(prng, world);
      Plan plan = world.plan();
      expect_core_agrees(world, plan, what);
      expect_array_limits_kept(world, plan, what);
      for (const auto& [id, bookings] : shares_of(world, plan)) {
        const Job& job = *world.state.find(id);
        if (job.array_max_running) continue;  // it waits for the others of its array
        std::uint32_t elements = job.array ? job.array->waiting.count() : 0;
        auto [at, fresh] = first.try_emplace({id, elements}, bookings.front().start);
        EXPECT_LE(bookings.front().start, at->second) << what << id.value;
        kept += !fresh;
      }
      for (const Proposal& start : plan.starts) world.start(start);
      Instant next = world.planner.next_begin(world.now);
      for (JobId id : world.running) next = std::min(next, world.state.find(id)->limit_end);
      world.now = std::min(next, world.now + std::chrono::seconds(prng.between(1, 300)));
      std::vector<JobId> over;
      for (JobId id : world.running)
        if (world.state.find(id)->limit_end <= world.now || prng.chance(1, 8)) over.push_back(id);
      for (JobId id : over) world.end(id);
    }
  }
  EXPECT_GT(kept, 4 * kSeeds) << "hardly anybody had to wait";
}

}  // namespace
}  // namespace ym
