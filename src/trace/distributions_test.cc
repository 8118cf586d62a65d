// SPDX-License-Identifier: Apache-2.0
#include "trace/distributions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ym::trace {
namespace {

template <class Draw>
std::pair<double, double> mean_and_variance(Draw draw) {
  constexpr int kDraws = 200'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    double x = draw();
    sum += x;
    squares += x * x;
  }
  double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

TEST(Distributions, HaveTheMeansAndVariancesThatTheyShould) {
  Prng prng(1);
  auto [u, uv] = mean_and_variance([&] { return uniform(prng); });
  EXPECT_NEAR(u, 0.5, 0.005);
  EXPECT_NEAR(uv, 1.0 / 12, 0.002);
  auto [n, nv] = mean_and_variance([&] { return normal(prng); });
  EXPECT_NEAR(n, 0, 0.02);
  EXPECT_NEAR(nv, 1, 0.03);
  for (auto [shape, scale] : {std::pair(0.5, 2.0), {4.2, 0.94}, {312.0, 0.03}}) {
    auto [g, gv] = mean_and_variance([&] { return gamma(prng, shape, scale); });
    EXPECT_NEAR(g, shape * scale, 0.02 * shape * scale) << shape;
    EXPECT_NEAR(gv, shape * scale * scale, 0.06 * shape * scale * scale) << shape;
  }
}

TEST(Distributions, AreMixedAsTheirProbabilitiesSay) {
  Prng prng(2);
  HyperGamma of{.shape1 = 4, .scale1 = 1, .shape2 = 100, .scale2 = 1};
  auto [mean, ignored] = mean_and_variance([&] { return hyper_gamma(prng, of, 0.75); });
  EXPECT_NEAR(mean, 0.75 * 4 + 0.25 * 100, 0.5);
  TwoStage stages{.low = 0, .middle = 1, .high = 3};
  auto [size, also] = mean_and_variance([&] { return two_stage_uniform(prng, stages, 0.8); });
  EXPECT_NEAR(size, 0.8 * 0.5 + 0.2 * 2, 0.01);
}

TEST(Distributions, TheGammaDistributionFunctionIsThatOfTheTextbook) {
  EXPECT_NEAR(gamma_cdf(1, 1, 1), 1 - std::exp(-1.0), 1e-12);      // exponential
  EXPECT_NEAR(gamma_cdf(2, 3, 1), 1 - std::exp(-2.0) * 5, 1e-12);  // Erlang
  EXPECT_NEAR(gamma_cdf(60, 8, 4), 0.98200, 0.00001);
  EXPECT_EQ(gamma_cdf(0, 2, 1), 0);
}

}  // namespace
}  // namespace ym::trace
