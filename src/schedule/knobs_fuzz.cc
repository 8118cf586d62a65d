// SPDX-License-Identifier: Apache-2.0
// SchedulerParameters may hold anything: it is read, or warned of.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "schedule/knobs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::KnobReading read = ym::read_knobs(text);
  YM_CHECK(read.knobs.policy != nullptr);
  YM_CHECK(read.knobs.budget.starts_max > 0);
  return 0;
}
