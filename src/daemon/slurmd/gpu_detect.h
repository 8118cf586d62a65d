// SPDX-License-Identifier: Apache-2.0
// AutoDetect: the GPUs that the machine's drivers show in /proc and /sys, without the vendors'
// libraries.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gres.h"

namespace ym {

// What a driver's texts say of one GPU: the "information" file of NVIDIA's; the vendor and product
// name that AMD's gives to a device /dev/dri/`name`. None: it is no GPU that can be used.
std::optional<GresItem> nvidia_gpu(std::string_view information);
std::optional<GresItem> amd_gpu(const std::string& name, std::string_view vendor,
                                std::string_view product);

// `way` is nvml or nvidia (/proc/driver/nvidia), rsmi (/sys/class/drm); others find nothing and say
// so. `root` goes before every path that is looked at.
std::vector<GresItem> detect_gpus(const std::string& way, const std::string& root,
                                  std::vector<std::string>& troubles);

}  // namespace ym
