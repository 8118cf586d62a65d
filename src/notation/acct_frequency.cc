// SPDX-License-Identifier: Apache-2.0
#include "notation/acct_frequency.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"task", "energy", "network", "filesystem"};

}  // namespace

Result<std::optional<std::uint32_t>> parse_acct_frequency(std::string_view text) {
  std::optional<std::uint32_t> tasks;
  for (std::string_view word : split_words(text, ',')) {
    auto equals = word.find('=');
    std::string_view kind = equals == word.npos ? "task" : word.substr(0, equals);
    std::string_view value = equals == word.npos ? word : word.substr(equals + 1);
    bool known = std::ranges::any_of(
        kKinds, [&](std::string_view one) { return same_ignoring_case(one, kind); });
    auto seconds = parse_unsigned<std::uint32_t>(value);
    if (!known || !seconds || *seconds > kAcctFrequencyMax)
      return fail(fmt::format("Invalid --acctg-freq specification: {}", printable(word)));
    if (same_ignoring_case(kind, "task")) tasks = *seconds;
  }
  return tasks;
}

}  // namespace ym
