// SPDX-License-Identifier: Apache-2.0
#include "config/oci_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ParsedOciConfig> parse(const std::string& text) {
  return parse_oci_conf("/etc/slurm/oci.conf",
                        [&](const std::string&) -> Result<std::string> { return text; });
}

TEST(OciConf, EveryKeyThatCountsIsTaken) {
  auto parsed = parse(
      "ContainerPath=/run/containers/%U/%j.%s\n"
      "createenvfile=newline\nDisableCleanup=true\nDisableHooks=prestart,POSTSTOP\n"
      "EnvExclude=\"^(SLURM_CONF|SLURM_CONF_SERVER)=\"\nRunTimeEnvExclude=\"^X=\"\n"
      "IgnoreFileConfigJson=true\nMountSpoolDir=/mnt/%j\nStdIODebug=debug2\n"
      "RunTimeQuery=\"runc state %n.%u.%j.%s.%t\"  # comment\n"
      "RunTimeCreate=\"runc create %n.%u.%j.%s.%t -b %b\"\n"
      "RunTimeStart=\"runc start %n\"\nRunTimeRun=\"runc run -b %b %j\"\n"
      "RunTimeKill=\"kill -s SIGTERM %p\"\nRunTimeDelete=\"runc delete --force %j\"\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  OciConfig expected{.configured = true,
                     .container_path = "/run/containers/%U/%j.%s",
                     .mount_spool_dir = "/mnt/%j",
                     .create = "runc create %n.%u.%j.%s.%t -b %b",
                     .start = "runc start %n",
                     .run = "runc run -b %b %j",
                     .kill = "kill -s SIGTERM %p",
                     .remove = "runc delete --force %j",
                     .query = "runc state %n.%u.%j.%s.%t",
                     .env_exclude = "^(SLURM_CONF|SLURM_CONF_SERVER)=",
                     .runtime_env_exclude = "^X=",
                     .environment_file = EnvironmentFile::Newline,
                     .disabled_hooks = {"prestart", "poststop"},
                     .keep_files = true,
                     .ignore_config = true,
                     .tell_operations = true};
  EXPECT_EQ(parsed->config, expected);
  EXPECT_TRUE(parsed->warnings.empty());
}

TEST(OciConf, WhatOnlyScrunAndLogsUseIsIgnoredWithAWarning) {
  auto parsed = parse("RunTimeRun=x\nSrunPath=/bin/srun\nSrunArgs=-v\nFileDebug=debug\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(parsed->warnings, ElementsAre("oci.conf:2: SrunPath is for scrun, which there is not",
                                            "oci.conf:3: SrunArgs is for scrun, which there is not",
                                            "oci.conf:4: FileDebug is known but not acted on yet"));
}

TEST(OciConf, CreateEnvFileHasItsFormerWordsToo) {
  EXPECT_EQ(parse("RunTimeRun=x\nCreateEnvFile=true\n")->config.environment_file,
            EnvironmentFile::Null);
  EXPECT_EQ(parse("RunTimeRun=x\nCreateEnvFile=false\n")->config.environment_file,
            EnvironmentFile::None);
  EXPECT_EQ(parse("RunTimeRun=x\nCreateEnvFile=NULL\n")->config.environment_file,
            EnvironmentFile::Null);
}

TEST(OciConf, WhatMakesNoSenseIsRefusedWithItsLine) {
  struct {
    const char* line;
    const char* text;
  } rows[] = {
      {"RunTimRun=x", "unknown key RunTimRun; did you mean RunTimeRun?"},
      {"RunTimeRun=\"x %q\"", "oci.conf:1: RunTimeRun: %q means nothing"},
      {"RunTimeRun=\"x %p\"", "%p is for RunTimeKill and RunTimeDelete"},
      {"ContainerPath=tmp", "ContainerPath: 'tmp' is not a path that begins with /"},
      {"EnvExclude=(", "EnvExclude: '(' is no regular expression"},
      {"CreateEnvFile=maybe", "'maybe' is not null, newline or disabled"},
      {"DisableHooks=never", "DisableHooks: 'never' is not prestart"},
      {"DisableCleanup=perhaps", "'perhaps' is not true or false"},
      {"StdIODebug=loud", "'loud' is not a debug level"},
      {"", "nothing runs a container"},
      {"RunTimeCreate=x", "nothing runs a container"},
  };
  for (const auto& row : rows) {
    auto parsed = parse(row.line);
    ASSERT_FALSE(parsed) << row.line;
    EXPECT_THAT(parsed.error().text, HasSubstr(row.text));
  }
  EXPECT_TRUE(parse("RunTimeCreate=a\nRunTimeStart=b\nRunTimeQuery=c\n"));
}

}  // namespace
}  // namespace ym
