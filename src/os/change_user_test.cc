// SPDX-License-Identifier: Apache-2.0
#include "os/change_user.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "os/files.h"
#include "os/privileges.h"

namespace ym {
namespace {

class ChangeUserTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    auto found = user_by_name("daemon");
    if (!found) GTEST_SKIP() << found.error().text;
    user_ = *found;
    char name[] = "/tmp/ymuser.XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    dir_ = name;
  }
  void TearDown() override {
    if (!dir_.empty()) std::filesystem::remove_all(dir_);
  }
  std::string file(const std::string& name) {
    EXPECT_TRUE(write_file(dir_ + "/" + name, "x"));
    return dir_ + "/" + name;
  }
  static uid_t owner(const std::string& path) {
    struct stat found{};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found.st_uid;
  }
  // What `work` returns in a process of its own.
  template <class Work>
  static int in_child(Work work) {
    pid_t pid = ::fork();
    if (pid == 0) ::_exit(work());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  UserEntry user_;
  std::string dir_;
};

// One of the sets of /proc/self/status.
std::uint64_t capabilities(std::string_view kind) {
  std::string text = read_file("/proc/self/status").value_or("");
  for (std::string_view line : split(text, '\n'))
    if (line.starts_with(kind))
      return std::stoull(std::string(trim(line.substr(kind.size() + 1))), nullptr, 16);
  return ~std::uint64_t{0};
}

TEST_F(ChangeUserTest, GivesWhatIsRootsAndFollowsNoLink) {
  std::string plain = file("plain"), twice = file("twice"), aim = file("aim");
  ASSERT_EQ(::link(twice.c_str(), (dir_ + "/other").c_str()), 0);
  ASSERT_EQ(::symlink(aim.c_str(), (dir_ + "/link").c_str()), 0);
  EXPECT_TRUE(give_to(user_, plain));
  EXPECT_EQ(owner(plain), user_.uid);
  EXPECT_FALSE(give_to(user_, twice)) << "its other name may be anywhere";
  EXPECT_FALSE(give_to(user_, dir_ + "/link"));
  EXPECT_EQ(owner(twice), 0u);
  EXPECT_EQ(owner(aim), 0u);
  EXPECT_TRUE(give_to(user_, dir_ + "/missing"));
}

TEST_F(ChangeUserTest, GivesAFolderWithAllThatIsInItAndLeavesOthersTheirs) {
  ASSERT_TRUE(make_folders(dir_ + "/top/inner", 0700));
  std::string deep = file("top/inner/deep"), theirs = file("top/theirs");
  ASSERT_EQ(::chown(theirs.c_str(), user_.uid + 1, 0), 0);
  EXPECT_TRUE(give_tree_to(user_, dir_ + "/top"));
  for (const std::string& path : {dir_ + "/top", dir_ + "/top/inner", deep})
    EXPECT_EQ(owner(path), user_.uid) << path;
  EXPECT_EQ(owner(theirs), user_.uid + 1);
  ASSERT_EQ(::symlink("/etc", (dir_ + "/top/inner/link").c_str()), 0);
  EXPECT_FALSE(give_tree_to(user_, dir_ + "/top"));
  EXPECT_EQ(owner("/etc"), 0u);
}

TEST_F(ChangeUserTest, ThereIsNoWayBack) {
  int wrong = in_child([&] {
    if (!become_for_good(user_)) return 1;
    if (::getuid() != user_.uid || ::geteuid() != user_.uid || ::getegid() != user_.gid) return 2;
    if (::setuid(0) == 0 || ::setgid(0) == 0) return 3;
    for (const char* kind : {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"})
      if (capabilities(kind) != 0) return 4;
    return 0;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(ChangeUserTest, OnlyWhatIsNeededIsKeptAndNothingIsTakenFromWhatIsExecuted) {
  std::uint64_t before = capabilities("CapEff:"), bounding = capabilities("CapBnd:");
  int wrong = in_child([&] {
    std::uint64_t kept = before & needed_capabilities(), permitted = capabilities("CapPrm:");
    keep_needed_capabilities(GiveUp::ForNow);
    if (capabilities("CapEff:") != kept || capabilities("CapPrm:") != permitted) return 3;
    keep_needed_capabilities(GiveUp::ForGood);
    if (capabilities("CapEff:") != kept || capabilities("CapPrm:") != kept) return 1;
    return capabilities("CapBnd:") == bounding ? 0 : 2;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace ym
