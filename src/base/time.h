// SPDX-License-Identifier: Apache-2.0
// Wall time and spans of it. Pure rooms only ever receive an Instant; os/clock_real.cc is where
// they come from.
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>

namespace ym {

using Duration = std::chrono::milliseconds;

struct Instant {
  std::int64_t unix_ms = 0;
  auto operator<=>(const Instant&) const = default;
  // The epoch itself means "not set", as in Slurm's records.
  explicit operator bool() const { return unix_ms != 0; }
  std::int64_t unix_seconds() const { return unix_ms / 1000; }
  static Instant from_unix_seconds(std::int64_t seconds) { return {seconds * 1000}; }
};

inline Instant operator+(Instant t, Duration d) { return {t.unix_ms + d.count()}; }
inline Instant operator-(Instant t, Duration d) { return {t.unix_ms - d.count()}; }
inline Duration operator-(Instant a, Instant b) { return Duration{a.unix_ms - b.unix_ms}; }

// Later than anything that happens, and safe to add a few centuries to.
inline constexpr Instant kNever{std::int64_t{1} << 61};

}  // namespace ym
