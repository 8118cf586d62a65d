// SPDX-License-Identifier: Apache-2.0
#include "os/helper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ym {
namespace {

// Runs it in a process of its own, since there is no way back.
template <class Try>
bool holds_in_a_child(Try&& attempt) {
  pid_t child = ::fork();
  if (child == 0) ::_exit(attempt() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(Helper, WhatIsNoNumberIsRefused) {
  EXPECT_FALSE(become_user("me", "7", ""));
  EXPECT_FALSE(become_user("7", "", ""));
  EXPECT_FALSE(holds_in_a_child([] { return become_user("12345", "12345", "100,staff"); }));
}

TEST(Helper, RootBecomesTheUserForGoodWithHisGroupsOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  EXPECT_TRUE(holds_in_a_child([] {
    if (!become_user("12345", "12346", "12347")) return false;
    gid_t groups[4];
    return ::getuid() == 12345 && ::getegid() == 12346 && ::getgroups(4, groups) == 1 &&
           groups[0] == 12347 && ::setuid(0) != 0;
  }));
}

TEST(Helper, NobodyElseBecomesAnybody) {
  std::string self = std::to_string(::geteuid() == 0 ? 12345 : ::geteuid());
  EXPECT_TRUE(holds_in_a_child([&] {
    return become_user(self, self, "") && become_user(self, self, "") && !become_user("0", "0", "");
  }));
}

TEST(Helper, AnInheritedFileIsReadAndClosed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "secret", 6), 6);
  ::close(ends[1]);
  EXPECT_EQ(read_inherited(ends[0]), "secret");
  EXPECT_EQ(::fcntl(ends[0], F_GETFD), -1);
  EXPECT_EQ(read_inherited(ends[0]), "");
}

}  // namespace
}  // namespace ym
