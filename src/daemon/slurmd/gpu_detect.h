// SPDX-License-Identifier: Apache-2.0
// AutoDetect: the GPUs that the machine's drivers show in /proc and /sys, without the vendors'
// libraries.
#pragma once
#include <string>
#include <vector>

#include "model/gres.h"

namespace ym {

// `way` is nvml or nvidia (/proc/driver/nvidia), rsmi (/sys/class/drm); others find nothing and say
// so. `root` goes before every path that is looked at.
std::vector<GresItem> detect_gpus(const std::string& way, const std::string& root,
                                  std::vector<std::string>& troubles);

}  // namespace ym
