// SPDX-License-Identifier: Apache-2.0
#include "cli/options/exports.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

namespace ym::cli {
namespace {

std::string with_bars(const EnvironmentBlock& environment) {
  std::string text = environment.bytes();
  std::replace(text.begin(), text.end(), '\0', '|');
  return text;
}
const std::vector<std::string> kEnvironment = {"A=1", "B=2", "SLURM_CONF=/x"};
std::string exported(std::string_view list) {
  return with_bars(exported_environment(list, kEnvironment));
}

TEST(Exports, TheListChoosesTheEnvironment) {
  EXPECT_EQ(exported(""), "A=1|B=2|SLURM_CONF=/x|");
  EXPECT_EQ(exported("ALL"), "A=1|B=2|SLURM_CONF=/x|");
  EXPECT_EQ(exported("NONE"), "SLURM_CONF=/x|");
  EXPECT_EQ(exported("nil"), "SLURM_CONF=/x|");
  EXPECT_EQ(exported("B"), "B=2|SLURM_CONF=/x|");
  EXPECT_EQ(exported("B=9,C=3"), "B=9|C=3|SLURM_CONF=/x|");
}

TEST(Exports, WithAllWhatIsSetCountsMoreThanWhatTheListGives) {
  EXPECT_EQ(exported("ALL,A=7,C=3"), "A=1|B=2|C=3|SLURM_CONF=/x|");
}

TEST(Exports, QuotesKeepCommasTogether) {
  EXPECT_EQ(exported("C='1,2',D=\"x y\""), "C=1,2|D=x y|SLURM_CONF=/x|");
  EXPECT_EQ(export_words(",,a,"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(export_words("a='1"), (std::vector<std::string>{"a=1"}));
}

TEST(Exports, AFileGivesVariablesEndedByNul) {
  char path[] = "/tmp/ymexport.XXXXXX";
  int fd = ::mkstemp(path);
  std::string text("A=two words\0NEW=line\nbreak\0", 28);
  ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  JobOptions options;
  options.export_file = path;
  auto read = batch_environment(options, {.environment = kEnvironment});
  ASSERT_TRUE(read) << read.error().text;
  EXPECT_EQ(read->get("A"), "two words");
  EXPECT_EQ(read->get("NEW"), "line\nbreak");
  options.export_file = std::to_string(fd);
  ::lseek(fd, 0, SEEK_SET);
  EXPECT_EQ(batch_environment(options, {.environment = kEnvironment})->get("A"), "two words");
  ::close(fd);
  ::unlink(path);
  EXPECT_FALSE(batch_environment(options, {.environment = kEnvironment}));
  options.export_file = "1";
  EXPECT_FALSE(batch_environment(options, {.environment = kEnvironment}));
}

TEST(Exports, ABatchJobDoesNotInheritTheCountsOfTheJobAroundIt) {
  JobOptions options;
  SubmissionContext context{.work_dir = "/here",
                            .environment = {"SLURM_NTASKS=8", "SLURM_SUBMIT_DIR=/there"}};
  auto none = batch_environment(options, context);
  EXPECT_FALSE(none->has("SLURM_NTASKS"));
  EXPECT_EQ(none->get("SLURM_SUBMIT_DIR"), "/here");
  options.tasks = 1;
  EXPECT_EQ(batch_environment(options, context)->get("SLURM_NTASKS"), "1");
}

TEST(Exports, LimitsTravelAsVariables) {
  EnvironmentBlock environment;
  add_limits(environment, {{.kind = 7, .soft = 1024}, {.kind = 4, .soft = 0, .required = true}});
  EXPECT_EQ(with_bars(environment), "SLURM_RLIMIT_CORE=U0|SLURM_RLIMIT_NOFILE=1024|");
}

}  // namespace
}  // namespace ym::cli
