// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "model/apply.h"
#include "wire/codec.h"
#include "wire/messages.h"
#include "wire/snapshot.h"

namespace ym {
namespace {

Reservation a_reservation() {
  return {.id = {3},
          .name = "maint",
          .start = Instant{1000},
          .end = Instant{5000},
          .flags = 5,
          .nodes = {{.node = {1}}, {.node = {2}, .cpus = 2, .whole = false}},
          .node_text = "n[1-2]",
          .users = "root",
          .licenses = "matlab:2",
          .float_by = Duration(7)};
}

TEST(ReservationCodec, AReservationComesBackAsItWent) {
  auto got = wire::decode<Reservation>(wire::encode(a_reservation()));
  ASSERT_TRUE(got) << got.error().text;
  EXPECT_EQ(*got, a_reservation());
}

TEST(ReservationCodec, ASnapshotHoldsReservationsAndLicences) {
  State state;
  auto put = [&](EventBody body) {
    apply(state, {.seq = {state.seq.value + 1}, .at = Instant{1}, .body = std::move(body)});
  };
  put(ClusterFounded{.name = "c"});
  put(ReservationDefined{a_reservation()});
  put(LicensesDefined{.licenses = {{.name = "matlab", .total = 4}}});
  wire::SnapshotReader reader;
  wire::write_snapshot(state,
                       [&](std::string_view chunk) { return reader.add(chunk).has_value(); });
  State again = reader.finish().value();
  EXPECT_EQ(*again.find_reservation("maint"), a_reservation());
  EXPECT_EQ(again.next_reservation_id, 4u);
  EXPECT_EQ(again.licenses->at("matlab").total, 4u);
  EXPECT_EQ(wire::hash_of(again), wire::hash_of(state));
  put(ReservationRemoved{.reservation = {3}});
  EXPECT_EQ(state.find_reservation("maint"), nullptr);
}

}  // namespace
}  // namespace ym
