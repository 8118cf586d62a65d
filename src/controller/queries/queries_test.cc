// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "schedule/shape.h"

namespace ym {
namespace {

State some_jobs() {
  State state;
  for (std::uint32_t id = 1; id <= 4; ++id) {
    Job& job = state.jobs.edit(id);
    job.id = {id};
    job.spec = Ref(JobSpec{.name = id % 2 ? "odd" : "even", .user_name = "ada", .partitions = "p"});
  }
  state.jobs.edit(3).array_job = state.jobs.edit(4).array_job = {3};
  state.jobs.edit(3).array = Ref(ArrayTasks{IndexSet::range(1, 2), 0});
  state.jobs.edit(4).array_task = 0;
  state.jobs.edit(1).state = JobState::Completed;
  return state;
}

std::vector<std::uint32_t> chosen(const JobFilter& filter) {
  std::vector<std::uint32_t> ids;
  for_each_selected(some_jobs(), filter, [&](const Job& job) {
    ids.push_back(job.id.value);
    return true;
  });
  return ids;
}

using Ids = std::vector<std::uint32_t>;

TEST(Select, WithoutStatesShowsWhatIsNotOver) {
  EXPECT_EQ(chosen({}), (Ids{2, 3, 4}));
  EXPECT_EQ(chosen({.all_states = true}), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(chosen({.states = {JobState::Completed}}), (Ids{1}));
}

TEST(Select, ConditionsNarrowEachOther) {
  EXPECT_EQ(chosen({.names = {"even"}}), (Ids{2, 4}));
  EXPECT_EQ(chosen({.users = {"bob"}, .names = {"even"}}), Ids{});
  EXPECT_EQ(chosen({.targets = {{.job = {3}}}}), (Ids{3, 4})) << "an array means its elements";
  EXPECT_EQ(chosen({.targets = {{.job = {3}, .tasks = IndexSet::range(0, 0)}}}), (Ids{3, 4}))
      << "the record of the others stays, its tasks are looked at by the caller";
}

TEST(Reasons, TheJobsOwnComeBeforeThePlanners) {
  Job job{.id = {1}, .spec = Ref(JobSpec{.partitions = "p"}), .priority = 1};
  Verdicts verdicts;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::None);
  verdicts.shapes[shape_hash(shape_key(*job.spec))] = {.reason = Reason::Resources, .head = {1}};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Resources);
  job.id = {2};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Priority) << "not the head of its shape";
  job.eligible = {200};
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::BeginTime);
  job.dependency = Ref(*Dependency::parse("afterok:1"));
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::Dependency);
  job.holds.user = true;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::JobHeldUser);
  job.holds.admin = true;
  EXPECT_EQ(reason_of(job, verdicts, {100}), Reason::JobHeldAdmin);
}

}  // namespace
}  // namespace ym
