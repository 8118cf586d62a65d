// SPDX-License-Identifier: Apache-2.0
#include "notation/timestamp.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace ym {
namespace {

const FixedOffset kZone(2 * 3600);

// A Sunday afternoon: 15:30:10 on 2026-11-15, local time.
const Instant kNow = kZone.to_utc({2026, 11, 15, 15, 30, 10});

std::string read(std::string_view text, Looking looking = Looking::Ahead) {
  auto time = parse_timestamp(text, kNow, kZone, looking);
  return time ? print_timestamp(*time, kZone) : time.error().text;
}

TEST(Timestamp, ReadsEveryFormOfTheManual) {
  for (auto [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"now", "2026-11-15T15:30:10"},
           {"now+1hour", "2026-11-15T16:30:10"},
           {"now+60", "2026-11-15T15:31:10"},
           {"now + 2 days", "2026-11-17T15:30:10"},
           {"NOW+3weeks", "2026-12-06T15:30:10"},
           {"now+5min", "2026-11-15T15:35:10"},
           {"now-1day", "2026-11-14T15:30:10"},
           {"midnight", "2026-11-16T00:00:00"},
           {"noon", "2026-11-16T12:00:00"},
           {"elevenses", "2026-11-16T11:00:00"},
           {"fika", "2026-11-16T15:00:00"},
           {"teatime", "2026-11-15T16:00:00"},
           {"today", "2026-11-15T00:00:00"},
           {"tomorrow", "2026-11-16T00:00:00"},
           {"teatime tomorrow", "2026-11-16T16:00:00"},
           {"tomorrow noon", "2026-11-16T12:00:00"},
           {"noon today", "2026-11-15T12:00:00"},
           {"15:30:10", "2026-11-15T15:30:10"},
           {"15:30:09", "2026-11-16T15:30:09"},
           {"16:00", "2026-11-15T16:00:00"},
           {"4:05 PM", "2026-11-15T16:05:00"},
           {"4:05pm", "2026-11-15T16:05:00"},
           {"12:00AM", "2026-11-16T00:00:00"},
           {"12:30 pm", "2026-11-16T12:30:00"},
           {"1225", "2026-12-25T00:00:00"},
           {"122527", "2027-12-25T00:00:00"},
           {"12/25", "2026-12-25T00:00:00"},
           {"1/2", "2027-01-02T00:00:00"},
           {"11/15", "2026-11-15T00:00:00"},
           {"12/25/28", "2028-12-25T00:00:00"},
           {"12.25.2028", "2028-12-25T00:00:00"},
           {"12.25", "2026-12-25T00:00:00"},
           {"16:00 12/25", "2026-12-25T16:00:00"},
           {"12/25 16:00", "2026-12-25T16:00:00"},
           {"1225-16:00", "2026-12-25T16:00:00"},
           {"122527-16:00:30", "2027-12-25T16:00:30"},
           {"12.25-16:00", "2026-12-25T16:00:00"},
           {"12.25.27-4:00pm", "2027-12-25T16:00:00"},
           {"12/25-4:00 pm", "2026-12-25T16:00:00"},
           {"12/25/27-00:00", "2027-12-25T00:00:00"},
           {"2027-12-25-16:00", "2027-12-25T16:00:00"},
           {"122527-noon", "2027-12-25T12:00:00"},
           {"4:00 pm 12/25", "2026-12-25T16:00:00"},
           {"2026-01-20", "2026-01-20T00:00:00"},
           {"2026-01-20T12:34", "2026-01-20T12:34:00"},
           {"2026-01-20t12:34:56", "2026-01-20T12:34:56"},
           {"2026-01-20 12:34:56", "2026-01-20T12:34:56"},
           {"uts86400", "1970-01-02T02:00:00"},
       })
    EXPECT_EQ(read(text), expected) << text;
}

TEST(Timestamp, LookingBackFindsTheLastOne) {
  EXPECT_EQ(read("noon", Looking::Back), "2026-11-15T12:00:00");
  EXPECT_EQ(read("midnight", Looking::Back), "2026-11-15T00:00:00");
  EXPECT_EQ(read("12/25", Looking::Back), "2025-12-25T00:00:00");
  EXPECT_EQ(read("11/15", Looking::Back), "2026-11-15T00:00:00");
  EXPECT_EQ(read("1/2", Looking::Back), "2026-01-02T00:00:00");
}

TEST(Timestamp, RefusesWhatIsNoTime) {
  for (auto text : {"",
                    " ",
                    "soon",
                    "now+",
                    "now+x",
                    "now+1fortnight",
                    "now1",
                    "nowhere",
                    "now+99999999999",
                    "now-3000weeks",
                    "24:00",
                    "12:60",
                    "12",
                    "1:2:3:4",
                    "13:00pm",
                    "0:00am",
                    "am",
                    "pm 4:00",
                    "4:00 am pm",
                    "4:00pm pm",
                    "noon pm",
                    "16:00 17:00",
                    "noon midnight",
                    "12/25 12/26",
                    "today tomorrow",
                    "13/01",
                    "02/30",
                    "2/29/27",
                    "2/29",
                    "123",
                    "12345",
                    "1234567",
                    "12/25/1",
                    "1/2/3/4",
                    "2026-13-01",
                    "2026-1",
                    "26-01-02",
                    "1225-",
                    "1225-16",
                    "-16:00",
                    "1225-16:00-17:00",
                    "2026-12-25-",
                    "12:00-1225",
                    "1225-noon pm",
                    "uts",
                    "uts-1",
                    "uts253402300800",
                    "2026-01-20T",
                    "T12:00",
                    "2026-01-20T12:00T13:00",
                    "1969-12-31",
                    "12/25.26"})
    EXPECT_EQ(read(text), "Invalid time specification: " + std::string(text)) << text;
  EXPECT_FALSE(parse_timestamp(std::string(100, ' '), kNow, kZone));
}

TEST(Timestamp, UnsetTimesHaveNames) {
  EXPECT_EQ(print_timestamp({}, kZone), "Unknown");
  EXPECT_EQ(print_timestamp({}, kZone, "N/A"), "N/A");
  EXPECT_EQ(print_timestamp(kNever, kZone, "N/A"), "N/A");
}

TEST(Timestamp, CivilTimeKnowsTheCalendar) {
  EXPECT_EQ(unix_seconds_of({2000, 3, 1}), 951868800);
  EXPECT_EQ(civil_time_of(951868799), (CivilTime{2000, 2, 29, 23, 59, 59}));
  EXPECT_EQ(civil_time_of(-1), (CivilTime{1969, 12, 31, 23, 59, 59}));
  EXPECT_EQ(unix_seconds_of({2026, 12, 32}), unix_seconds_of({2027, 1, 1}));
}

TEST(Timestamp, EveryInstantComesBackFromItsPrint) {
  Prng prng(1);
  for (int round = 0; round < 20000; ++round) {
    FixedOffset zone(prng.between(-14 * 3600, 14 * 3600));
    Instant time = Instant::from_unix_seconds(prng.between(100'000, 250'000'000'000));
    ASSERT_EQ(parse_timestamp(print_timestamp(time, zone), kNow, zone), time);
    ASSERT_EQ(zone.to_utc(zone.to_local(time)), time);
  }
}

TEST(Timestamp, ATimeOfDayIsNeverInThePastNorMoreThanADayAhead) {
  Prng prng(2);
  for (int round = 0; round < 5000; ++round) {
    FixedOffset zone(prng.between(-14, 14) * 3600);
    Instant now = Instant::from_unix_seconds(prng.between(1'000'000, 4'000'000'000));
    std::string text = std::to_string(prng.below(24)) + ":" + std::to_string(prng.below(60));
    auto time = parse_timestamp(text, now, zone);
    ASSERT_TRUE(time) << text;
    ASSERT_GE(*time, now);
    ASSERT_LT(*time, now + std::chrono::hours(24));
  }
}

}  // namespace
}  // namespace ym
