// SPDX-License-Identifier: Apache-2.0
#include "notation/pattern.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym {
namespace {

PatternValues task_of_an_array() {
  return {.job = 128,
          .array_job = 120,
          .task = 13,
          .step = {StepRef::Kind::Number, 4},
          .node = "n7",
          .node_number = 2,
          .rank = 9,
          .user = "ada",
          .job_name = "engine",
          .sluid = "sA1",
          .restarts = 2};
}

TEST(Pattern, FillsInEveryField) {
  PatternValues values = task_of_an_array();
  for (auto [pattern, name] :
       std::vector<std::pair<std::string, std::string>>{{"slurm-%A_%a.out", "slurm-120_13.out"},
                                                        {"%j", "128"},
                                                        {"%J", "128.4"},
                                                        {"%b", "3"},
                                                        {"%N-%n", "n7-2"},
                                                        {"%s/%t", "4/9"},
                                                        {"%u.%x", "ada.engine"},
                                                        {"%S.%r.%3r", "sA1.2.002"},
                                                        {"100%%", "100%"},
                                                        {"", ""},
                                                        {"plain", "plain"}})
    EXPECT_EQ(expand(pattern, values), name) << pattern;
}

TEST(Pattern, PadsNumbersOnly) {
  PatternValues values = task_of_an_array();
  for (auto [pattern, name] :
       std::vector<std::pair<std::string, std::string>>{{"%5j", "00128"},
                                                        {"%05j", "00128"},
                                                        {"%2j", "128"},
                                                        {"%0j", "128"},
                                                        {"%10j", "0000000128"},
                                                        {"%99j", "0000000128"},
                                                        {"%99999999999999999999j", "0000000128"},
                                                        {"%4t", "0009"},
                                                        {"%3a", "013"},
                                                        {"%6x", "engine"},
                                                        {"%9u", "ada"},
                                                        {"%5N", "n7"},
                                                        {"%6J", "000128.4"},
                                                        {"%3s", "004"},
                                                        {"%3%", "%"}})
    EXPECT_EQ(expand(pattern, values), name) << pattern;
}

TEST(Pattern, LeavesAloneWhatItDoesNotKnow) {
  PatternValues values = task_of_an_array();
  EXPECT_EQ(expand("a%q%5q%", values), "a%q%5q%");
  EXPECT_EQ(expand("%12", values), "%12");
}

TEST(Pattern, ABackslashSwitchesExpansionOff) {
  PatternValues values = task_of_an_array();
  EXPECT_EQ(expand("\\%j-%A", values), "%j-%A");
  EXPECT_EQ(expand("%j\\\\x", values), "%j\\x");
  EXPECT_EQ(expand("%j\\", values), "%j");
  EXPECT_EQ(scope_of("\\%t"), PatternScope::Step);
}

TEST(Pattern, AJobWithoutArrayKeepsSlurmsNumbers) {
  PatternValues values{.job = 128};
  EXPECT_EQ(expand("%A_%a_%b", values), "128_4294967294_4");
  EXPECT_EQ(expand("%J %5s", values), "128 batch");
}

TEST(Pattern, TellsHowManyFilesItMakes) {
  EXPECT_EQ(scope_of("%j.out"), PatternScope::Step);
  EXPECT_EQ(scope_of("%j.%N"), PatternScope::Node);
  EXPECT_EQ(scope_of("%3n"), PatternScope::Node);
  EXPECT_EQ(scope_of("%n.%4t"), PatternScope::Task);
  EXPECT_EQ(scope_of("%%t"), PatternScope::Step);
}

TEST(Pattern, TextWithEscapedPercentsComesBack) {
  Prng prng(1);
  for (int round = 0; round < 5000; ++round) {
    std::string text, pattern;
    for (std::uint64_t i = prng.below(20); i > 0; --i) {
      char c = "%jAat5 x/"[prng.below(9)];
      text += c;
      pattern += c;
      if (c == '%') pattern += c;
    }
    ASSERT_EQ(expand(pattern, task_of_an_array()), text);
  }
}

}  // namespace
}  // namespace ym
