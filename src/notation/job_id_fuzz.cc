// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/job_id.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto sluid = ym::decode_sluid(text)) {
    auto again = ym::decode_sluid(ym::encode_sluid(*sluid));
    YM_CHECK(again && *again == *sluid);
  }
  auto refs = ym::JobRef::parse_list(text);
  if (!refs) return 0;
  for (const ym::JobRef& ref : *refs) {
    YM_CHECK((ref.job == 0) != (ref.sluid == 0));
    auto again = ym::JobRef::parse(ref.str());
    YM_CHECK(again && *again == ref);
  }
  return 0;
}
