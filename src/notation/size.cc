// SPDX-License-Identifier: Apache-2.0
#include "notation/size.h"

#include <optional>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kUnits = "kmgtp";  // each 1024 times the one before

std::unexpected<Error> invalid(std::string_view text) {
  return fail(fmt::format("Invalid size \"{}\": use a number with an optional K, M, G, T or P",
                          printable(text, 64)));
}

struct Size {
  std::uint64_t number = 0;
  std::optional<unsigned>
      shift;  // of the unit written: 10 for K, 20 for M …; nothing if there was none
};

Result<Size> read(std::string_view text) {
  auto digits = text.find_first_not_of("0123456789");
  auto number = parse_u64(text.substr(0, digits));
  if (!number) return invalid(text);
  if (digits == std::string_view::npos) return Size{*number, std::nullopt};
  std::string unit = to_lower(text.substr(digits));
  auto power = kUnits.find(unit[0]);
  if (power == std::string_view::npos) return invalid(text);
  std::string_view rest = std::string_view(unit).substr(1);
  if (!rest.empty() && rest != "b" && rest != "ib") return invalid(text);
  return Size{*number, 10 * (static_cast<unsigned>(power) + 1)};
}

}  // namespace

Result<std::uint64_t> parse_megabytes(std::string_view text) {
  auto size = read(text);
  if (!size) return std::unexpected(size.error());
  unsigned shift = size->shift.value_or(20);
  std::uint64_t number = size->number;
  if (shift == 10) {
    number = number / 1024 + (number % 1024 != 0);
    shift = 20;
  }
  if (number > kMegabytesMax >> (shift - 20))
    return fail(fmt::format("The size {} is too large", printable(text, 64)));
  return number << (shift - 20);
}

Result<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t default_unit) {
  auto size = read(text);
  if (!size) return std::unexpected(size.error());
  std::uint64_t unit = size->shift ? std::uint64_t{1} << *size->shift : default_unit;
  if (unit > 0 && size->number > UINT64_MAX / unit)
    return fail(fmt::format("The size {} is too large", printable(text, 64)));
  return size->number * unit;
}

std::string print_megabytes(std::uint64_t megabytes) {
  if (megabytes == 0) return "0";
  std::size_t unit = 1;
  for (; megabytes % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) megabytes /= 1024;
  return fmt::format("{}{}", megabytes, "KMGTP"[unit]);
}

}  // namespace ym
