// SPDX-License-Identifier: Apache-2.0
// Chance as an argument: a small seeded generator (xoshiro256**), the same on every machine and in
// every release.
#pragma once
#include <array>
#include <cstdint>

#include "base/check.h"

namespace ym {

class Prng {
 public:
  explicit Prng(std::uint64_t seed) {
    for (auto& word : state_) {  // splitmix64, so that near seeds give unlike streams
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t next() {
    std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // 0 … bound-1. The bias of the multiplication is below 2^-32 for the bounds we use.
  std::uint64_t below(std::uint64_t bound) {
    YM_CHECK(bound > 0);
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // low … high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // True `times` in `outof` times.
  bool chance(std::uint64_t times, std::uint64_t outof) { return below(outof) < times; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace ym
