// SPDX-License-Identifier: Apache-2.0
#include "notation/job_defaults.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {

Result<JobDefaults> JobDefaults::parse(std::string_view text) {
  JobDefaults out;
  for (std::string_view word : split_words(text, ',')) {
    auto equals = word.find('=');
    std::string_view key = word.substr(0, equals);
    auto value = equals == std::string_view::npos
                     ? std::nullopt
                     : parse_unsigned<std::uint32_t>(word.substr(equals + 1));
    if (value && same_ignoring_case(key, "DefCpuPerGPU"))
      out.cpus_per_gpu = value;
    else if (value && same_ignoring_case(key, "DefMemPerGPU"))
      out.memory_per_gpu_mb = value;
    else
      return fail(fmt::format("'{}' is neither DefCpuPerGPU=COUNT nor DefMemPerGPU=MEGABYTES",
                              printable(word, 64)));
  }
  return out;
}

}  // namespace ym
