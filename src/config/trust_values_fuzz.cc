// SPDX-License-Identifier: Apache-2.0
// The values about trust and standbys: keys and values, a line each.
#include "base/check.h"
#include "base/text.h"
#include "config/munge.h"
#include "config/security.h"
#include "config/standby.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  ym::ClusterConfig config;
  for (std::string_view line : ym::split(text, '\n')) {
    auto equals = line.find('=');
    if (equals == line.npos) continue;
    config.shown.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    if (line.starts_with("SlurmctldHost"))
      config.controllers.push_back({.name = std::string(line.substr(equals + 1)), .address = {}});
  }
  ym::TlsConfig tls = ym::tls_of(config);
  YM_CHECK(tls.certificate_life >= ym::Duration{0});
  ym::StandbyConfig standby = ym::standby_of(config);
  YM_CHECK(standby.lease_time >= ym::kLeaseTimeMin && standby.lease_time <= ym::kLeaseTimeMax);
  ym::MungeConfig munge = ym::munge_of(config);
  std::string payload = ym::munge_payload(std::string(text), "binding");
  YM_CHECK(payload.starts_with(ym::munge_payload(std::string(text), {})));
  YM_CHECK(munge.socket.size() <= size);
  return 0;
}
