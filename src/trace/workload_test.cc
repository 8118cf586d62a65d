// SPDX-License-Identifier: Apache-2.0
#include "trace/workload.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Workload, ANameHasOnePlace) {
  std::vector<std::string> list;
  Names names(list);
  EXPECT_EQ(names.place_of("ann"), 0u);
  EXPECT_EQ(names.place_of("bob"), 1u);
  EXPECT_EQ(names.place_of("ann"), 0u);
  EXPECT_EQ(list, (std::vector<std::string>{"ann", "bob"}));
}

TEST(Workload, IsSettledFromTheFirstSubmissionOn) {
  Workload w{.jobs = {{.id = 1, .submit_s = 50, .recorded_start_s = 60},
                      {.id = 2, .submit_s = 20},
                      {.id = 3, .submit_s = 50}},
             .origin_unix_s = 1000};
  settle(w);
  EXPECT_EQ(w.jobs[0].id, 2u);
  EXPECT_EQ(w.jobs[0].submit_s, 0);
  EXPECT_EQ(w.jobs[0].recorded_start_s, kNotStarted);
  EXPECT_EQ(w.jobs[1].id, 1u);
  EXPECT_EQ(w.jobs[1].recorded_start_s, 40);
  EXPECT_EQ(w.jobs[2].id, 3u);
  EXPECT_EQ(w.origin_unix_s, 1020);
}

}  // namespace
}  // namespace ym::trace
