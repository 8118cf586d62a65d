// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs (or NUMA nodes) as text: lists as the kernel has them (0-3,8) and masks (0x10f).
// A value is always ascending and without repeats.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

using CpuNumbers = std::vector<std::uint32_t>;

// Numbers are below this; the largest machines that Linux knows have 8192 CPUs.
inline constexpr std::uint32_t kCpuNumberEnd = 8192;

// "0-3,8"; the empty text is the empty set.
Result<CpuNumbers> parse_cpu_list(std::string_view text);
std::string print_cpu_list(const CpuNumbers& numbers);

// Hexadecimal, with or without 0x. The empty set is no mask.
Result<CpuNumbers> parse_cpu_mask(std::string_view text);
// "0x10f"; filled up with zeros to so many digits.
std::string print_cpu_mask(const CpuNumbers& numbers, std::size_t digits = 1);

}  // namespace ym
