// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/controller.h"

namespace ym {
namespace {

TEST(Top, PutsAJobBeforeItsOwnersOthersAndNobodyElses) {
  ClusterConfig config;
  config.cluster_name = "c";
  config.nodes = {{.name = "n1"}};
  config.partitions = {{.name = "main", .nodes = "n1", .is_default = true}};
  Controller controller(config, {});
  Outbox out;
  Instant now{1'000'000};
  ASSERT_TRUE(controller.configure(config, now, out));
  Caller ada{.uid = {1000}, .user_name = "ada"}, bob{.uid = {1001}, .user_name = "bob"};
  Caller root{.user_name = "root", .administrator = true};
  for (const Caller& caller : {ada, bob, ada, ada}) {
    SubmitJob submit;
    submit.spec.batch = true;
    submit.spec.script_blob = "s";
    controller.submit({1}, submit, caller, now, out);
  }
  auto priority = [&](std::uint32_t job) { return controller.state().jobs.at(job).priority; };
  std::uint32_t first = priority(1), others = priority(2), third = priority(3), last = priority(4);
  AlterJobs top{.verb = JobVerb::Top, .filter = {.targets = {{.job = {4}}}}};
  controller.alter({1}, top, ada, now, out);
  EXPECT_EQ(priority(4), last);  // only an administrator may
  controller.alter({1}, top, root, now, out);
  EXPECT_EQ(priority(4), first);
  EXPECT_EQ(priority(1), third);
  EXPECT_EQ(priority(3), last);
  EXPECT_EQ(priority(2), others);
  controller.alter({1}, {.verb = JobVerb::Hold, .filter = {.targets = {{.job = {3}}}}}, root, now,
                   out);
  top.filter.targets[0].job = {3};
  Outbox refused;
  controller.alter({1}, top, root, now, refused);
  EXPECT_TRUE(refused.events.empty());
  EXPECT_EQ(priority(4), first) << "nobody stands behind a job that is held";
}

}  // namespace
}  // namespace ym
