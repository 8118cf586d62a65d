// SPDX-License-Identifier: Apache-2.0
#include "config/preempt.h"

#include <gtest/gtest.h>

#include "config/parse.h"

namespace ym {
namespace {

constexpr const char* kCluster =
    "ClusterName=c\nSlurmctldHost=h\nNodeName=n[1-2] CPUs=4\n"
    "PartitionName=low Nodes=ALL PriorityTier=1\n"
    "PartitionName=high Nodes=ALL PriorityTier=2 PreemptMode=OFF\n";

Result<ParsedConfig> read(const std::string& more) {
  return parse_config("slurm.conf",
                      [&](const std::string&) -> Result<std::string> { return kCluster + more; });
}
ParsedConfig parse(const std::string& more) { return *read(more); }

TEST(Preemption, APartitionThatDoesNotSayHasTheClustersMode) {
  ParsedConfig parsed = parse("PreemptType=preempt/partition_prio\nPreemptMode=suspend,gang\n");
  EXPECT_EQ(parsed.config.preempt.by, PreemptBy::PartitionTier);
  EXPECT_EQ(parsed.config.preempt.mode_text, "GANG,SUSPEND");
  EXPECT_EQ(parsed.config.partitions[0].preempt_mode, "GANG,SUSPEND");
  EXPECT_EQ(parsed.config.partitions[1].preempt_mode, "OFF");
}

TEST(Preemption, ParametersAreReadUnderTheirOldNamesToo) {
  ParsedConfig parsed = parse(
      "PreemptType=preempt/qos\nPreemptMode=REQUEUE\nPreemptExemptTime=00:05:00\n"
      "PreemptParameters=reclaim_licenses,reorder_count=3,min_exempt_priority=9\n"
      "SchedulerParameters=preempt_youngest_first,preempt_strict_order\n"
      "SlurmctldParameters=preempt_send_user_signal\n");
  const PreemptRules& rules = parsed.config.preempt;
  EXPECT_EQ(rules.by, PreemptBy::Qos);
  ASSERT_EQ(parsed.warnings.size(), 1u);
  EXPECT_NE(parsed.warnings[0].find("there is no QOS as yet"), std::string::npos);
  EXPECT_EQ(rules.exempt_s, 300u);
  EXPECT_TRUE(rules.reclaim_licenses);
  EXPECT_TRUE(rules.youngest_first);
  EXPECT_TRUE(rules.strict_order);
  EXPECT_TRUE(rules.send_user_signal);
  EXPECT_EQ(rules.reorder_count, 3u);
  EXPECT_EQ(rules.min_exempt_priority, 9u);
}

TEST(Preemption, SettingsThatContradictEachOtherAreRefused) {
  struct Row {
    const char *text, *error;
  };
  for (const Row& row : {
           Row{"PreemptType=preempt/partition_prio\n", "needs a PreemptMode"},
           Row{"PreemptMode=REQUEUE\n", "needs a PreemptType"},
           Row{"PreemptType=preempt/qos\nPreemptMode=SUSPEND\n", "needs GANG"},
       }) {
    auto parsed = read(row.text);
    ASSERT_FALSE(parsed) << row.text;
    EXPECT_NE(parsed.error().text.find(row.error), std::string::npos) << parsed.error().text;
  }
}

}  // namespace
}  // namespace ym
