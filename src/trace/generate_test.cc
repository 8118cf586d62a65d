// SPDX-License-Identifier: Apache-2.0
#include "trace/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ym::trace {
namespace {

Workload made(std::string_view model, std::size_t jobs, std::uint64_t seed = 1) {
  auto workload = generate({.model = model, .jobs = jobs, .seed = seed});
  EXPECT_TRUE(workload) << workload.error().text;
  return workload.value_or(Workload{});
}

TEST(Generate, TheSameSeedGivesTheSameJobsAndAnotherOthers) {
  for (const Model& model : models()) {
    EXPECT_EQ(made(model.name, 500).jobs, made(model.name, 500).jobs) << model.name;
    EXPECT_NE(made(model.name, 500).jobs, made(model.name, 500, 2).jobs) << model.name;
  }
}

TEST(Generate, EveryModelKeepsThePromisesOfAWorkload) {
  for (const Model& model : models()) {
    Workload w = made(model.name, 2000);
    EXPECT_EQ(w.jobs.size(), 2000u);
    std::int64_t before = 0;
    for (const TraceJob& job : w.jobs) {
      EXPECT_GE(job.submit_s, before);
      EXPECT_GT(job.run_s, 0u);
      EXPECT_LE(job.run_s, job.limit_s) << model.name;
      EXPECT_GT(job.procs, 0u);
      EXPECT_LE(job.procs, model.procs);
      EXPECT_LT(job.user, w.users.size());
      before = job.submit_s;
    }
  }
}

// The shares that the paper gives for all jobs together.
TEST(Generate, LublinHasThePublishedSharesOfSizes) {
  Workload w = made("lublin", 20'000);
  double serial = 0, power = 0, log_run = 0;
  for (const TraceJob& job : w.jobs) {
    serial += job.procs == 1;
    power += job.procs > 1 && std::has_single_bit(job.procs);
    log_run += std::log(job.run_s);
  }
  auto count = static_cast<double>(w.jobs.size());
  // log2 of a size may be rounded to 0, and an odd draw may hit a power of two.
  EXPECT_NEAR(serial / count, 0.25, 0.02);
  EXPECT_NEAR(power / count, 0.62, 0.05);
  EXPECT_NEAR(log_run / count, 5.3, 0.5);
}

TEST(Generate, LublinSleepsAtNight) {
  Workload w = made("lublin", 20'000);
  std::array<int, 24> hours{};
  for (const TraceJob& job : w.jobs) ++hours[static_cast<std::size_t>(job.submit_s / 3600 % 24)];
  // The first job is at 0, whatever the hour was.
  auto [least, most] = std::ranges::minmax(hours);
  EXPECT_GT(most, 3 * least);
}

TEST(Generate, ArraysAreManyElementsOfOneRequest) {
  Workload w = made("arrays", 5000);
  std::size_t elements = 0;
  for (std::size_t i = 1; i < w.jobs.size(); ++i) {
    const TraceJob &job = w.jobs[i], &before = w.jobs[i - 1];
    if (!job.array || job.array != before.array) continue;
    ++elements;
    EXPECT_EQ(job.procs, before.procs);
    EXPECT_EQ(job.limit_s, before.limit_s);
    EXPECT_EQ(job.user, before.user);
    EXPECT_EQ(job.submit_s, before.submit_s);
  }
  EXPECT_GT(elements, 4000u);
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(generate({.model = "x"}).error().text, "no model 'x'; there are lublin, arrays, gpus");
  EXPECT_FALSE(generate({.model = "lublin", .jobs = 0}));
}

}  // namespace
}  // namespace ym::trace
