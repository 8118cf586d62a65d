// SPDX-License-Identifier: Apache-2.0
// Which tokens that serve once have served. Pure; bounded by time and number.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace ym {

class ReplayGuard {
 public:
  // Of tokens that live for a minute: thousands of connections a second.
  static constexpr std::size_t kRememberedMax = 400'000;

  explicit ReplayGuard(std::size_t remembered_max = kRememberedMax) : max_(remembered_max) {}

  // Refuses the second use of an id until `forget_at`: from then on the token itself is refused as
  // expired. Refuses everything new while more than the limit are remembered: forgetting one would
  // let it be used again.
  Status use(std::string_view id, Instant forget_at, Instant now);
  std::size_t remembered() const { return ids_.size(); }

 private:
  const std::size_t max_;
  std::set<std::string, std::less<>> ids_;
  std::multimap<Instant, std::string> by_time_;
};

}  // namespace ym
