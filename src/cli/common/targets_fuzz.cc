// SPDX-License-Identifier: Apache-2.0
// What users write for jobs, steps and states of jobs.
#include "cli/common/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ym::cli::parse_targets(text));
  static_cast<void>(ym::cli::parse_states(text));
  return 0;
}
