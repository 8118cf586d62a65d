// SPDX-License-Identifier: Apache-2.0
#include "controller/jobs/submissions.h"

#include <gtest/gtest.h>

#include "controller/yard_for_test.h"

namespace ym {
namespace {

SubmitJob request(std::uint64_t submission) {
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.submission = submission;
  return submit;
}

JobId told(Yard& yard, const SubmitJob& submit, const Caller& caller) {
  yard.controller.submit({1}, submit, caller, yard.now, yard.out);
  Outbox out = yard.settle();
  const auto* answer = std::get_if<SubmitAnswer>(&out.replies.back().answer);
  return answer ? answer->job : JobId{};
}

TEST(Submissions, ARepeatedRequestIsAnsweredWithTheJobThatItMade) {
  Yard yard(Yard::cluster(1, {.cpus = 4, .memory_mb = 1000}));
  JobId first = told(yard, request(77), ada());
  ASSERT_TRUE(first);
  EXPECT_EQ(told(yard, request(77), ada()), first);
  EXPECT_EQ(yard.controller.state().jobs.size(), 1u);
  EXPECT_NE(told(yard, request(78), ada()), first);
  EXPECT_EQ(yard.controller.state().jobs.size(), 2u);
}

TEST(Submissions, RequestsWithoutANumberAreNeverTheSame) {
  Yard yard(Yard::cluster(1, {.cpus = 4, .memory_mb = 1000}));
  EXPECT_NE(told(yard, request(0), ada()), told(yard, request(0), ada()));
}

TEST(Submissions, NobodyIsToldOfSomebodyElsesJob) {
  Yard yard(Yard::cluster(1, {.cpus = 4, .memory_mb = 1000}));
  JobId first = told(yard, request(77), ada());
  Caller bob{.uid = {1001}, .gid = {1001}, .user_name = "bob"};
  EXPECT_NE(told(yard, request(77), bob), first);
}

TEST(Submissions, TheNextControllerKnowsThemFromTheState) {
  Yard yard(Yard::cluster(1, {.cpus = 4, .memory_mb = 1000}));
  SubmitJob array = request(5);
  array.array = "1-3";
  JobId first = told(yard, array, ada());
  JobId second = told(yard, request(6), ada());
  Submissions rebuilt;
  rebuilt.rebuild(yard.controller.state());
  EXPECT_EQ(rebuilt.find(ada().uid, 5), first);
  EXPECT_EQ(rebuilt.find(ada().uid, 6), second);
  EXPECT_EQ(rebuilt.find({1001}, 6), JobId{});
}

TEST(Submissions, AreForgottenWhenNobodyCanAskAgain) {
  Submissions recent;
  recent.note({1}, 5, {10}, Instant{1000});
  Instant later = Instant{1000} + Submissions::kRemembered + Duration(1);
  recent.note({1}, 6, {11}, later);
  EXPECT_EQ(recent.find({1}, 5), JobId{});
  EXPECT_EQ(recent.find({1}, 6), JobId{11});
  EXPECT_EQ(recent.size(), 1u);
}

}  // namespace
}  // namespace ym
