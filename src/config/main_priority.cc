// SPDX-License-Identifier: Apache-2.0
// The keys of multifactor priority.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "config/main_keys.h"
#include "notation/billing.h"

namespace ym {
namespace {

constexpr std::size_t kTresWeightsMax = 64;
constexpr std::int64_t kWeightMax = 1'000'000'000;

}  // namespace

Result<std::vector<PriorityRules::TresWeight>> parse_tres_weights(std::string_view text) {
  std::vector<PriorityRules::TresWeight> weights;
  if (text == "(null)") return weights;
  for (std::string_view part : split_words(text, ',')) {
    auto equals = part.find('=');
    auto number = equals == std::string_view::npos
                      ? std::nullopt
                      : parse_millionths(trim(part.substr(equals + 1)));
    std::string name = to_lower(trim(part.substr(0, equals)));
    bool fits = number && *number / 1'000'000 <= kWeightMax;
    if (!fits || name.empty() || weights.size() >= kTresWeightsMax)
      return fail(fmt::format("'{}' is not a resource and its weight, as in cpu=1000",
                              printable(part, 64)));
    weights.push_back({.name = std::move(name), .weight = *number});
  }
  return weights;
}

void MainKeys::set_priority(MainConfig& config) {
  PriorityRules& rules = config.priority;
  auto weight = [&](std::string_view key) -> std::uint32_t {
    const Value* value = fields_.find(key);
    return value ? static_cast<std::uint32_t>(value->number) : 0;
  };
  rules.is_multifactor = fields_.text("PriorityType", "priority/multifactor") != "priority/basic";
  rules.age = weight("PriorityWeightAge");
  rules.assoc = weight("PriorityWeightAssoc");
  rules.fair_share = weight("PriorityWeightFairShare");
  rules.job_size = weight("PriorityWeightJobSize");
  rules.partition = weight("PriorityWeightPartition");
  rules.qos = weight("PriorityWeightQOS");
  rules.favor_small = weight("PriorityFavorSmall") != 0;
  if (const Value* age = fields_.find("PriorityMaxAge"); age && !age->unlimited)
    rules.max_age = std::chrono::seconds(age->number);
  if (const Value* period = fields_.find("PriorityCalcPeriod"); period && !period->unlimited)
    rules.calc_period = std::chrono::seconds(period->number);
  std::string flags = fields_.text("PriorityFlags", "");
  auto has = [&](std::string_view word) {
    return std::ranges::any_of(split_words(flags, ','),
                               [&](std::string_view one) { return same_ignoring_case(one, word); });
  };
  rules.accrue_always = has("ACCRUE_ALWAYS");
  rules.calculate_running = has("CALCULATE_RUNNING");
  rules.max_tres = has("MAX_TRES");
  rules.small_relative_to_time = has("SMALL_RELATIVE_TO_TIME");
  bool none = has("NO_NORMAL_ALL");
  rules.no_normal_part = none || has("NO_NORMAL_PART");
  rules.no_normal_qos = none || has("NO_NORMAL_QOS");
  rules.no_normal_assoc = none || has("NO_NORMAL_ASSOC");
  rules.no_normal_tres = none || has("NO_NORMAL_TRES");
  const Value* tres = fields_.find("PriorityWeightTRES");
  if (!tres) return;
  auto weights = parse_tres_weights(tres->text);
  if (!weights)
    return findings_.diagnostics.error(places_.find("PriorityWeightTRES")->second,
                                       fmt::format("PriorityWeightTRES: {}", weights.error().text));
  rules.tres = std::move(*weights);
}

}  // namespace ym
