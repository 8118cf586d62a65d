// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/size.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto megabytes = ym::parse_megabytes(text);
  if (megabytes) YM_CHECK(ym::parse_megabytes(ym::print_megabytes(*megabytes)) == megabytes);
  auto bytes = ym::parse_bytes(text, std::uint64_t{1} << 20);
  if (bytes) YM_CHECK(megabytes && *megabytes >= *bytes >> 20);
  return 0;
}
