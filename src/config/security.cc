// SPDX-License-Identifier: Apache-2.0
#include "config/security.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace ym {
namespace {

std::string_view shown_value_of(const MainConfig& config, std::string_view key) {
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

bool is_loopback(std::string_view host) {
  return same_ignoring_case(host, "localhost") || host.starts_with("127.") || host == "::1" ||
         host == "[::1]" || same_ignoring_case(host, "ip6-localhost");
}

}  // namespace

TlsConfig tls_of(const MainConfig& config) {
  TlsConfig out;
  std::string_view type = shown_value_of(config, "TLSType");
  if (type.empty() || type == "(null)")
    out.on = std::ranges::any_of(config.controllers, [](const ControllerHost& host) {
      return !is_loopback(host.address.empty() ? host.name : host.address);
    });
  else
    out.on = !same_ignoring_case(type, "none") && !same_ignoring_case(type, "tls/none");
  std::string_view list = shown_value_of(config, "TLSParameters");
  out.authority_file = option(list, "ca_cert_file");
  out.controller_certificate = option(list, "ctld_cert_file");
  out.controller_key = option(list, "ctld_cert_key_file");
  out.node_certificate = option(list, "slurmd_cert_file");
  out.node_key = option(list, "slurmd_cert_key_file");
  out.site_authority = !out.authority_file.empty();
  out.authority_dir = option(list, "authority_dir");
  if (auto seconds = parse_unsigned<std::uint32_t>(option(list, "cert_life")))
    out.certificate_life = std::chrono::seconds(*seconds);
  return out;
}

SecurityConfig security_of(const MainConfig& config) {
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
