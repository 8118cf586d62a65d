// SPDX-License-Identifier: Apache-2.0
// How many processors are free from when on, for forecasts: which nodes they are on does not show.
//
// Forecasts are most of what an arrangement costs, and this is most of what forecasts cost: times
// and processors are in rows of their own, so that a stretch of processors is compared and lowered
// several at once.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ym {

class CpuSteps {
 public:
  // At first; the last step has no end.
  explicit CpuSteps(std::int64_t free) : from_s_(1, 0), cpus_(1, clamp(free)) {}
  // So many more from then on. REQUIRES: times do not fall from call to call; nobody took any yet.
  void add(std::int64_t in_s, std::int64_t cpus);
  // The first time from which so many are free for so long; they are taken. Nothing if there never
  // are so many. O(steps up to its end). REQUIRES: both are positive.
  std::optional<std::int64_t> take_earliest(std::int64_t cpus, std::int64_t length_s);

 private:
  using Cpus = std::int32_t;
  struct Stay {
    std::size_t first, past;  // steps
    std::int64_t end_s;
  };
  std::optional<Stay> find(Cpus cpus, std::int64_t length_s);
  static Cpus clamp(std::int64_t cpus);
  std::size_t first_step(Cpus cpus);
  std::size_t next_with(Cpus cpus, std::size_t at) const;
  std::size_t end_of_stay(Cpus cpus, std::int64_t end_s, std::size_t at) const;

  std::vector<std::int64_t> from_s_;
  std::vector<Cpus> cpus_;
  // No step before it has 2^index processors. They only ever become fewer: what was passed over
  // once is not looked at again.
  std::array<std::uint32_t, 32> first_with_{};
};

}  // namespace ym
