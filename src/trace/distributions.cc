// SPDX-License-Identifier: Apache-2.0
#include "trace/distributions.h"

#include <cmath>

namespace ym::trace {

double uniform(Prng& prng) { return (static_cast<double>(prng.next() >> 11) + 0.5) * 0x1.0p-53; }

// Marsaglia's polar method.
double normal(Prng& prng) {
  for (;;) {
    double u = 2 * uniform(prng) - 1, v = 2 * uniform(prng) - 1;
    double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
  }
}

// Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).
double gamma(Prng& prng, double shape, double scale) {
  if (shape < 1) return gamma(prng, shape + 1, scale) * std::pow(uniform(prng), 1 / shape);
  double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x = normal(prng), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    if (std::log(uniform(prng)) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v * scale;
  }
}

double hyper_gamma(Prng& prng, const HyperGamma& of, double p) {
  return uniform(prng) <= p ? gamma(prng, of.shape1, of.scale1) : gamma(prng, of.shape2, of.scale2);
}

double two_stage_uniform(Prng& prng, const TwoStage& of, double p) {
  bool first = uniform(prng) <= p;
  double low = first ? of.low : of.middle, high = first ? of.middle : of.high;
  return low + uniform(prng) * (high - low);
}

// The regularised incomplete gamma function by its power series: quick enough for the few values
// that a model asks for once.
double gamma_cdf(double x, double shape, double scale) {
  if (x <= 0) return 0;
  double z = x / scale, term = 1 / shape, sum = term;
  for (int n = 1; n < 10'000 && term > sum * 1e-15; ++n) {
    term *= z / (shape + n);
    sum += term;
  }
  return sum * std::exp(shape * std::log(z) - z - std::lgamma(shape));
}

}  // namespace ym::trace
