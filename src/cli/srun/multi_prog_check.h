// SPDX-License-Identifier: Apache-2.0
// Whether the file of --multi-prog has a program for each task, told before anything is started.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ym::cli {

// `tasks` is 0 if nobody knows how many there will be: then only what stands there is looked at.
Status check_multi_prog(std::string_view text, std::string_view file, std::uint32_t tasks);

}  // namespace ym::cli
