// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/timestamp.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::FixedOffset zone(3600);
  ym::Instant now = ym::Instant::from_unix_seconds(1'800'000'000);
  for (auto looking : {ym::Looking::Ahead, ym::Looking::Back}) {
    auto time = ym::parse_timestamp(text, now, zone, looking);
    if (!time || !*time) continue;
    std::string printed = ym::print_timestamp(*time, zone);
    if (printed.size() != 19) continue;  // an hour of the year 10000
    YM_CHECK(ym::parse_timestamp(printed, now, zone) == time);
  }
  return 0;
}
