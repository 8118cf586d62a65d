// SPDX-License-Identifier: Apache-2.0
// Whatever a server answers: the reader ends, and gives the same whatever the pieces.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "net/http_client.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::HttpAnswer whole, pieces;
  auto at_once = whole.feed(text);
  bool ended = false;
  for (std::size_t at = 0; at < size && !ended; ++at) {
    auto fed = pieces.feed(text.substr(at, 1));
    if (!fed) return 0;
    ended = *fed;
  }
  if (ended) {
    YM_CHECK(at_once && *at_once);
    YM_CHECK(whole.take_body() == pieces.take_body());
  }
  return 0;
}
