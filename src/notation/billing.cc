// SPDX-License-Identifier: Apache-2.0
#include "notation/billing.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::uint64_t kWeightMax = 1'000'000;
constexpr std::size_t kWeightsMax = 64;
constexpr int kWhole = 50;  // bits behind the point while adding: enough for the suffix P

std::unexpected<Error> bad(std::string_view part) {
  return fail(
      fmt::format("'{}' is not a resource and its weight, as in mem=0.25G", printable(part, 64)));
}

bool in_megabytes(std::string_view name) {
  return name == "mem" || name == "vmem" || name.starts_with("bb/");
}

}  // namespace

std::optional<std::int64_t> parse_millionths(std::string_view text) {
  auto dot = std::min(text.find('.'), text.size());
  std::string_view whole = text.substr(0, dot);
  std::string digits(dot < text.size() ? text.substr(dot + 1) : "");
  if (whole.empty() && digits.empty()) return std::nullopt;
  if (!std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  digits.resize(6, '0');
  auto units = whole.empty() ? std::optional<std::uint64_t>(0) : parse_u64(whole);
  auto parts = parse_u64(digits);
  constexpr std::uint64_t kMost = 0xffffffff;
  if (!units || !parts || *units > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*units * 1'000'000 + *parts);
}

Result<BillingWeights> BillingWeights::parse(std::string_view text) {
  BillingWeights out;
  for (std::string_view part : split_words(text, ',')) {
    auto equals = part.find('=');
    if (equals == std::string_view::npos) return bad(part);
    std::string_view number = trim(part.substr(equals + 1));
    Weight weight{.name = to_lower(trim(part.substr(0, equals)))};
    bool negative = number.starts_with('-');
    if (negative) number.remove_prefix(1);
    constexpr std::string_view kSuffixes = "kmgtp";
    auto suffix = number.empty() ? std::string_view::npos
                                 : kSuffixes.find(to_lower(number.substr(number.size() - 1))[0]);
    if (suffix != std::string_view::npos) {
      number.remove_suffix(1);
      int power = static_cast<int>(suffix) + 1;
      weight.shift = 10 * (in_megabytes(weight.name) ? power - 2 : power);
    }
    auto millionths = parse_millionths(number);
    bool fits = millionths && *millionths <= static_cast<std::int64_t>(kWeightMax * 1'000'000);
    if (!fits || weight.name.empty() || out.weights_.size() >= kWeightsMax) return bad(part);
    weight.millionths = negative ? -*millionths : *millionths;
    out.weights_.push_back(std::move(weight));
  }
  return out;
}

std::uint64_t BillingWeights::bill(const Tres& tres, bool largest) const {
  __int128 sum = 0, most = 0;
  for (const Weight& weight : weights_) {
    // 40 bits for the weight, 50 behind the point, and room for adding up.
    constexpr std::uint64_t kAmountMax = std::uint64_t{1} << 30;
    std::uint64_t amount = std::min(tres.get(weight.name), kAmountMax);
    __int128 worth = static_cast<__int128>(amount) * weight.millionths *
                     (__int128{1} << (kWhole - std::max(0, weight.shift)));
    if (weight.shift < 0) worth *= __int128{1} << -weight.shift;
    sum += worth;
    most = std::max(most, worth);
  }
  __int128 total = largest ? most : sum;
  if (total <= 0) return 0;
  return static_cast<std::uint64_t>(total / 1'000'000 / (__int128{1} << kWhole));
}

}  // namespace ym
