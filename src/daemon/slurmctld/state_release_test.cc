// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/state_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "base/format.h"
#include "os/files.h"
#include "store/errc.h"
#include "store/etcd_for_test.h"
#include "store/etcd_home.h"

namespace ym {
namespace {

using testing::HasSubstr;

class StateRelease : public testing::Test {
 protected:
  StateRelease() { std::filesystem::create_directories(dir_); }
  ~StateRelease() override { std::filesystem::remove_all(dir_); }
  std::string dir_ = testing::TempDir() + "ym-state-release-" + std::to_string(::getpid());
  const StatePlace place_{.home = nullptr, .dir = dir_};
};

// In etcd, by one who leads.
class StateReleaseInEtcd : public testing::Test {
 protected:
  StateReleaseInEtcd() {
    EXPECT_TRUE(home_.seize("c0", home_.look().value()));
    EXPECT_TRUE(later_.look());
  }
  EtcdForTest etcd_;
  EtcdHome home_{{.connect = [this] { return etcd_.connect(); }, .prefix = "/p", .members = "m"}};
  EtcdHome later_{{.connect = [this] { return etcd_.connect(); }, .prefix = "/p", .members = "m"}};
  const StatePlace place_{.home = &home_, .dir = "etcd://m/p"};
};

TEST_F(StateRelease, OfNobodyAndOfOurselvesIsTaken) {
  EXPECT_TRUE(check_state_release(place_));
  ASSERT_TRUE(note_state_release(place_));
  EXPECT_TRUE(check_state_release(place_));
  EXPECT_EQ(read_file(dir_ + "/format").value(), fmt::format("{} {}\n", kStateFormat, YM_VERSION));
}

TEST_F(StateRelease, OfALaterReleaseIsRefusedByName) {
  ASSERT_TRUE(write_file(dir_ + "/format", fmt::format("{} 7.3\n", kStateFormat + 1)));
  Status refused = check_state_release(place_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("written by a later release (7.3, format 2)"));
  EXPECT_THAT(refused.error().text, HasSubstr("Nothing was changed"));
}

TEST_F(StateRelease, OfAnEarlierFormatIsTakenAndRaised) {
  ASSERT_TRUE(write_file(dir_ + "/format", "0 0.0.1\n"));
  EXPECT_TRUE(check_state_release(place_));
  ASSERT_TRUE(note_state_release(place_));
  EXPECT_THAT(read_file(dir_ + "/format").value(), HasSubstr(YM_VERSION));
}

TEST_F(StateRelease, KeepsTheNameOfWhoWroteTheFormatFirst) {
  std::string text = fmt::format("{} 0.0.9\n", kStateFormat);
  ASSERT_TRUE(write_file(dir_ + "/format", text));
  ASSERT_TRUE(note_state_release(place_));
  EXPECT_EQ(read_file(dir_ + "/format").value(), text);
}

TEST_F(StateRelease, IsNotLoweredByOneWhoWasLate) {
  ASSERT_TRUE(check_state_release(place_));
  std::string text = fmt::format("{} 7.3\n", kStateFormat + 1);
  ASSERT_TRUE(write_file(dir_ + "/format", text));
  EXPECT_FALSE(note_state_release(place_));
  EXPECT_EQ(read_file(dir_ + "/format").value(), text);
}

TEST_F(StateRelease, IsOursAfterARestoreWhateverItWas) {
  ASSERT_TRUE(write_file(dir_ + "/format", fmt::format("{} 7.3\n", kStateFormat + 1)));
  ASSERT_TRUE(bar_state(place_));
  Status barred = check_state_release(place_);
  ASSERT_FALSE(barred);
  EXPECT_THAT(barred.error().text, HasSubstr("was not finished"));
  ASSERT_TRUE(set_state_release(place_));
  EXPECT_TRUE(check_state_release(place_));
}

TEST_F(StateReleaseInEtcd, IsRefusedWhenLaterAndNotedWhenNot) {
  EXPECT_TRUE(check_state_release(place_)) << "of nobody";
  ASSERT_TRUE(note_state_release(place_));
  EXPECT_EQ(home_.shared_text("format").value(), fmt::format("{} {}\n", kStateFormat, YM_VERSION));
  EXPECT_TRUE(check_state_release(place_));
  ASSERT_TRUE(home_.share_text("format", fmt::format("{} 7.3\n", kStateFormat + 1)));
  Status refused = check_state_release(place_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("the state in etcd://m/p was written by a later"));
}

TEST_F(StateReleaseInEtcd, IsNotWrittenByOneWhoLeadsNoMore) {
  ASSERT_TRUE(later_.seize("c1", later_.look().value()));
  Status late = note_state_release(place_);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, store_errc::kFenced);
}

TEST_F(StateRelease, ThatMakesNoSenseIsRefused) {
  for (const char* text : {"", "x\n", "-1 0.1\n", "99999999999999 0.1\n"}) {
    ASSERT_TRUE(write_file(dir_ + "/format", text));
    EXPECT_FALSE(check_state_release(place_)) << text;
  }
}

}  // namespace
}  // namespace ym
