// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "config/rate_limit.h"
#include "config/security.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  ym::ClusterConfig config;
  for (const char* key : {"SlurmctldParameters", "AuthInfo", "PrivateData"})
    config.shown.emplace_back(key, text);
  ym::RateRules rules = ym::rate_rules_of(config);
  YM_CHECK(rules.bucket_size > 0);
  YM_CHECK(rules.refill_rate > 0);
  YM_CHECK(rules.refill_period_s > 0);
  YM_CHECK(rules.table_size > 0);
  YM_CHECK(rules.table_size <= ym::kRateTableMax);
  YM_CHECK(ym::security_of(config).clock_skew <= ym::kConfiguredSkewMax);
  return 0;
}
