// SPDX-License-Identifier: Apache-2.0
// LZ4, for files on their way to nodes.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kCompressMax = 64u << 20;

// Empty if it would not become smaller, or is more than kCompressMax.
std::string compress(std::string_view bytes);
// An error unless it is exactly `raw_size` bytes, of which at most kCompressMax are believed.
Result<std::string> decompress(std::string_view bytes, std::size_t raw_size);

}  // namespace ym
