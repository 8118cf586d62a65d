// SPDX-License-Identifier: Apache-2.0
#include "schedule/policy.h"

#include <algorithm>
#include <array>

namespace ym {
namespace {

constexpr std::array<const Policy*, 7> kPolicies = {
    &kBackfill, &kBestForecast, &kConservative, &kEasy, &kEasySjbf, &kFcfs, &kLargestSlowdownFirst,
};

}  // namespace

std::strong_ordering Score::operator<=>(const Score& other) const {
  if (rank != other.rank) return rank <=> other.rank;
  // Products of two 64-bit numbers fit into 128 bits.
  __extension__ using Wide = __int128;
  return Wide{over} * other.under <=> Wide{other.over} * under;
}

std::span<const Policy* const> policies() { return kPolicies; }

const Policy* find_policy(std::string_view name) {
  auto at = std::ranges::find(kPolicies, name, &Policy::name);
  return at == kPolicies.end() ? nullptr : *at;
}

const Policy& default_policy() { return kBestForecast; }

}  // namespace ym
