// SPDX-License-Identifier: Apache-2.0
#include "net/key_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "net/token.h"

namespace ym {
namespace {

using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);
constexpr Duration kMinute = std::chrono::minutes(1), kHour = std::chrono::hours(1);

// A key that expires after `left`, or never.
std::string entry(const std::string& name, Duration left, bool is_default = false) {
  std::string expires =
      left > Duration(0) ? fmt::format(R"(,"exp":{})", (kNow + left).unix_seconds()) : "";
  return fmt::format(R"({{"kid":"{}","k":"{}"{}{}}})", name,
                     base64url_encode(std::string(32, name.front())), expires,
                     is_default ? R"(,"use":"default")" : "");
}
KeyRing ring(const std::string& entries, Instant now = kNow) {
  auto made = KeyRing::from_jwks("{\"keys\":[" + entries + "]}", nullptr, now);
  EXPECT_TRUE(made) << made.error().text;
  return std::move(*made);
}

class KeyWatchTest : public testing::Test {
 protected:
  std::string said(Keys& keys, Duration later) {
    return watch_.look(keys, kNow + later).value_or("");
  }
  KeyWatch watch_;
};

TEST_F(KeyWatchTest, WarnsADayAndAnHourBeforeAndOnceEach) {
  Keys keys(ring(entry("old", 48 * kHour, true)));
  EXPECT_EQ(said(keys, Duration(0)), "");
  EXPECT_THAT(said(keys, 25 * kHour), HasSubstr("key old, which signs, expires within a day"));
  EXPECT_EQ(said(keys, 26 * kHour), "");
  EXPECT_THAT(said(keys, 47 * kHour), HasSubstr("within an hour"));
  EXPECT_EQ(said(keys, 48 * kHour - kMinute / 2), "") << "there is no other";
  EXPECT_EQ(watch_.trouble(), "");
  EXPECT_THAT(said(keys, 48 * kHour), HasSubstr("every key has expired"));
  EXPECT_THAT(watch_.trouble(), HasSubstr("slurm.jwks"));
  EXPECT_EQ(said(keys, 49 * kHour), "") << "once";
}

TEST_F(KeyWatchTest, AnotherKeySignsWhenTheDefaultComesToItsEnd) {
  Keys keys(ring(entry("old", 2 * kHour, true) + "," + entry("short", 3 * kHour) + "," +
                 entry("new", Duration(0)) + "," + entry("too", Duration(0))));
  EXPECT_THAT(said(keys, Duration(0)), HasSubstr("within a day"));
  EXPECT_THAT(said(keys, kHour), HasSubstr("make another key of slurm.jwks the default"));
  EXPECT_EQ(keys.ring()->signing().name, "old");
  // Before it has expired: what is signed now has to be believed for a while.
  EXPECT_THAT(said(keys, 2 * kHour - kMinute), HasSubstr("new signs now"));
  EXPECT_EQ(keys.ring()->signing().name, "new");
  EXPECT_EQ(keys.ring()->preferred().name, "old");
  EXPECT_EQ(said(keys, 2 * kHour), "");
  EXPECT_EQ(watch_.trouble(), "");
  // The administrator has mended it.
  keys.set(ring(entry("new", Duration(0), true)));
  EXPECT_EQ(said(keys, 3 * kHour), "");
}

TEST_F(KeyWatchTest, WhatIsSignedAfterwardsIsBelieved) {
  Keys keys(ring(entry("old", kHour, true) + "," + entry("new", Duration(0))));
  EXPECT_NE(said(keys, kHour), "");
  std::string signature = sign_blob(*keys.ring(), "step", "7");
  Instant later = kNow + kHour + kMinute;
  EXPECT_TRUE(
      verify_blob(*keys.ring(), "step", "7", signature, {.now = later, .skew = Duration(0)}));
}

TEST_F(KeyWatchTest, OneThatEndedBeforeTheStartIsSaidAtTheStart) {
  Keys keys(ring(entry("old", kHour, true) + "," + entry("new", Duration(0)), kNow + 2 * kHour));
  EXPECT_EQ(keys.ring()->describe(), "old, new (signs)");
  EXPECT_THAT(said(keys, 2 * kHour), HasSubstr("new signs now"));
}

TEST_F(KeyWatchTest, ASetThatComesBetweenIsNotOverwritten) {
  Keys keys(ring(entry("old", kHour, true) + "," + entry("new", Duration(0))));
  auto before = keys.ring();
  keys.set(ring(entry("brought", Duration(0))));
  keys.replace(before, *before);
  EXPECT_EQ(keys.ring()->describe(), "brought (signs)");
}

}  // namespace
}  // namespace ym
