// SPDX-License-Identifier: Apache-2.0
#include "notation/cpu_list.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char small = lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

}  // namespace

Result<CpuNumbers> parse_cpu_list(std::string_view text) {
  CpuNumbers numbers;
  if (text.empty()) return numbers;
  std::vector<bool> present(kCpuNumberEnd, false);
  for (std::string_view part : split(text, ',')) {
    auto dash = part.find('-');
    auto low = parse_unsigned<std::uint32_t>(part.substr(0, dash));
    auto high =
        dash == std::string_view::npos ? low : parse_unsigned<std::uint32_t>(part.substr(dash + 1));
    if (!low || !high || *low > *high || *high >= kCpuNumberEnd)
      return fail(fmt::format("\"{}\" is not a CPU number or a range of them", printable(part)));
    for (std::uint32_t n = *low; n <= *high; ++n) present[n] = true;
  }
  for (std::uint32_t n = 0; n < kCpuNumberEnd; ++n)
    if (present[n]) numbers.push_back(n);
  return numbers;
}

std::string print_cpu_list(const CpuNumbers& numbers) {
  std::string out;
  for (std::size_t at = 0; at < numbers.size();) {
    std::size_t end = at + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!out.empty()) out += ',';
    out += end - at > 1 ? fmt::format("{}-{}", numbers[at], numbers[end - 1])
                        : fmt::format("{}", numbers[at]);
    at = end;
  }
  return out;
}

Result<CpuNumbers> parse_cpu_mask(std::string_view text) {
  std::string_view digits = text;
  if (starts_with_ignoring_case(digits, "0x")) digits.remove_prefix(2);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  CpuNumbers numbers;
  if (digits.size() <= kCpuNumberEnd / 4) {
    for (std::size_t n = 0; n < digits.size(); ++n) {
      int digit = digit_of(digits[digits.size() - 1 - n]);
      if (digit < 0) return fail(fmt::format("\"{}\" is not a mask", printable(text)));
      for (std::uint32_t bit = 0; bit < 4; ++bit)
        if (digit >> bit & 1) numbers.push_back(static_cast<std::uint32_t>(n) * 4 + bit);
    }
  }
  if (numbers.empty()) return fail(fmt::format("\"{}\" is not a mask", printable(text)));
  return numbers;
}

std::string print_cpu_mask(const CpuNumbers& numbers, std::size_t digits) {
  std::size_t needed = numbers.empty() ? 1 : numbers.back() / 4 + 1;
  std::vector<unsigned> values(std::max(needed, std::max<std::size_t>(1, digits)), 0u);
  for (std::uint32_t n : numbers) values[values.size() - 1 - n / 4] |= 1u << n % 4;
  std::string out = "0x";
  for (unsigned value : values) out += "0123456789abcdef"[value];
  return out;
}

}  // namespace ym
