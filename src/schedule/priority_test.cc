// SPDX-License-Identifier: Apache-2.0
#include "schedule/priority.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr Instant kSubmit{1'000'000'000};
constexpr std::int64_t kWhole = kWholeFactor;

PriorityScale scale(PriorityRules rules) {
  rules.max_age = hours(10);
  return {.rules = std::move(rules),
          .totals = {.nodes = 10,
                     .cpus = 100,
                     .memory_mb = 1000,
                     .gres = {{"gpu", 8}},
                     .max_job_factor = 4},
          .shares = {},
          .qos = QosPriorities({{"normal", {.priority = 1}}, {"urgent", {.priority = 10}}})};
}
Job job(JobSpec spec = {}, std::uint32_t id = 7) {
  Job one{.id = {id}, .submit = kSubmit, .eligible = kSubmit};
  one.priority = 4294901760 - id - static_cast<std::uint32_t>(spec.nice);
  one.spec = Ref(std::move(spec));
  return one;
}
PriorityParts parts(const Job& one, const PriorityScale& by, Instant now = kSubmit + hours(5)) {
  return priority_parts(one, PartitionSpec{.name = "p", .priority_job_factor = 1}, now, by);
}

TEST(Priority, AgeGrowsUntilTheOldest) {
  PriorityScale by = scale({.age = 1000});
  EXPECT_EQ(parts(job(), by, kSubmit).priority, 1u);
  EXPECT_EQ(parts(job(), by).age.value, kWhole / 2);
  EXPECT_EQ(parts(job(), by).priority, 500u);
  EXPECT_EQ(parts(job(), by, kSubmit + hours(100)).priority, 1000u);
}

TEST(Priority, AJobThatMayNotRunDoesNotGrowOldUnlessTheSiteSaysSo) {
  Job waiting = job();
  waiting.eligible = kSubmit + hours(4);
  EXPECT_EQ(parts(waiting, scale({.age = 1000})).priority, 100u);
  EXPECT_EQ(parts(waiting, scale({.age = 1000, .accrue_always = true})).priority, 500u);
}

TEST(Priority, JobSizeIsTheMeanOfNodesAndCpusOrItsOpposite) {
  Job one = job({.tasks = 20, .min_nodes = 4});  // 0.4 of the nodes, 0.2 of the cpus
  EXPECT_EQ(parts(one, scale({.job_size = 1000})).job_size.value, 3 * kWhole / 10);
  EXPECT_EQ(parts(one, scale({.job_size = 1000, .favor_small = true})).priority, 700u);
  Job hour = job({.tasks = 20, .time_limit_s = 600});  // 2 cpus for each minute
  EXPECT_EQ(parts(hour, scale({.job_size = 1000, .small_relative_to_time = true})).job_size.value,
            kWhole / 50);
}

TEST(Priority, ThePartitionsFactorIsAShareOfTheHighest) {
  EXPECT_EQ(parts(job(), scale({.partition = 1000})).priority, 250u);
  EXPECT_EQ(parts(job(), scale({.partition = 1000, .no_normal_part = true})).priority, 1000u);
}

TEST(Priority, AQosCountsByItsShareOfTheHighest) {
  auto of = [](std::string qos, PriorityRules rules) {
    return parts(job({.qos = std::move(qos)}), scale(std::move(rules)));
  };
  EXPECT_EQ(of("urgent", {.qos = 1000}).priority, 1000u);
  EXPECT_EQ(of("normal", {.qos = 1000}).qos.value, kWhole / 10);
  EXPECT_EQ(of("normal", {.qos = 1000}).priority, 100u);
  EXPECT_EQ(of("urgent", {.qos = 1000, .no_normal_qos = true}).priority, 10'000u);
  EXPECT_EQ(of("nobody knows", {.qos = 1000}).priority, 1u);
  EXPECT_EQ(of("", {.qos = 1000, .no_normal_qos = true}).priority, 1u);
}

TEST(Priority, ResourcesCountAsTheyAreAskedFor) {
  PriorityRules rules;
  rules.tres = {{.name = "cpu", .weight = 1000 * kWholePoint},
                {.name = "mem", .weight = kWholePoint / 2},
                {.name = "fpga", .weight = kWholePoint}};
  JobSpec spec{.tasks = 20, .memory_per_node_mb = 500};
  PriorityParts found = parts(job(spec), scale(rules));
  EXPECT_EQ(found.tres[0].factor.points, 200 * kWholePoint);
  EXPECT_EQ(found.tres[1].factor.points, kWholePoint / 4);
  EXPECT_EQ(found.tres[2].factor.points, 0);
  EXPECT_EQ(found.priority, 200u);
  rules.no_normal_tres = true;
  EXPECT_EQ(parts(job(spec), scale(rules)).priority, 20'250u);
  rules.max_tres = true;
  EXPECT_EQ(parts(job(spec), scale(rules)).priority, 20'000u);
}

TEST(Priority, NiceLowersAndTheSiteAddsWithinBounds) {
  PriorityScale by = scale({.age = 1000});
  EXPECT_EQ(parts(job({.nice = 100}), by).priority, 400u);
  EXPECT_EQ(parts(job({.nice = 10'000}), by).priority, kLowestPriority);
  JobSpec spec;
  spec.extras = Ref(JobExtras{.site_factor = 50});
  EXPECT_EQ(parts(job(spec), by).priority, 550u);
  PriorityScale large = scale({.age = 4'294'967'294, .job_size = 4'294'967'294});
  EXPECT_EQ(parts(job({.tasks = 100, .min_nodes = 10}), large, kSubmit + hours(20)).priority,
            kHighestPriority);
}

TEST(Priority, FairShareIsTheUsersFactor) {
  PriorityScale by = scale({.fair_share = 1000});
  by.shares = ShareTable({{.account = "root"},
                          {.parent = 0, .account = "a", .user = "x", .usage = 5},
                          {.parent = 0, .account = "a", .user = "y", .usage = 1}});
  EXPECT_EQ(parts(job({.user_name = "x", .account = "a"}), by).priority, 500u);
  EXPECT_EQ(parts(job({.user_name = "y", .account = "a"}), by).priority, 1000u);
}

TEST(Priority, ANumberThatWasGivenStays) {
  Job one = job();
  EXPECT_FALSE(has_fixed_priority(one));
  one.priority = 77;
  EXPECT_TRUE(has_fixed_priority(one));
  EXPECT_EQ(parts(one, scale({.age = 1000})).priority, 77u);
  EXPECT_NE(priority_line(one), priority_line(job()));
  EXPECT_EQ(priority_line(job({}, 7)), priority_line(job({}, 8)));
  Job element = job({}, 9);
  element.array_job = {7};
  element.priority = job({}, 7).priority;
  EXPECT_FALSE(has_fixed_priority(element));
}

TEST(Priority, WithoutWeightsTheRecordsNumberCounts) {
  State state;
  EXPECT_FALSE(PriorityRules{}.counts());
  EXPECT_FALSE((PriorityRules{.is_multifactor = false, .age = 5}).counts());
  EXPECT_EQ(priority_at(job(), state, kSubmit + hours(5), scale({})), 4294901753u);
}

// Whatever they are: a later job of the same line never overtakes an earlier one.
TEST(Priority, WithinALineTheEarlierIsNeverLower) {
  PriorityScale by = scale({.age = 12345, .job_size = 777});
  Job early = job(), late = job({}, 8);
  late.submit = late.eligible = kSubmit + seconds(100);
  for (int hour = 0; hour < 30; ++hour)
    EXPECT_GE(parts(early, by, kSubmit + hours(hour)).priority,
              parts(late, by, kSubmit + hours(hour)).priority);
}

}  // namespace
}  // namespace ym
