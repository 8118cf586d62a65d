// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/fences.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

using Nodes = std::vector<std::uint32_t>;

TEST(Fences, EverybodyGetsEverybodysPartsInTheOrderOfTheNodes) {
  FenceHub hub(3);
  EXPECT_TRUE(hub.take(2, {.key = "a", .data = "two"})->to.empty());
  EXPECT_TRUE(hub.take(0, {.key = "a", .data = "zero"})->to.empty());
  EXPECT_TRUE(hub.take(0, {.key = "a", .data = "again"})->to.empty());
  auto answer = hub.take(1, {.key = "a", .data = "one"}).value();
  EXPECT_EQ(answer.to, (Nodes{0, 1, 2}));
  EXPECT_EQ(answer.all.key, "a");
  EXPECT_EQ(answer.all.data, "zeroonetwo");
}

TEST(Fences, APartOfTheNodesMayMeetWhileOthersDo) {
  FenceHub hub(3);
  EXPECT_TRUE(hub.take(0, {.key = "all"})->to.empty());
  EXPECT_TRUE(hub.take(1, {.key = "some", .nodes = {1, 2}, .data = "x"})->to.empty());
  auto answer = hub.take(2, {.key = "some", .nodes = {1, 2}, .data = "y"}).value();
  EXPECT_EQ(answer.to, (Nodes{1, 2}));
  EXPECT_EQ(answer.all.data, "xy");
}

TEST(Fences, ALostAnswerIsGivenAgain) {
  FenceHub hub(2);
  hub.take(0, {.key = "a", .data = "0"}).value();
  hub.take(1, {.key = "a", .data = "1"}).value();
  auto again = hub.take(1, {.key = "a", .data = "1"}).value();
  EXPECT_EQ(again.to, Nodes{1});
  EXPECT_EQ(again.all.data, "01");
}

TEST(Fences, ANodeThatIsGoneEndsWhatWaitsForIt) {
  FenceHub hub(2);
  hub.take(0, {.key = "a"}).value();
  EXPECT_FALSE(hub.leave(1));
  FenceHub other(2);
  EXPECT_TRUE(other.leave(1));
  EXPECT_FALSE(other.take(0, {.key = "a"}));
}

TEST(Fences, StrangersAreRefused) {
  FenceHub hub(2);
  EXPECT_FALSE(hub.take(2, {.key = "a"}));
  EXPECT_FALSE(hub.take(0, {.key = "b", .nodes = {1}}));
  EXPECT_FALSE(hub.take(0, {.key = "c", .nodes = {0, 7}}));
}

}  // namespace
}  // namespace ym::cli
