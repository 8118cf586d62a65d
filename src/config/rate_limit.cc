// SPDX-License-Identifier: Apache-2.0
#include "config/rate_limit.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace ym {
namespace {

std::string_view parameters_of(const MainConfig& config) {
  for (const auto& [name, value] : config.shown)
    if (name == "SlurmctldParameters") return value;
  return {};
}

void set_rule(RateRules& rules, std::string_view word) {
  std::string_view name = word.substr(0, word.find('='));
  std::string_view value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
  auto is = [&](std::string_view other) { return same_ignoring_case(name, other); };
  if (is("rl_enable")) rules.enabled = true;
  if (is("rl_log_freq") && value == "-1") rules.log_freq_s = -1;
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number) return;
  if (is("rl_log_freq") && *number <= INT32_MAX)
    rules.log_freq_s = static_cast<std::int32_t>(*number);
  if (*number == 0) return;  // nobody could ask anything, ever
  if (is("rl_bucket_size")) rules.bucket_size = *number;
  if (is("rl_refill_rate")) rules.refill_rate = *number;
  if (is("rl_refill_period")) rules.refill_period_s = *number;
  if (is("rl_table_size")) rules.table_size = std::min(*number, kRateTableMax);
}

}  // namespace

RateRules rate_rules_of(const MainConfig& config) {
  RateRules rules;
  for (std::string_view word : split_words(parameters_of(config), ',')) set_rule(rules, word);
  return rules;
}

}  // namespace ym
