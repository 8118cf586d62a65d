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

}  // namespace
}  // namespace ym
