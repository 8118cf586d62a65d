// SPDX-License-Identifier: Apache-2.0
// What a message decoder accepts must encode and decode to itself.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>

#include "wire/codec.h"

namespace ym::wire {

template <class T>
void round_trip(std::string_view bytes) {
  auto first = decode<T>(bytes);
  if (!first) return;
  std::string canonical = encode(*first);
  auto second = decode<T>(canonical);
  if (!second || encode(*second) != canonical) std::abort();
  to_json(*first);
}

}  // namespace ym::wire
