// SPDX-License-Identifier: Apache-2.0
#include "config/gres_conf.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

Result<ParsedGresConfig> parse(const std::string& text) {
  return parse_gres_conf("/etc/slurm/gres.conf", "gpu,shard,mps,tool",
                         [&](const std::string&) -> Result<std::string> { return text; });
}
std::string error_of(const std::string& text) {
  auto parsed = parse(text);
  return parsed ? "accepted" : parsed.error().text;
}

TEST(GresConf, KnowsDevicesByTheirFiles) {
  auto parsed = parse(
      "Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0,1,2\n"
      "NodeName=n[1-3] name=tool COUNT=2K\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  ASSERT_EQ(parsed->lines.size(), 2u);
  EXPECT_EQ(
      parsed->lines[0].item,
      (GresItem{
          .name = "gpu", .type = "a100", .count = 2, .files = "/dev/nvidia[0-1]", .cores = "0-2"}));
  EXPECT_EQ(parsed->lines[1].nodes, "n[1-3]");
  EXPECT_EQ(parsed->lines[1].item.count, 2048u);
}

TEST(GresConf, CountsOneWhereNothingElseIsSaid) {
  EXPECT_EQ(parse("Name=tool\n")->lines[0].item.count, 1u);
}

TEST(GresConf, AGpuMayHaveManyShards) {
  auto parsed = parse("Name=shard Count=8 File=/dev/nvidia0\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(parsed->lines[0].item.count, 8u);
}

TEST(GresConf, AutoDetectMayStandAlone) {
  EXPECT_EQ(parse("AutoDetect=nvml\n")->lines[0].autodetect, "nvml");
}

TEST(GresConf, VariablesAreThoseOfTheLineBefore) {
  auto parsed = parse(
      "Name=gpu File=/dev/a Flags=amd_gpu_env\nName=gpu File=/dev/b\n"
      "Name=gpu Type=x File=/dev/c\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(parsed->lines[1].item.flags, kGresAmdEnv);
  EXPECT_EQ(parsed->lines[2].item.flags, 0u);
}

TEST(GresConf, TellsWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of("Name=gpus File=/dev/a\n"),
            "gres.conf:1: Name=gpus is not in GresTypes of slurm.conf, did you mean gpu?");
  EXPECT_EQ(error_of("\nName=gpu Flie=/dev/a\n"),
            "gres.conf:2: unknown key Flie, did you mean File?");
  EXPECT_EQ(error_of("Name=gpu Count=3 File=/dev/a\n"),
            "gres.conf:1: Count is 3, but there are 1 files");
  EXPECT_EQ(error_of("Count=3\n"), "gres.conf:1: a line needs Name or AutoDetect");
  EXPECT_EQ(error_of("Name=tool Cores=a\n"),
            "gres.conf:1: Cores: 'a' is not a list of cores such as 0-3,8");
  EXPECT_EQ(error_of("Name=tool Count=x\n"),
            "gres.conf:1: Count: 'x' is not a count such as 4 or 10G");
  EXPECT_EQ(error_of("Name=gpu File=nvidia0\n"),
            "gres.conf:1: File: 'nvidia0' is not a path that begins with /");
}

}  // namespace
}  // namespace ym
