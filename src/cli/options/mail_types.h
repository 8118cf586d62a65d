// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ym::cli {

// "BEGIN,END": the bits of JobExtras::mail_types. The error may say what was meant.
Result<std::uint32_t> parse_mail_types(std::string_view text);

}  // namespace ym::cli
