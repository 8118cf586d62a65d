// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "net/address.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto address = ym::parse_address(text, 6817)) {
    YM_CHECK(address->is_unix() || !address->host.empty());  // port 0: any, to listen on
    static_cast<void>(ym::to_text(*address));
  }
  return 0;
}
