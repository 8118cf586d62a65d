// SPDX-License-Identifier: Apache-2.0
#include "config/standby.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

std::string_view value_of(const MainConfig& config, std::string_view key) {
  for (const auto& [name, value] : config.shown)
    if (name == key) return value == "(null)" ? std::string_view() : std::string_view(value);
  return {};
}

}  // namespace

StandbyConfig standby_of(const MainConfig& config) {
  StandbyConfig out;
  constexpr std::string_view kName = "lease_time=";
  for (std::string_view word : split_words(value_of(config, "SlurmctldParameters"), ',')) {
    for (auto [name, file] : {std::pair("etcd_ca_file=", &out.etcd_authority),
                              std::pair("etcd_cert_file=", &out.etcd_certificate),
                              std::pair("etcd_cert_key_file=", &out.etcd_key)})
      if (starts_with_ignoring_case(word, name)) *file = word.substr(std::string_view(name).size());
    if (!starts_with_ignoring_case(word, kName)) continue;
    if (auto ms = parse_unsigned<std::uint32_t>(word.substr(kName.size())))
      out.lease_time = Duration(*ms);
  }
  out.lease_time = std::clamp(out.lease_time, kLeaseTimeMin, kLeaseTimeMax);
  out.lease_time = std::max(std::min(out.lease_time, config.controller_timeout), kLeaseTimeMin);
  out.on_program = value_of(config, "SlurmctldPrimaryOnProg");
  out.off_program = value_of(config, "SlurmctldPrimaryOffProg");
  return out;
}

std::string role_name(std::size_t index) {
  return index == 0 ? "primary" : fmt::format("backup{}", index);
}

}  // namespace ym
