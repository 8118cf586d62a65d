// SPDX-License-Identifier: Apache-2.0
#include "cli/options/components.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ym::cli {
namespace {

std::string shown(const std::vector<std::vector<std::string>>& components) {
  std::string out;
  for (const auto& words : components) out += "[" + join(words, " ") + "]";
  return out;
}

TEST(Components, AColonWhereOptionsEndBeginsTheNext) {
  EXPECT_EQ(shown(split_components(kSbatch, {"-n", "1", ":", "-n2", "job.sh", ":", "x"})),
            "[-n 1][-n2 job.sh : x]");
  EXPECT_EQ(shown(split_components(kSbatch, {"job.sh", ":", "x"})), "[job.sh : x]");
  EXPECT_EQ(shown(split_components(kSalloc, {":", "-N", "2"})), "[][-N 2]");
}

TEST(Components, OfSrunEachHasItsProgram) {
  EXPECT_EQ(shown(split_components(kSrun, {"-n1", "a", "b", ":", "-n2", "c"})), "[-n1 a b][-n2 c]");
}

TEST(Components, TakeOverWhatSlurmHandsOn) {
  EXPECT_EQ(shown(complete_components(
                kSbatch, {{"-A", "physics", "-n", "4", "--hold"}, {"-A", "x"}, {"job.sh"}}, 0)),
            "[-A physics -n 4 --hold][--account=physics --hold -A x]"
            "[--account=physics --hold --account=x job.sh]");
  EXPECT_EQ(shown(complete_components(kSbatch, {{"-t", "5", "-c2", "job.sh"}}, 2)),
            "[-t 5 -c2 job.sh][--time=5]");
}

TEST(Components, WhatCannotBeUnderstoodIsLeftForTheParser) {
  EXPECT_EQ(shown(complete_components(kSbatch, {{"--foo", "-A", "x"}, {"-n", "1"}}, 0)),
            "[--foo -A x][-n 1]");
}

TEST(Components, OneRequestCarriesAll) {
  SubmissionContext context{.command = kSbatch, .work_dir = "/w", .host = "h"};
  std::vector<JobOptions> components(3);
  components[0].tasks = 2;
  components[1].tasks = 5;
  auto request = make_submission(components, context);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->spec.tasks, 2u);
  ASSERT_EQ(request->het.size(), 2u);
  EXPECT_EQ(request->het[0].tasks, 5u);
  EXPECT_EQ(request->het[1].tasks, 1u);
}

}  // namespace
}  // namespace ym::cli
