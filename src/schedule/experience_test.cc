// SPDX-License-Identifier: Apache-2.0
#include "schedule/experience.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr Instant kStart{1'000'000'000};

void end(Experience& experience, Uid user, std::uint32_t limit_s, std::int64_t run_s,
         JobState state = JobState::Completed, std::uint32_t cpus = 1) {
  JobSpec spec{.tasks = cpus};
  spec.uid = user;
  spec.time_limit_s = limit_s;
  Job job;
  job.spec = Ref(std::move(spec));
  job.state = state;
  job.start = kStart;
  experience.learn(job, kStart + std::chrono::seconds(run_s));
}

TEST(Experience, LimitsAreTakenAtTheirWordUntilAJobHasEnded) {
  Experience experience;
  EXPECT_EQ(experience.accuracy(), 1);
  EXPECT_EQ(experience.accuracy_of({7}), 1);
}

TEST(Experience, AUsersLastTwoJobsSayWhatTheNextOneTakes) {
  Experience experience;
  end(experience, {7}, 100, 90);
  EXPECT_DOUBLE_EQ(experience.accuracy_of({7}), 0.9);
  end(experience, {7}, 100, 20);
  end(experience, {7}, 200, 20);
  EXPECT_DOUBLE_EQ(experience.accuracy_of({7}), 0.15);
}

TEST(Experience, StrangersCountAsEverybodyDoesByArea) {
  Experience experience;
  end(experience, {7}, 100, 100);
  end(experience, {7}, 100, 50, JobState::Completed, 99);
  EXPECT_NEAR(experience.accuracy(), 0.505, 0.001);
  EXPECT_EQ(experience.accuracy_of({8}), experience.accuracy());
}

TEST(Experience, WhatOthersEndedSaysNothing) {
  Experience experience;
  for (JobState state : {JobState::Cancelled, JobState::NodeFail, JobState::Preempted})
    end(experience, {7}, 100, 1, state);
  end(experience, {7}, 0, 1);
  end(experience, {7}, JobSpec::kUnlimited, 1);
  EXPECT_EQ(experience.accuracy(), 1);
  end(experience, {7}, 100, 105, JobState::Timeout);
  EXPECT_EQ(experience.accuracy_of({7}), 1) << "no more than all of it";
}

TEST(Experience, TheLongestQueueIsForgottenSlowly) {
  Experience experience;
  EXPECT_EQ(experience.longest_queue_s({1}, 5000, kStart), 5000);
  EXPECT_NEAR(experience.longest_queue_s({1}, 10, kStart + std::chrono::days(180)), 2500, 1);
  EXPECT_EQ(experience.longest_queue_s({1}, 3000, kStart + std::chrono::days(180)), 3000);
  EXPECT_EQ(experience.longest_queue_s({1}, 10, kStart), 3000)
      << "a clock set back forgets nothing";
  EXPECT_EQ(experience.longest_queue_s({2}, 10, kStart), 10) << "another ground's";
}

}  // namespace
}  // namespace ym
