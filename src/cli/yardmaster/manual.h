// SPDX-License-Identifier: Apache-2.0
// Manual pages of the configuration files, from the tables of their words.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym::cli {

// "slurm.conf" or "cgroup.conf", in roff.
Result<std::string> file_page(std::string_view file);

}  // namespace ym::cli
