// SPDX-License-Identifier: Apache-2.0
// A number that knows what it counts: Id<JobTag>{7} converts neither to another Id nor to int.
#pragma once
#include <compare>
#include <cstdint>

namespace ym {

template <class Tag, class Rep = std::uint32_t>
struct Id {
  using Value = Rep;
  Rep value = 0;
  auto operator<=>(const Id&) const = default;
  // Zero never names anything; it means "none".
  explicit operator bool() const { return value != 0; }
};

}  // namespace ym
