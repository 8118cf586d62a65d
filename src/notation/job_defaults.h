// SPDX-License-Identifier: Apache-2.0
// JobDefaults of a partition, what its jobs get with each GPU: "DefCpuPerGPU=2,DefMemPerGPU=1024".
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace ym {

struct JobDefaults {
  std::optional<std::uint32_t> cpus_per_gpu, memory_per_gpu_mb;

  // Case does not count; of a key that is there twice the last one does.
  static Result<JobDefaults> parse(std::string_view text);
};

}  // namespace ym
