// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a container's runtime says of it.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "shepherd/container.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto state =
      ym::parse_container_state(std::string_view(reinterpret_cast<const char*>(data), size));
  YM_CHECK(state || !state.error().text.empty());
  if (state) YM_CHECK(state->status.size() <= size);
  return 0;
}
