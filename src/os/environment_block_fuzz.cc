// SPDX-License-Identifier: Apache-2.0
// Any bytes as a user's environment: what is left of it is written and read again as the same, and
// exec gets as many entries as it has.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "os/environment_block.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ym::EnvironmentBlock block(std::string_view(reinterpret_cast<const char*>(data), size));
  std::string bytes = block.bytes();
  YM_CHECK(ym::EnvironmentBlock(bytes).bytes() == bytes);
  std::vector<char*> entries = ym::environment_pointers(bytes);
  YM_CHECK(!entries.empty() && entries.back() == nullptr);
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    std::string_view entry = entries[i];
    std::size_t sign = entry.find('=');
    YM_CHECK(sign != std::string_view::npos && sign > 0);
    YM_CHECK(block.get(entry.substr(0, sign)) == entry.substr(sign + 1));
  }
  return 0;
}
