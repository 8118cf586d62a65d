// SPDX-License-Identifier: Apache-2.0
#include "notation/limit_names.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ym {
namespace {

using Kinds = std::vector<std::uint32_t>;

TEST(LimitNames, AreThoseOfThisMachine) {
  EXPECT_EQ(limit_name(RLIMIT_NOFILE), "NOFILE");
  EXPECT_EQ(limit_name(RLIMIT_AS), "AS");
  EXPECT_EQ(limit_name(RLIMIT_CORE), "CORE");
  EXPECT_EQ(limit_name(RLIMIT_CPU), "CPU");
  EXPECT_EQ(limit_name(RLIMIT_DATA), "DATA");
  EXPECT_EQ(limit_name(RLIMIT_FSIZE), "FSIZE");
  EXPECT_EQ(limit_name(RLIMIT_MEMLOCK), "MEMLOCK");
  EXPECT_EQ(limit_name(RLIMIT_NPROC), "NPROC");
  EXPECT_EQ(limit_name(RLIMIT_RSS), "RSS");
  EXPECT_EQ(limit_name(RLIMIT_STACK), "STACK");
  EXPECT_EQ(limit_name(RLIMIT_NICE), "");
}

TEST(LimitNames, AListNamesThemOnceInOrder) {
  EXPECT_EQ(*parse_limit_names("stack,RLIMIT_CPU, Stack"), (Kinds{RLIMIT_CPU, RLIMIT_STACK}));
  EXPECT_EQ(parse_limit_names("ALL")->size(), 10u);
  EXPECT_EQ(*parse_limit_names("none"), Kinds{});
}

TEST(LimitNames, ExceptionsAreTheRest) {
  Kinds rest = *parse_limit_exceptions("CPU,FSIZE,DATA,STACK,CORE,RSS,NPROC");
  EXPECT_EQ(rest, (Kinds{RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_AS}));
  EXPECT_EQ(parse_limit_exceptions("NONE")->size(), 10u);
}

TEST(LimitNames, WhatIsNoLimitIsRefused) {
  EXPECT_EQ(parse_limit_names("CPU,FOO").error().text, "'FOO' is not a resource limit");
  EXPECT_FALSE(parse_limit_names(""));
  EXPECT_FALSE(parse_limit_names("ALL,CPU"));
}

}  // namespace
}  // namespace ym
