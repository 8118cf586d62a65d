// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym::cli {

// "BEGIN,END": the bits of JobExtras::mail_types. The error may say what was meant.
Result<std::uint32_t> parse_mail_types(std::string_view text);
// In the order of Slurm's.
std::string print_mail_types(std::uint32_t types);

}  // namespace ym::cli
