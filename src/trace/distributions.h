// SPDX-License-Identifier: Apache-2.0
// Chance in shapes: what models of workloads are made of. All draw from the caller's Prng.
#pragma once
#include "base/prng.h"

namespace ym::trace {

// In (0, 1).
double uniform(Prng& prng);
double normal(Prng& prng);
// With the mean shape × scale.
double gamma(Prng& prng, double shape, double scale);
// One of two gammas, the first with probability p.
struct HyperGamma {
  double shape1, scale1, shape2, scale2;
};
double hyper_gamma(Prng& prng, const HyperGamma& of, double p);
// Uniform in (low, middle) with probability p, else in (middle, high).
struct TwoStage {
  double low, middle, high;
};
double two_stage_uniform(Prng& prng, const TwoStage& of, double p);

// The probability that a gamma variate is at most x.
double gamma_cdf(double x, double shape, double scale);

}  // namespace ym::trace
