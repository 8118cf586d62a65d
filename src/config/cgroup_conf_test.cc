// SPDX-License-Identifier: Apache-2.0
#include "config/cgroup_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ParsedCgroupConfig> parse(const std::string& text) {
  return parse_cgroup_conf("/etc/slurm/cgroup.conf",
                           [&](const std::string&) -> Result<std::string> { return text; });
}

TEST(CgroupConf, AnEmptyFileConfinesNothingAsSlurmDoes) {
  auto parsed = parse("");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_FALSE(parsed->config.constrain_cores);
  EXPECT_FALSE(parsed->config.constrain_memory);
  EXPECT_FALSE(parsed->config.constrain_devices);
  EXPECT_EQ(parsed->config.mount_point, "/sys/fs/cgroup");
}

TEST(CgroupConf, EveryKeyThatCountsIsTaken) {
  auto parsed = parse(
      "CgroupPlugin=Cgroup/V2\nCgroupMountpoint=/cg\nconstraincores=YES\nConstrainRAMSpace=true\n"
      "ConstrainSwapSpace=yes\nConstrainDevices=yes\nAllowedRAMSpace=98.5%\nAllowedSwapSpace=10\n"
      "MinRAMSpace=64\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  CgroupConfig expected{.plugin = "cgroup/v2",
                        .mount_point = "/cg",
                        .constrain_cores = true,
                        .constrain_memory = true,
                        .constrain_swap = true,
                        .constrain_devices = true,
                        .allowed_memory_percent = 98,
                        .allowed_swap_percent = 10,
                        .min_memory_mb = 64};
  EXPECT_EQ(parsed->config, expected);
}

TEST(CgroupConf, KeysOfFormerReleasesAreIgnoredWithAWarning) {
  auto parsed = parse("CgroupAutomount=yes\nIgnoreSystemd=yes\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(parsed->warnings,
              ElementsAre("cgroup.conf:1: CgroupAutomount is obsolete and has no effect",
                          "cgroup.conf:2: IgnoreSystemd is known but not acted on yet"));
}

TEST(CgroupConf, ErrorsTellLineAndWhatWouldBeRight) {
  auto parsed = parse("ConstrainCores=maybe\n\nConstrainRam=yes\nAllowedRAMSpace=-3\n");
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text,
              HasSubstr("cgroup.conf:1: ConstrainCores: 'maybe' is not YES or NO"));
  EXPECT_THAT(parsed.error().text, HasSubstr("cgroup.conf:3: unknown key ConstrainRam"));
  EXPECT_THAT(parsed.error().text, HasSubstr("cgroup.conf:4: AllowedRAMSpace"));
}

}  // namespace
}  // namespace ym
