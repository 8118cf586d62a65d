// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "shepherd/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto record = ym::decode_record(bytes);
  if (!record) return 0;
  // What was read can be written, and says the same.
  std::string again = ym::encode_part(record->order);
  if (record->started) again += ym::encode_part(*record->started);
  if (record->result) again += ym::encode_part(*record->result);
  auto same = ym::decode_record(again);
  YM_CHECK(same && same->started.has_value() == record->started.has_value());
  YM_CHECK(same->result.has_value() == record->result.has_value());
  return 0;
}
