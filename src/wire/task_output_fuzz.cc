// SPDX-License-Identifier: Apache-2.0
// What the view reads, the codec reads, and says the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "wire/codec.h"
#include "wire/task_output.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view payload(reinterpret_cast<const char*>(bytes), size);
  auto view = ym::wire::view_output(payload);
  auto whole = ym::wire::decode<ym::TaskOutput>(payload);
  if (!view || !whole) return 0;
  YM_CHECK(view->task == whole->task);
  YM_CHECK(view->stream == whole->stream);
  YM_CHECK(view->data == whole->data);
  YM_CHECK(view->end == whole->end);
  return 0;
}
