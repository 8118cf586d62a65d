// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue.h"

#include <gtest/gtest.h>

#include "model/apply.h"

namespace ym {
namespace {

Job job_of(std::uint32_t id, JobSpec spec) {
  Job job;
  job.id = {id};
  job.submit = job.eligible = Instant{1000};
  job.priority = automatic_priority(job.id, spec.nice);
  job.spec = Ref(std::move(spec));
  return job;
}

class JobQueueTest : public testing::Test {
 protected:
  void put(const Job& job) {
    state.jobs.put(job.id.value, job);
    state.time = Instant{2000};
    queue.refresh(job, state);
  }
  State state;
  JobQueue queue;
};

TEST_F(JobQueueTest, JobsAlikeStandInOneLineInTheOrderOfTheirPriorities) {
  for (std::uint32_t id : {3u, 1u, 2u}) put(job_of(id, {.tasks = 4}));
  put(job_of(4, {.tasks = 5}));
  ASSERT_EQ(queue.shapes().size(), 2u);
  EXPECT_EQ(queue.find({1})->line, queue.find({3})->line);
  EXPECT_EQ(queue.find({1})->line->jobs.begin()->job, JobId{1});
  queue.remove({4});
  EXPECT_EQ(queue.shapes().size(), 1u);
  EXPECT_EQ(queue.pending(), 3u);
}

TEST_F(JobQueueTest, WhoseBeginIsToComeSleepsUntilThen) {
  Job job = job_of(1, {.tasks = 1});
  job.eligible = Instant{5000};
  put(job);
  EXPECT_EQ(queue.find({1}), nullptr);
  EXPECT_EQ(queue.next_begin(Instant{1}), Instant{5000});
  queue.wake_until(Instant{4999}, state);
  EXPECT_EQ(queue.find({1}), nullptr);
  queue.wake_until(Instant{5000}, state);
  EXPECT_NE(queue.find({1}), nullptr);
  EXPECT_EQ(queue.next_begin(Instant{1}), kNever);
}

TEST_F(JobQueueTest, ARuleOfTheSiteMakesLinesOfItsOwn) {
  PriorityRule rule;
  rule.at = [](const Job&, Instant) { return 1u; };
  rule.line = [](const Job& job) { return job.spec->user_name; };
  queue.set_order(true, rule);
  put(job_of(1, {.user_name = "anna"}));
  put(job_of(2, {.user_name = "bert"}));
  EXPECT_EQ(queue.shapes().size(), 1u);
  EXPECT_EQ(queue.shapes().front()->lines.size(), 2u);
}

TEST_F(JobQueueTest, AJobStandsInAQueueOfEachTierThatItNames) {
  std::uint32_t number = 0;
  for (const PartitionSpec& spec : {PartitionSpec{.name = "low"},
                                    {.name = "high", .priority_tier = 2},
                                    {.name = "also", .priority_tier = 2}}) {
    PartitionId id{++number};
    apply(state, {.seq = {number}, .body = PartitionDefined{.partition = id, .spec = Ref(spec)}});
  }
  put(job_of(1, {.partitions = "low,high,also"}));
  put(job_of(2, {.partitions = "high,also"}));
  ASSERT_EQ(queue.shapes().size(), 3u);
  EXPECT_EQ(queue.pending(), 2u);
  const Shape& first = *queue.find({1})->line->shape;
  EXPECT_EQ(first.tier, 2u);
  EXPECT_EQ(first.in, (std::vector<PartitionId>{{2}, {3}}));
  const Shape& second = *queue.find({1}, {1})->line->shape;
  EXPECT_EQ(second.tier, 1u);
  EXPECT_EQ(second.hash, first.hash) << "they ask for the same";
  EXPECT_EQ(queue.find({2})->line->shape->queues, 1u);
  queue.remove({1});
  EXPECT_EQ(queue.shapes().size(), 1u);
}

TEST(SitePriority, CountsOnlyWhatSomebodySet) {
  Job one = job_of(7, {}), two = job_of(9, {});
  EXPECT_EQ(site_priority(one), site_priority(two));
  Job nice = job_of(9, {.nice = 100});
  EXPECT_LT(site_priority(nice), site_priority(two));
  Job low = two, high = two, top = two;
  low.priority = 5;
  high.priority = 4'294'960'000;
  top.priority = automatic_priority({8}, 0);
  EXPECT_LT(site_priority(low), site_priority(one));
  EXPECT_GT(site_priority(high), site_priority(one));
  EXPECT_GT(site_priority(top), site_priority(one));
}

}  // namespace
}  // namespace ym
