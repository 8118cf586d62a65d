// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "schedule/policy.h"

namespace ym {
namespace {

using Order = std::vector<std::size_t>;

// As if everybody used their limits up.
Order arranged(Scene scene) {
  for (Scene::Candidate& one : scene.candidates) one.expected_s = static_cast<double>(one.limit_s);
  return kBestForecast.arrange(scene);
}

TEST(BestForecast, ShortJobsGoBeforeALongOneThatTakesAll) {
  Scene scene{.cpus = 4, .free = 4, .queue_s = 40'000, .longest_queue_s = 40'000};
  scene.candidates = {{.waited_s = 0, .limit_s = 40'000, .cpus = 4, .job = {1}},
                      {.waited_s = 0, .limit_s = 60, .cpus = 2, .job = {2}},
                      {.waited_s = 0, .limit_s = 60, .cpus = 2, .job = {3}}};
  EXPECT_EQ(arranged(scene).back(), 0u);
}

TEST(BestForecast, WhoHasWaitedForLongerThanTheQueueTakesGoesFirst) {
  Scene scene{.cpus = 4, .free = 4, .queue_s = 50'000, .longest_queue_s = 50'000};
  scene.candidates = {{.waited_s = 100, .limit_s = 20'000, .cpus = 3, .job = {1}},
                      {.waited_s = 100, .limit_s = 20'000, .cpus = 3, .job = {2}},
                      {.waited_s = 190'000, .limit_s = 25'000, .cpus = 4, .job = {3}}};
  EXPECT_EQ(arranged(scene).front(), 2u);
}

// Even one that all others pay for.
TEST(BestForecast, WhoHasWaitedForTwiceTheLongestQueueGoesFirst) {
  Scene scene{.cpus = 64, .free = 1, .queue_s = 100, .longest_queue_s = 50'000};
  scene.releases = {{.in_s = 90'000, .cpus = 63}};
  for (std::uint32_t i = 1; i <= 20; ++i)
    scene.candidates.push_back({.waited_s = 60, .limit_s = 60, .cpus = 1, .job = {i}});
  scene.candidates.push_back({.waited_s = 90'000, .limit_s = 100, .cpus = 64, .job = {21}});
  EXPECT_NE(arranged(scene).front(), 20u);
  scene.candidates.back().waited_s = 96'000;
  EXPECT_EQ(arranged(scene).front(), 20u);
}

TEST(BestForecast, WhoseJobsEndEarlyAreServedAsShortOnes) {
  Scene scene{.cpus = 4, .free = 0, .queue_s = 4000, .longest_queue_s = 4000};
  scene.releases = {{.in_s = 100, .cpus = 4}};
  scene.candidates = {{.waited_s = 10, .limit_s = 1000, .cpus = 4, .job = {1}, .expected_s = 1000},
                      {.waited_s = 9, .limit_s = 1000, .cpus = 4, .job = {2}, .expected_s = 20}};
  EXPECT_EQ(kBestForecast.arrange(scene), (Order{1, 0}));
}

TEST(BestForecast, WideJobsAreRunOneAfterTheOther) {
  // The machine is empty, and a drain for the other wide job would cost as much again.
  Scene scene{.cpus = 8, .free = 8, .queue_s = 300'000, .longest_queue_s = 300'000};
  scene.candidates = {{.waited_s = 5000, .limit_s = 10'000, .cpus = 8, .job = {1}},
                      {.waited_s = 4000, .limit_s = 9'000, .cpus = 3, .job = {2}},
                      {.waited_s = 3000, .limit_s = 10'000, .cpus = 8, .job = {3}},
                      {.waited_s = 2000, .limit_s = 11'000, .cpus = 5, .job = {4}}};
  Order order = arranged(scene);
  auto place = [&](std::size_t job) { return std::ranges::find(order, job) - order.begin(); };
  EXPECT_EQ(std::abs(place(0) - place(2)), 1) << "the two wide ones are neighbours";
}

TEST(BestForecast, EveryOrderIsAPermutationAndJobsAlikeKeepTheirs) {
  Prng prng(7);
  for (int round = 0; round < 300; ++round) {
    Scene scene{.cpus = 64,
                .free = static_cast<std::int64_t>(prng.below(65)),
                .queue_s = static_cast<double>(prng.below(1'000'000)),
                .longest_queue_s = 1'000'000};
    for (std::int64_t left = 64 - scene.free; left > 0;) {
      auto cpus = std::min<std::int64_t>(left, 1 + static_cast<std::int64_t>(prng.below(32)));
      scene.releases.push_back(
          {.in_s = 1 + static_cast<std::int64_t>(prng.below(5000)), .cpus = cpus});
      left -= cpus;
    }
    std::ranges::sort(scene.releases, {}, &Scene::Release::in_s);
    std::int64_t waited = 100'000;
    for (std::uint32_t i = 0; i < prng.below(kSceneMax); ++i) {
      waited -= static_cast<std::int64_t>(prng.below(1000));
      scene.candidates.push_back({.waited_s = waited,
                                  .limit_s = std::int64_t{60} << prng.below(8),
                                  .cpus = std::int64_t{1} << prng.below(7),
                                  .job = {i + 1}});
    }
    Order order = arranged(scene);
    Order sorted = order;
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted.size(), scene.candidates.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t k = i + 1; k < order.size(); ++k) {
        const Scene::Candidate &a = scene.candidates[order[i]], &b = scene.candidates[order[k]];
        if (a.cpus == b.cpus && a.limit_s == b.limit_s) ASSERT_LT(order[i], order[k]);
      }
    EXPECT_EQ(order, arranged(scene));
  }
}

}  // namespace
}  // namespace ym
