// SPDX-License-Identifier: Apache-2.0
// Whatever a network brings: the parser ends, within its bounds, and base64 that is read is written
// again as it was.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "store/etcd_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto read = ym::parse_json(text)) YM_CHECK(read->end <= text.size());
  if (auto bytes = ym::from_base64(text)) {
    auto again = ym::from_base64(ym::to_base64(*bytes));
    YM_CHECK(again && *again == *bytes);
  }
  return 0;
}
