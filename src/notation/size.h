// SPDX-License-Identifier: Apache-2.0
// Sizes of memory: --mem=4G, 4096 (megabytes), 512K. Units are powers of 1024.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ym {

// Largest size in megabytes that can still be told in 64-bit bytes.
inline constexpr std::uint64_t kMegabytesMax = UINT64_MAX >> 20;

// A number and perhaps K, M, G, T or P, in either case, perhaps followed by B or iB. Without a unit
// it is megabytes. Kilobytes are rounded up to megabytes, so that nobody gets less than asked for.
Result<std::uint64_t> parse_megabytes(std::string_view text);
// The same in bytes; a number without a unit counts `default_unit` bytes.
Result<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t default_unit = 1);

// As squeue does: the largest unit that is exact. 4096 is 4G, 2500 is 2500M, and nothing is 0.
std::string print_megabytes(std::uint64_t megabytes);

}  // namespace ym
