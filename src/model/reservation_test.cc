// SPDX-License-Identifier: Apache-2.0
#include "model/reservation.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr Instant kMonday{1795392000000};  // 2026-11-23T00:00:00Z

std::uint64_t bits(ReservationFlag flag) { return static_cast<std::uint64_t>(flag); }

TEST(Reservation, ComesAgainAtTheSameTime) {
  Reservation one{.start = kMonday};
  auto days = [&](ReservationFlag flag, Instant start) {
    one.flags = bits(flag);
    one.start = start;
    return (next_occurrence(one) - start) / std::chrono::hours(24);
  };
  Instant friday = kMonday + std::chrono::hours(4 * 24);
  EXPECT_EQ(days(ReservationFlag::Daily, friday), 1);
  EXPECT_EQ(days(ReservationFlag::Weekly, friday), 7);
  EXPECT_EQ(days(ReservationFlag::Weekday, friday), 3);
  EXPECT_EQ(days(ReservationFlag::Weekday, kMonday), 1);
  EXPECT_EQ(days(ReservationFlag::Weekend, kMonday), 5);
  one = {.start = kMonday, .flags = bits(ReservationFlag::Hourly)};
  EXPECT_EQ(next_occurrence(one) - kMonday, std::chrono::hours(1));
}

TEST(Reservation, PrintsAndReadsItsFlags) {
  Reservation one;
  for (const char* name : {"spec_nodes", "MAINT", "daily", "ignore"})
    one.flags |= bits(reservation_flag(name).value());
  EXPECT_EQ(flags_text(one), "MAINT,IGNORE_JOBS,DAILY,SPEC_NODES");
  one.flags |= bits(ReservationFlag::PurgeComp);
  one.purge_after_s = 300;
  EXPECT_EQ(flags_text(one), "MAINT,IGNORE_JOBS,DAILY,SPEC_NODES,PURGE_COMP=00:05:00");
  EXPECT_FALSE(reservation_flag("x"));
  EXPECT_FALSE(reservation_flag("week"));  // weekday, weekend or weekly?
  EXPECT_EQ(reservation_flag("replace"), ReservationFlag::Replace);
}

TEST(Reservation, AdmitsWhomItNamesAndNotWhomItExcludes) {
  Reservation one{.users = "ada,bob"};
  EXPECT_TRUE(admits(one, "ada", {}, ""));
  EXPECT_FALSE(admits(one, "eve", {}, ""));
  EXPECT_FALSE(admits(one, "root", {}, ""));
  one = {.accounts = "physics"};
  EXPECT_TRUE(admits(one, "eve", {}, "physics"));
  EXPECT_FALSE(admits(one, "eve", {}, "art"));
  one = {.users = "-eve", .accounts = "physics"};
  EXPECT_FALSE(admits(one, "eve", {}, "physics"));
  EXPECT_TRUE(admits(one, "ada", {}, "physics"));
  EXPECT_FALSE(admits(one, "ada", {}, "art"));
  one = {.accounts = "-art"};
  EXPECT_FALSE(admits(one, "ada", {}, "art"));
  EXPECT_TRUE(admits(one, "ada", {}, "physics"));
  one = {.groups = "staff"};
  EXPECT_TRUE(admits(one, "ada", {"users", "staff"}, ""));
  EXPECT_FALSE(admits(one, "ada", {"users"}, ""));
}

}  // namespace
}  // namespace ym
