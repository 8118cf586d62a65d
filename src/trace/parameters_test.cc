// SPDX-License-Identifier: Apache-2.0
#include "trace/parameters.h"

#include <gtest/gtest.h>

namespace ym::trace {
namespace {

TEST(Parameters, WhatIsNotActedOnIsSaidOnce) {
  EXPECT_EQ(parameter_warnings("bf_max_job_assoc=3,bf_max_job_test=10,preempt_youngest_first"),
            std::vector<std::string>({"SchedulerParameters: bf_max_job_assoc is not acted on"}));
}

}  // namespace
}  // namespace ym::trace
