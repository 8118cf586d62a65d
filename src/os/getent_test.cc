// SPDX-License-Identifier: Apache-2.0
#include "os/getent.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace ym {
namespace {

// A getent of our own, found first.
class Getent : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "getent_test";
    std::filesystem::create_directories(folder_);
    path_ = ::getenv("PATH");
    ::setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  void program(const std::string& text) {
    std::ofstream(folder_ + "/getent") << "#!/bin/sh\n" << text << "\n";
    ::chmod((folder_ + "/getent").c_str(), 0755);
  }
  std::string folder_, path_;
};

TEST_F(Getent, GivesTheFirstLine) {
  program("echo \"$2 of $3\"; echo more");
  EXPECT_EQ(getent("passwd", "ada").value(), "passwd of ada");
}

TEST_F(Getent, KnowsWhenNobodyIsThere) {
  program("exit 2");
  EXPECT_FALSE(getent("passwd", "ada"));
  program("true");
  EXPECT_FALSE(getent("passwd", "ada"));
  EXPECT_FALSE(getent("passwd", ""));
}

TEST_F(Getent, DoesNotTakeNamesForOptions) {
  program("[ \"$1\" = -- ] && echo safe");
  EXPECT_EQ(getent("passwd", "--help").value(), "safe");
}

TEST_F(Getent, IsNotBelievedWithoutEnd) {
  program("exec head -c 1000000 /dev/zero");
  EXPECT_FALSE(getent("passwd", "ada"));
}

}  // namespace
}  // namespace ym
