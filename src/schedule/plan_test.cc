// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

TEST(Verdicts, ThoseOfAQuickPassReplaceWhatTheySpeakOfAndNothingElse) {
  Verdicts all, newer;
  all.shapes[1] = {.reason = Reason::Resources, .head = {7}};
  all.shapes[2] = {.reason = Reason::Licenses, .head = {8}};
  all.promised[{7}] = Instant{1000};
  newer.shapes[1] = {.reason = Reason::PartitionDown, .head = {9}};
  newer.jobs[{9}] = Reason::JobArrayTaskLimit;
  newer.at = Instant{5};
  all.merge(newer);
  EXPECT_EQ(all.shapes[1].reason, Reason::PartitionDown);
  EXPECT_EQ(all.shapes[2].reason, Reason::Licenses);
  EXPECT_EQ(all.jobs[{9}], Reason::JobArrayTaskLimit);
  EXPECT_EQ(all.promised[{7}], Instant{1000});
  EXPECT_EQ(all.at, Instant{5});
}

TEST(Verdicts, TellWhereTheFirstPromisesAreAndNoMoreThanThat) {
  auto booking = [](std::uint32_t job, std::uint32_t nodes) {
    Booking one{.job = {job}};
    for (std::uint32_t i = 1; i <= nodes; ++i) one.allocation.nodes.push_back({.node = {i}});
    return one;
  };
  Verdicts few, many, wide;
  few.note_places({booking(7, 2), booking(8, 1)});
  EXPECT_EQ(*few.places[{7}], (std::vector<NodeId>{{1}, {2}}));
  Verdicts newer;
  newer.note_places({booking(7, 1)});
  few.merge(newer);
  EXPECT_EQ(*few.places[{7}], (std::vector<NodeId>{{1}}));
  EXPECT_EQ(few.places.size(), 2u);
  std::vector<Booking> queue;
  for (std::uint32_t job = 1; job <= Verdicts::kPlacesMax + 5; ++job)
    queue.push_back(booking(job, 1));
  many.note_places(queue);
  EXPECT_EQ(many.places.size(), Verdicts::kPlacesMax);
  EXPECT_TRUE(many.places.contains({1}));
  many.merge(few);
  EXPECT_EQ(many.places.size(), Verdicts::kPlacesMax);
  wide.note_places({booking(1, Verdicts::kPlaceNodesMax), booking(2, 1)});
  EXPECT_EQ(wide.places.size(), 1u);
}

}  // namespace
}  // namespace ym
