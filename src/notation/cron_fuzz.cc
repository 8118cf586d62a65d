// SPDX-License-Identifier: Apache-2.0
// What is read prints to what reads the same; the next time is later and one that is meant.
#include <cstdint>
#include <cstdlib>

#include "notation/cron.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ym::parse_cron_line(text));
  auto cron = ym::CronTime::parse(text);
  if (!cron) return 0;
  auto again = ym::CronTime::parse(cron->str());
  if (!again || !(*again == *cron)) std::abort();
  ym::FixedOffset zone(3600);
  ym::Instant now = ym::Instant::from_unix_seconds(1'700'000'000);
  auto next = cron->next(now, zone);
  if (!next) return 0;
  ym::CivilTime shown = zone.to_local(*next);
  bool meant = cron->minutes.test(static_cast<std::size_t>(shown.minute)) &&
               cron->hours.test(static_cast<std::size_t>(shown.hour)) && shown.second == 0;
  if (!meant || *next <= now) std::abort();
  return 0;
}
