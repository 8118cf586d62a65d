// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "controller/yard_for_test.h"

namespace ym {
namespace {

// The text with which a job of this account and QOS is refused; empty if it is taken.
std::string refusal(const PartitionSpec& partition, const std::string& account,
                    const std::string& qos) {
  ClusterConfig config = Yard::cluster(1, {.cpus = 4, .memory_mb = 1000});
  PartitionSpec rules = partition;
  rules.name = "main";
  rules.nodes = "n1";
  rules.is_default = true;
  config.partitions = {rules};
  Yard yard(config);
  SubmitJob submit;
  submit.spec.account = account;
  submit.spec.qos = qos;
  submit.spec.batch = true;
  submit.spec.script_blob = "of some script";
  yard.controller.submit({1}, submit, ada(), yard.now, yard.out);
  Outbox out = yard.settle();
  const auto* failure = std::get_if<Failure>(&out.replies.at(0).answer);
  return failure ? failure->text : "";
}

constexpr const char* kBadAccount = "Invalid account or account/partition combination specified";
constexpr const char* kBadQos = "Invalid qos specification";

TEST(Submit, AsksThePartitionWhichAccountsItTakes) {
  EXPECT_EQ(refusal({}, "physics", ""), "");
  EXPECT_EQ(refusal({.allow_accounts = "ALL"}, "physics", ""), "");
  EXPECT_EQ(refusal({.allow_accounts = "physics,maths"}, "Maths", ""), "");
  EXPECT_EQ(refusal({.allow_accounts = "physics,maths"}, "arts", ""), kBadAccount);
  EXPECT_EQ(refusal({.allow_accounts = "physics"}, "", ""), kBadAccount);
  EXPECT_EQ(refusal({.deny_accounts = "arts"}, "arts", ""), kBadAccount);
  EXPECT_EQ(refusal({.deny_accounts = "arts"}, "physics", ""), "");
}

TEST(Submit, AsksThePartitionWhichQosItTakes) {
  EXPECT_EQ(refusal({.allow_qos = "high,normal"}, "", "normal"), "");
  EXPECT_EQ(refusal({.allow_qos = "high,normal"}, "", "low"), kBadQos);
  EXPECT_EQ(refusal({.allow_qos = "high"}, "", ""), kBadQos);
  EXPECT_EQ(refusal({.allow_qos = "ALL", .deny_qos = "low"}, "", "LOW"), kBadQos);
  EXPECT_EQ(refusal({.deny_qos = "low"}, "", "high"), "");
}

// MaxMemPerCPU: memory for a CPU beyond it is memory for a task, which gets more CPUs.
TEST(Submit, GivesATaskMoreCpusForMoreMemory) {
  ClusterConfig config = Yard::cluster(1, {.cpus = 8, .memory_mb = 8000});
  config.partitions[0].max_memory_per_cpu_mb = 1000;
  Yard yard(config);
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.tasks = 2;
  submit.spec.memory_per_cpu_mb = 3000;
  yard.submit_and_start(submit);
  const Job& job = yard.job(1);
  EXPECT_EQ(job.state, JobState::Running);
  EXPECT_EQ(job.spec->cpus_per_task, 3u);
  EXPECT_EQ(job.spec->memory_per_cpu_mb, 1000u);
  EXPECT_EQ(job.allocation->nodes[0].cpus, 6u);
}

// Clients cut what they send; this is about those that do not.
TEST(Submit, KeepsOnlySoMuchOfTheLineThatSubmitted) {
  Yard yard(Yard::cluster(1, {.cpus = 8, .memory_mb = 8000}));
  SubmitJob submit;
  submit.spec.batch = true;
  submit.spec.script_blob = "s";
  submit.spec.submit_line = std::string(3 * kSubmitLineMax, 'x');
  yard.submit_and_start(submit);
  EXPECT_EQ(yard.job(1).spec->submit_line, std::string(kSubmitLineMax, 'x'));
}

}  // namespace
}  // namespace ym
