// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/reservations.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

constexpr Instant kNow{1'000'000};

TEST(ReservationRows, CountLicencesOfThoseThatAreActive) {
  State state;
  state.licenses = Ref(Licenses{{"matlab", {.name = "matlab", .total = 4, .used = 1}}});
  state.reservations.put(
      1,
      {.id = {1}, .name = "now", .start = kNow, .end = kNow + Duration(9), .licenses = "matlab:2"});
  state.reservations.put(2, {.id = {2},
                             .name = "later",
                             .start = kNow + Duration(5),
                             .end = kNow + Duration(9),
                             .licenses = "matlab:1"});
  EXPECT_EQ(license_rows(state, "", kNow).rows.at(0).reserved, 2u);
  EXPECT_TRUE(license_rows(state, "x", kNow).rows.empty());
  EXPECT_EQ(reservation_rows(state, "", kNow).rows.size(), 2u);
  EXPECT_EQ(reservation_rows(state, "later", kNow).rows.at(0).reservation.name, "later");
}

TEST(ReservationRows, ANodeOfAnActiveOneIsMarked) {
  State state;
  state.reservations.put(1, {.id = {1},
                             .name = "r",
                             .start = kNow,
                             .end = kNow + Duration(9),
                             .nodes = {{.node = {1}}, {.node = {2}, .cpus = 1, .whole = false}}});
  auto marked = [&](std::uint32_t id, Instant now) {
    NodeRow row{.node = {.id = {id}}};
    mark_reservation(row, state, now);
    return row.reservation;
  };
  EXPECT_EQ(marked(1, kNow), "r");
  EXPECT_EQ(marked(2, kNow), "");
  EXPECT_EQ(marked(3, kNow), "");
  EXPECT_EQ(marked(1, kNow + Duration(9)), "");
}

}  // namespace
}  // namespace ym
