// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "notation/pattern.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view pattern(reinterpret_cast<const char*>(data), size);
  std::string zero = ym::expand(pattern, {.job = 1, .node = "n", .user = "u", .job_name = "x"});
  std::string one =
      ym::expand(pattern, {.job = 1, .node = "n", .rank = 1, .user = "u", .job_name = "x"});
  // Names differ between tasks exactly if the pattern says so.
  YM_CHECK((zero != one) == (ym::scope_of(pattern) == ym::PatternScope::Task));
  YM_CHECK(zero.size() <= 11 * size + 11);
  return 0;
}
