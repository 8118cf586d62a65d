// SPDX-License-Identifier: Apache-2.0
#include "config/security.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace ym {
namespace {

std::string_view shown_value_of(const ClusterConfig& config, std::string_view key) {
  for (const auto& [name, value] : config.shown)
    if (name == key) return value;
  return {};
}

std::string_view option(std::string_view list, std::string_view name) {
  for (std::string_view part : split_words(list, ','))
    if (part.size() > name.size() && part[name.size()] == '=' &&
        starts_with_ignoring_case(part, name))
      return part.substr(name.size() + 1);
  return {};
}

}  // namespace

SecurityConfig security_of(const ClusterConfig& config) {
  SecurityConfig out;
  std::string_view info = shown_value_of(config, "AuthInfo");
  out.jwks_file = option(info, "jwks_file");
  if (auto seconds = parse_unsigned<std::uint32_t>(option(info, "clock_skew")))
    out.clock_skew = std::min<Duration>(std::chrono::seconds(*seconds), kConfiguredSkewMax);
  auto words = split_words(shown_value_of(config, "PrivateData"), ',');
  auto said = [&](std::string_view word) {
    return std::ranges::any_of(words, [&](std::string_view one) {
      return same_ignoring_case(one, word) || same_ignoring_case(one, "all");
    });
  };
  out.hidden = {.accounts = said("accounts"),
                .events = said("events"),
                .jobs = said("jobs"),
                .nodes = said("nodes"),
                .partitions = said("partitions"),
                .reservations = said("reservations"),
                .usage = said("usage"),
                .users = said("users")};
  return out;
}

}  // namespace ym
