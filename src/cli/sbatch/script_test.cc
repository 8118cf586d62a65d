// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/script.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/common/command.h"
#include "cli/sbatch/sbatch.h"

namespace ym::cli {
namespace {

std::string words_of(std::string_view line) {
  auto words = shell_words(line);
  if (!words) return "error: " + words.error().text;
  return join(*words, "|");
}

Result<std::vector<std::string>> first_component(std::string_view script) {
  auto components = script_components(script);
  if (!components) return std::unexpected(components.error());
  return components->front();
}

TEST(Script, LinesAreReadWithTheShellsQuotes) {
  EXPECT_EQ(words_of(" -n 4  --time=5"), "-n|4|--time=5");
  EXPECT_EQ(words_of("--comment='two words'"), "--comment=two words");
  EXPECT_EQ(words_of(R"(--comment="say \"hi\"")"), "--comment=say \"hi\"");
  EXPECT_EQ(words_of(R"(--comment="a\b")"), "--comment=a\\b");
  EXPECT_EQ(words_of(R"(-J a\ b)"), "-J|a b");
  EXPECT_EQ(words_of("-n 4 # four"), "-n|4");
  EXPECT_EQ(words_of("-J a#b"), "-J|a#b");
  EXPECT_EQ(words_of("''"), "");
  EXPECT_EQ(words_of("--x='open"), "error: the single quote is not closed");
  EXPECT_EQ(words_of("\"open"), "error: the double quote is not closed");
}

TEST(Script, OptionsEndAtTheFirstCommand) {
  auto words = first_component(
      "#!/bin/sh\n#SBATCH -n 2\n# a comment\n\n#SBATCH -t 5\nhostname\n#SBATCH -n 9\n");
  ASSERT_TRUE(words);
  EXPECT_EQ(join(*words, "|"), "-n|2|-t|5");
}

TEST(Script, OnlyExactLinesCount) {
  auto words = first_component(
      "#!/bin/sh\n##SBATCH -n 2\n #SBATCH -n 3\n#SBATCHx -n 4\n#sbatch -n 5\n#SBATCH\t-n 6");
  ASSERT_TRUE(words);
  EXPECT_EQ(join(*words, "|"), "-n|6");
}

TEST(Script, AnErrorNamesItsLine) {
  auto words = first_component("#!/bin/sh\n#SBATCH --comment='x\n");
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().text, "line 2: the single quote is not closed");
}

TEST(Script, WhatIsNoScriptIsRefused) {
  EXPECT_TRUE(check_script("#!/bin/sh\ntrue\n"));
  EXPECT_FALSE(check_script(""));
  EXPECT_FALSE(check_script(" \n\t\n"));
  EXPECT_FALSE(check_script("hostname\n"));
  EXPECT_FALSE(check_script("#!/bin/sh\r\ntrue\r\n"));
  EXPECT_FALSE(check_script(std::string("#!/bin/sh\n\0x", 12)));
  EXPECT_FALSE(check_script("#!/bin/sh\n" + std::string(kScriptMax, 'x')));
}

TEST(Script, HetjobBeginsTheNextComponent) {
  auto components = script_components(
      "#!/bin/sh\n#SBATCH -n 2\n#SBATCH hetjob\n#SBATCH -n 3\n#SBATCH packjob # old\n");
  ASSERT_TRUE(components);
  ASSERT_EQ(components->size(), 3u);
  EXPECT_EQ(join((*components)[1], "|"), "-n|3");
  EXPECT_TRUE((*components)[2].empty());
}

std::vector<GivenOption> line_of(const std::vector<std::string>& arguments) {
  return known_job_options(kSbatch).set.parse(arguments, Operands::EndOptions).value().options;
}

TEST(Script, TheLineCountsMostThenTheEnvironmentThenTheScript) {
  const char* script = "#!/bin/sh\n#SBATCH -p script -A script -J script\n";
  ::setenv("SBATCH_PARTITION", "environment", 1);
  ::setenv("SBATCH_ACCOUNT", "environment", 1);
  JobOptions options;
  ASSERT_TRUE(apply_batch_options(script, line_of({"-p", "line"}), options));
  EXPECT_EQ(options.spec.partitions, "line");
  EXPECT_EQ(options.spec.account, "environment");
  EXPECT_EQ(options.spec.name, "script");
  ::unsetenv("SBATCH_PARTITION");
  ::unsetenv("SBATCH_ACCOUNT");
}

TEST(Script, ABadOptionInItIsToldAsOnTheLine) {
  JobOptions options;
  auto unknown = apply_batch_options("#!/bin/sh\n#SBATCH --foo\n", {}, options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().text, "unrecognized option '--foo'");
  auto operand = apply_batch_options("#!/bin/sh\n#SBATCH foo\n", {}, options);
  ASSERT_FALSE(operand);
  EXPECT_EQ(operand.error().text, "Invalid directive found in batch script: foo");
  auto value = apply_batch_options("#!/bin/sh\n#SBATCH -n zero\n", {}, options);
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().text, "Invalid numeric value \"zero\" for --ntasks.");
}

}  // namespace
}  // namespace ym::cli
