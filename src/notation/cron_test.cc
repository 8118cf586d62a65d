// SPDX-License-Identifier: Apache-2.0
#include "notation/cron.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

// Wednesday, 15 November 2023, 10:20:30 UTC.
const Instant kNow = Instant::from_unix_seconds(1'700'043'630);

std::string next(std::string_view text, Instant after = kNow,
                 const TimeZone& zone = FixedOffset()) {
  auto cron = CronTime::parse(text);
  if (!cron) return "error: " + cron.error().text;
  auto time = cron->next(after, zone);
  return time ? print_timestamp(*time, zone) : "never";
}

TEST(Cron, FindsTheNextTime) {
  EXPECT_EQ(next("* * * * *"), "2023-11-15T10:21:00");
  EXPECT_EQ(next("*/15 * * * *"), "2023-11-15T10:30:00");
  EXPECT_EQ(next("20 10 * * *"), "2023-11-16T10:20:00");
  EXPECT_EQ(next("0 0 1 * *"), "2023-12-01T00:00:00");
  EXPECT_EQ(next("0 9-17/4 * * *"), "2023-11-15T13:00:00");
  EXPECT_EQ(next("5/20 * * * *"), "2023-11-15T10:25:00");
  EXPECT_EQ(next("0 12 * jan,feb *"), "2024-01-01T12:00:00");
  EXPECT_EQ(next("0 12 29 feb *"), "2024-02-29T12:00:00");
  EXPECT_EQ(next("0 12 30 feb *"), "never");
}

TEST(Cron, KnowsTheDaysOfTheWeek) {
  EXPECT_EQ(next("0 8 * * mon"), "2023-11-20T08:00:00");
  EXPECT_EQ(next("0 8 * * 0"), "2023-11-19T08:00:00");
  EXPECT_EQ(next("0 8 * * 7"), "2023-11-19T08:00:00");
  EXPECT_EQ(next("0 8 * * sat-7"), "2023-11-18T08:00:00");
  // Either of the two, where both are restricted.
  EXPECT_EQ(next("0 8 17 * mon"), "2023-11-17T08:00:00");
  EXPECT_EQ(next("0 8 */1 * mon"), "2023-11-20T08:00:00");
}

TEST(Cron, KnowsTheWords) {
  EXPECT_EQ(next("@hourly"), "2023-11-15T11:00:00");
  EXPECT_EQ(next("@daily"), "2023-11-16T00:00:00");
  EXPECT_EQ(next("@midnight"), "2023-11-16T00:00:00");
  EXPECT_EQ(next("@weekly"), "2023-11-19T00:00:00");
  EXPECT_EQ(next("@monthly"), "2023-12-01T00:00:00");
  EXPECT_EQ(next("@Yearly"), "2024-01-01T00:00:00");
  EXPECT_EQ(next("@teatime"), "2023-11-15T16:00:00");
}

TEST(Cron, GoesByTheClockOnTheWall) {
  EXPECT_EQ(next("0 0 * * *", kNow, FixedOffset(5 * 3600)), "2023-11-16T00:00:00");
  EXPECT_EQ(CronTime::parse("@daily")->next(kNow, FixedOffset(5 * 3600)),
            Instant::from_unix_seconds(1'700'074'800));
}

TEST(Cron, RefusesWhatIsNoTime) {
  for (const char* text :
       {"", "* * * *", "* * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *",
        "* * * * 8", "5-1 * * * *", "*/0 * * * *", "a * * * *", "@often", ", * * * *"})
    EXPECT_FALSE(CronTime::parse(text)) << text;
}

TEST(Cron, PrintsWhatItRead) {
  EXPECT_EQ(CronTime::parse("*/20 1-3,5 * jan-mar mon")->str(), "0,20,40 1-3,5 * 1-3 1");
}

TEST(Cron, SplitsALineIntoTimeAndCommand) {
  auto line = parse_cron_line("  0 5 * *\tmon   /bin/job  a b");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->command, "/bin/job  a b");
  EXPECT_EQ(line->spec, "0 5 * *\tmon");
  EXPECT_EQ(parse_cron_line("@daily true")->command, "true");
  EXPECT_FALSE(parse_cron_line("@daily"));
  EXPECT_FALSE(parse_cron_line("0 5 * * mon"));
}

}  // namespace
}  // namespace ym
