// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "daemon/launch/orders.h"
#include "os/environment_block.h"

// What users write: a --multi-prog file, and an environment.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ym::multi_prog_arguments(text, 3);
  ym::EnvironmentBlock block(text);
  if (ym::EnvironmentBlock(block.bytes()).bytes() != block.bytes()) __builtin_trap();
  return 0;
}
