// SPDX-License-Identifier: Apache-2.0
// How promises are kept; properties_test.cc has what holds in general.
#include <gtest/gtest.h>

#include <map>

#include "schedule/world_for_test.h"

namespace ym {
namespace {

using std::chrono::seconds;

class Keeper : public World {
 public:
  explicit Keeper(const Machine& machine) : World(machine) {
    planner.set_policy(*find_policy("conservative"));
  }
  JobId submit(std::uint32_t limit_s, std::string features = {}) {
    JobSpec spec{.time_limit_s = limit_s};
    if (!features.empty()) spec.extras = Ref(JobExtras{.features = std::move(features)});
    return World::submit(std::move(spec));
  }
  // Starts what is proposed; says when the others are to start, in seconds.
  std::map<JobId, std::int64_t> pass() {
    Plan plan = World::plan();
    commit(plan);
    return promised(plan);
  }
  static std::map<JobId, std::int64_t> promised(const Plan& plan) {
    std::map<JobId, std::int64_t> all;
    for (const Booking& one : plan.booked) all[one.job] = (one.start - kBegin).count() / 1000;
    return all;
  }
  void drain(std::uint32_t node) {
    happen(NodeStateChanged{.node = {node}, .condition = NodeCondition::Up, .drain = true});
  }
};
using Starts = std::map<JobId, std::int64_t>;

TEST(Promises, WhomTheCoreRefusesHasNotLostHisPlace) {
  Keeper world({.nodes = 2});
  JobId a = world.submit(100);
  world.submit(150);
  JobId third = world.submit(200), fourth = world.submit(200);
  EXPECT_EQ(world.pass(), (Starts{{third, 100}, {fourth, 150}}));
  world.now = world.now + seconds(100);
  world.end(a);
  Plan refused = world.plan();
  ASSERT_EQ(refused.starts.size(), 1u);
  EXPECT_EQ(refused.starts.front().job, third);
  world.drain(1);
  EXPECT_EQ(world.pass(), (Starts{{third, 150}, {fourth, 350}}));
}

TEST(Promises, WhoIsRefusedTwiceDoesNotKeepOthersOffForEver) {
  Keeper world({.nodes = 1});
  JobId a = world.submit(100), b = world.submit(200);
  EXPECT_EQ(world.pass(), (Starts{{b, 100}}));
  world.now = world.now + seconds(100);
  world.end(a);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(world.plan().starts.size(), 1u) << "it is proposed each time";
    world.now = world.now + seconds(1);
  }
}

TEST(Promises, WhoWaitsForALateEndIsAskedAgainAfterASecondAndNotAtOnce) {
  Keeper world({.nodes = 1});
  JobId a = world.submit(100), b = world.submit(200);
  world.pass();
  world.now = world.now + seconds(100);
  world.happen(JobFinished{.job = a, .state = JobState::Timeout});
  EXPECT_EQ(world.pass(), (Starts{{b, 100}}));
  EXPECT_EQ(world.planner.next_begin(world.now), world.now + seconds(1));
  world.happen(JobNodeReleased{.job = a, .node = {1}});
  EXPECT_EQ(world.plan().starts.size(), 1u);
}

TEST(Promises, ACommentOrAHigherPriorityCostsNobodyHisPlace) {
  Keeper world({.nodes = 1});
  world.submit(100);
  JobSpec wanted{.time_limit_s = 200, .extras = Ref(JobExtras{.comment = "first"})};
  JobId b = static_cast<World&>(world).submit(wanted), c = world.submit(50);
  Starts before = world.pass();
  EXPECT_EQ(before, (Starts{{b, 100}, {c, 300}}));
  const Job& job = *world.state.find(b);
  JobSpec spec = *job.spec;
  spec.extras = Ref(JobExtras{.comment = "second"});
  world.happen(JobUpdated{.job = b, .spec = Ref(spec), .priority = job.priority + 10});
  EXPECT_EQ(world.pass(), before);
}

TEST(Promises, ANodeWithoutTheFeatureIsNotGivenAndThoseBehindMoveUp) {
  Keeper world({.nodes = 1});
  NodeSpec spec = *world.state.find(NodeId{1})->spec;
  spec.features = "a,b";
  world.happen(NodesDefined{{{{1}, Ref(spec)}}});
  world.submit(100);
  JobId b = world.submit(200, "b"), c = world.submit(50);
  EXPECT_EQ(world.pass(), (Starts{{b, 100}, {c, 300}}));
  Proposal late{.job = b, .partition = {1}, .allocation = {.nodes = {{.node = {1}, .cpus = 1}}}};
  world.happen(NodeNoted{.node = {1}, .active_features = "a", .features_chosen = true});
  EXPECT_EQ(world.pass(), (Starts{{c, 100}}));
  EXPECT_FALSE(still_fits(world.state, *world.state.find(b)->spec, late.allocation, {}));
}

TEST(Promises, BeyondTheBudgetNobodyIsPlacedAnew) {
  Keeper world({.nodes = 1});
  JobId a = world.submit(100);
  for (int i = 0; i < 5; ++i) world.submit(200);
  EXPECT_EQ(world.pass().size(), 5u);
  const Job& job = *world.state.find(a);
  world.happen(JobUpdated{.job = a,
                          .spec = job.spec,
                          .priority = job.priority,
                          .limit_end = job.limit_end + seconds(50)});
  Plan few = world.plan({.reservations_max = 2});
  EXPECT_EQ(Keeper::promised(few), (Starts{{{2}, 150}, {{3}, 350}}));
}

}  // namespace
}  // namespace ym
