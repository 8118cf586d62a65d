// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/revoked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/files.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);

class RevokedListTest : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "/revoked";
  void SetUp() override { ASSERT_TRUE(write_file(path_, "")); }
};

TEST_F(RevokedListTest, WhatWasNotedIsKnownAfterARestart) {
  RevokedList list(path_);
  EXPECT_THAT(list.load(kNow), IsEmpty());
  list.note(Sluid{7}, kNow);
  list.note(Sluid{9}, kNow);
  EXPECT_THAT(RevokedList(path_).load(kNow), ElementsAre(Sluid{7}, Sluid{9}));
}

TEST_F(RevokedListTest, WhatNoCredentialCanOutliveIsForgotten) {
  RevokedList list(path_);
  list.load(kNow);
  list.note(Sluid{7}, kNow);
  list.note(Sluid{9}, kNow + std::chrono::minutes(10));
  EXPECT_THAT(RevokedList(path_).load(kNow + RevokedList::kRemember), ElementsAre(Sluid{9}));
}

TEST_F(RevokedListTest, IsNobodysToRead) {
  ASSERT_TRUE(write_file(path_, "7 1800000000\n", 0644));  // as before
  RevokedList(path_).load(kNow);
  struct stat file{};
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
}

TEST_F(RevokedListTest, LinesThatMakeNoSenseArePassedOver) {
  ASSERT_TRUE(write_file(path_, "\n7\nx 1800000000\n8 1800000000\n9 1800000000 1\n-1 1\n10 18000"));
  EXPECT_THAT(RevokedList(path_).load(kNow), ElementsAre(Sluid{8}));
}

}  // namespace
}  // namespace ym
