// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/state_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "base/format.h"
#include "os/files.h"

namespace ym {
namespace {

using testing::HasSubstr;

class StateRelease : public testing::Test {
 protected:
  StateRelease() { std::filesystem::create_directories(dir_); }
  ~StateRelease() override { std::filesystem::remove_all(dir_); }
  std::string dir_ = testing::TempDir() + "ym-state-release-" + std::to_string(::getpid());
};

TEST_F(StateRelease, OfNobodyAndOfOurselvesIsTaken) {
  EXPECT_TRUE(check_state_release(dir_));
  ASSERT_TRUE(note_state_release(dir_));
  EXPECT_TRUE(check_state_release(dir_));
  EXPECT_EQ(read_file(dir_ + "/format").value(), fmt::format("{} {}\n", kStateFormat, YM_VERSION));
}

TEST_F(StateRelease, OfALaterReleaseIsRefusedByName) {
  ASSERT_TRUE(write_file(dir_ + "/format", fmt::format("{} 7.3\n", kStateFormat + 1)));
  Status refused = check_state_release(dir_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("written by a later release (7.3, format 2)"));
  EXPECT_THAT(refused.error().text, HasSubstr("Nothing was changed"));
}

TEST_F(StateRelease, OfAnEarlierFormatIsTakenAndRaised) {
  ASSERT_TRUE(write_file(dir_ + "/format", "0 0.0.1\n"));
  EXPECT_TRUE(check_state_release(dir_));
  ASSERT_TRUE(note_state_release(dir_));
  EXPECT_THAT(read_file(dir_ + "/format").value(), HasSubstr(YM_VERSION));
}

TEST_F(StateRelease, KeepsTheNameOfWhoWroteTheFormatFirst) {
  std::string text = fmt::format("{} 0.0.9\n", kStateFormat);
  ASSERT_TRUE(write_file(dir_ + "/format", text));
  ASSERT_TRUE(note_state_release(dir_));
  EXPECT_EQ(read_file(dir_ + "/format").value(), text);
}

TEST_F(StateRelease, ThatMakesNoSenseIsRefused) {
  for (const char* text : {"", "x\n", "-1 0.1\n", "99999999999999 0.1\n"}) {
    ASSERT_TRUE(write_file(dir_ + "/format", text));
    EXPECT_FALSE(check_state_release(dir_)) << text;
  }
}

}  // namespace
}  // namespace ym
