// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "schedule/policy.h"
#include "schedule/world_for_test.h"

namespace ym {
namespace {

Scene shown;  // to the policy, in the last full pass

std::vector<std::size_t> note(const Scene& scene) {
  shown = scene;
  std::vector<std::size_t> as_they_are(scene.candidates.size());
  std::iota(as_they_are.begin(), as_they_are.end(), 0);
  return as_they_are;
}

// Two nodes of four cpus: eight of them, which four jobs of `q`, but two of `p`, may have at once.
TEST(Scenes, HaveCpusAsOftenAsTheyMayBeShared) {
  World world({.nodes = 2, .cpus = 4},
              {{.name = "p", .oversubscribe = "YES:2"}, {.name = "q", .oversubscribe = "FORCE:4"}});
  Policy policy = kBestForecast;
  policy.arrange = note;
  world.planner.set_policy(policy);
  auto submit = [&](const char* partition, std::uint32_t tasks, bool oversubscribe = false) {
    JobSpec spec{.tasks = tasks, .oversubscribe = oversubscribe};
    spec.partitions = partition;
    spec.time_limit_s = 100;
    return world.submit(spec);
  };
  submit("q", 3);
  Plan first = world.plan();
  ASSERT_EQ(first.starts.size(), 1u);
  world.start(first.starts.front());
  std::map<JobId, std::int64_t> wanted = {
      {submit("q", 3), 3}, {submit("p", 3, true), 6}, {submit("p", 3), 12}};
  world.plan({.depth = PlanBudget::Depth::Full});
  EXPECT_EQ(shown.cpus, 32);
  EXPECT_EQ(shown.free, 29);
  ASSERT_EQ(shown.releases.size(), 1u);
  EXPECT_EQ(shown.releases[0].cpus, 3);
  std::map<JobId, std::int64_t> counted;
  for (const Scene::Candidate& one : shown.candidates) counted[one.job] = one.cpus;
  EXPECT_EQ(counted, wanted);
}

}  // namespace
}  // namespace ym
