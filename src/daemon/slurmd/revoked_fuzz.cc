// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"
#include "base/check.h"
#include "daemon/slurmd/revoked.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::Instant now = ym::Instant::from_unix_seconds(1'800'000'000);
  auto rows = ym::revoked_rows(text, now);
  YM_CHECK(rows.size() <= ym::agent::kTombstonesMax);
  for (const auto& [sluid, at] : rows) YM_CHECK(now - at < ym::RevokedList::kRemember);
  return 0;
}
