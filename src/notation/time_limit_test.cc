// SPDX-License-Identifier: Apache-2.0
#include "notation/time_limit.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace ym {
namespace {

using std::chrono::seconds;

TEST(TimeLimit, ReadsEveryFormOfTheManual) {
  for (auto [text, expected] :
       std::vector<std::pair<std::string, std::int64_t>>{{"30", 1800},
                                                         {"30:15", 1815},
                                                         {"2:03:04", 7384},
                                                         {"1-2", 93600},
                                                         {"1-2:03", 93780},
                                                         {"1-02:03:04", 93784},
                                                         {"0", 0},
                                                         {"00:00:00", 0},
                                                         {"90:00", 5400},
                                                         {"0:90:00", 5400},
                                                         {"0-0:0:1", 1},
                                                         {"1440", 86400}}) {
    auto limit = parse_time_limit(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->span, seconds(expected)) << text;
    EXPECT_FALSE(limit->unlimited);
  }
  for (auto text : {"UNLIMITED", "infinite", "Unlimited", "-1"})
    EXPECT_EQ(parse_time_limit(text), TimeLimit::none()) << text;
}

TEST(TimeLimit, RefusesWhatIsNoTime) {
  for (auto text : {"",    "x",           "1:2:3:4",    "1-",         "-",  "-2",        "1-2-3",
                    ":",   "1:",          ":1",         "1-2:",       " 5", "5 ",        "+5",
                    "1.5", "99999999999", "4294967295", "49710270-0", "1d", "unlimited1"})
    EXPECT_FALSE(parse_time_limit(text)) << text;
  EXPECT_EQ(parse_time_limit("x").error().text.substr(0, 22), "Invalid time limit \"x\"");
}

TEST(TimeLimit, PrintsAsSqueueAndAsScontrol) {
  for (auto [value, queue, control] :
       std::vector<std::tuple<std::int64_t, std::string, std::string>>{
           {0, "0:00", "00:00:00"},
           {5, "0:05", "00:00:05"},
           {600, "10:00", "00:10:00"},
           {7384, "2:03:04", "02:03:04"},
           {93784, "1-02:03:04", "1-02:03:04"},
           {365 * 86400, "365-00:00:00", "365-00:00:00"},
           {-1, "INVALID", "INVALID"}}) {
    EXPECT_EQ(print_span(seconds(value)), queue);
    EXPECT_EQ(print_span_long(seconds(value)), control);
  }
  EXPECT_EQ(print_time_limit(TimeLimit::none()), "UNLIMITED");
  EXPECT_EQ(print_time_limit_long(TimeLimit::none()), "UNLIMITED");
}

TEST(TimeLimit, MinutesAreRoundedUp) {
  EXPECT_EQ(TimeLimit::of(seconds(60)).minutes(), 1);
  EXPECT_EQ(TimeLimit::of(seconds(61)).minutes(), 2);
  EXPECT_EQ(TimeLimit::of(seconds(0)).minutes(), 0);
}

TEST(TimeLimit, EveryLimitComesBackFromBothPrints) {
  Prng prng(1);
  for (int round = 0; round < 20000; ++round) {
    auto bound = std::uint64_t{1} << prng.between(1, 37);
    auto limit = TimeLimit::of(seconds(static_cast<std::int64_t>(prng.below(bound))));
    ASSERT_EQ(parse_time_limit(print_time_limit(limit)), limit);
    ASSERT_EQ(parse_time_limit(print_time_limit_long(limit)), limit);
  }
}

}  // namespace
}  // namespace ym
