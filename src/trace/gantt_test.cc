// SPDX-License-Identifier: Apache-2.0
#include "trace/gantt.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace ym::trace {
namespace {

TEST(Gantt, NoProcessorIsDrawnTwiceAndEachJobHasAllOfItsOwn) {
  Prng prng(3);
  Workload w;
  Outcome outcome;
  for (int i = 0; i < 300; ++i) {
    std::int64_t start = prng.between(0, 1000);
    w.jobs.push_back({.procs = static_cast<std::uint32_t>(prng.between(1, 20))});
    outcome.jobs.push_back({start, start + prng.between(1, 80), JobState::Completed});
  }
  std::vector<Box> boxes = boxes_of(w, outcome, {0, 2000});
  std::vector<std::uint64_t> drawn(w.jobs.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    drawn[boxes[i].job] += boxes[i].count;
    for (std::size_t k = 0; k < i; ++k) {
      const Box &a = boxes[i], &b = boxes[k];
      bool times = a.from_s < b.to_s && b.from_s < a.to_s;
      bool procs = a.first < b.first + b.count && b.first < a.first + a.count;
      ASSERT_FALSE(times && procs) << i << " and " << k;
    }
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_EQ(drawn[i], w.jobs[i].procs);
}

TEST(Gantt, ShowsEverythingOrTheTimeAroundTheLongestQueue) {
  Workload w;
  Outcome outcome;
  for (int i = 0; i < 100; ++i) {
    w.jobs.push_back({.submit_s = i < 50 ? i * 100 : 5000, .procs = 1});
    outcome.jobs.push_back({i * 100, i * 100 + 100, JobState::Completed});
  }
  EXPECT_EQ(busiest_span(w, outcome, 100).to_s, 10'000);
  Span some = busiest_span(w, outcome, 10);
  EXPECT_LE(some.from_s, 5000);
  EXPECT_GE(some.to_s, 5000);
  EXPECT_LE(some.to_s - some.from_s, 1000);
}

}  // namespace
}  // namespace ym::trace
