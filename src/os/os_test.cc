// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "os/log.h"
#include "os/users.h"

namespace ym {
namespace {

TEST(Log, LinesCarryTheLocalTimeToTheMillisecond) {
  EXPECT_EQ(log_line(1'000'000'000'123, 3600, LogLevel::Error, "no"),
            "[2001-09-09T02:46:40.123] error: no\n");
}
TEST(Log, ALineStaysOneLineWhateverIsInIt) {
  std::string line = log_line(0, 0, LogLevel::Info, "a\nb");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}
TEST(Log, LevelsHaveNamesAndNumbers) {
  EXPECT_EQ(parse_log_level("Debug2"), LogLevel::Debug2);
  EXPECT_EQ(parse_log_level("3"), LogLevel::Info);
  EXPECT_FALSE(parse_log_level("loud"));
  EXPECT_FALSE(parse_log_level("10"));
}
TEST(Users, RootIsKnownAndNobodyElseWithAnAbsurdNumber) {
  auto root = user_by_uid(0);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->name, "root");
  EXPECT_FALSE(user_by_uid(0xfffffff0));
  EXPECT_FALSE(groups_of("root", 0).empty());
}

}  // namespace
}  // namespace ym
