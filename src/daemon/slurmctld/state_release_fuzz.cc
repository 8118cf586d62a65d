// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/check.h"
#include "daemon/slurmctld/state_release.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto found = ym::parse_state_release(text);
  if (!found) return 0;
  auto shown = [](char c) { return c >= ' ' && c != 127; };
  YM_CHECK(std::ranges::all_of(found->release, [&](char c) { return shown(c) || c < 0; }));
  auto again = ym::parse_state_release(std::to_string(found->format));
  YM_CHECK(again && again->format == found->format);
  return 0;
}
