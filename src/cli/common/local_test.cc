// SPDX-License-Identifier: Apache-2.0
#include "cli/common/local.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

namespace ym::cli {
namespace {

TEST(Local, NamesAreReadFromTheFilesText) {
  auto names =
      names_by_number("root:x:0:0::/root:/bin/sh\nbroken\n:x:5:\nada:x:1000:100::/:\nx:y:z:\n");
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "root");
  EXPECT_EQ(names[1000], "ada");
}

TEST(Local, TimesGoToTheZoneAndBack) {
  ::setenv("TZ", "Europe/Berlin", 1);
  ::tzset();
  LocalZone zone;
  for (std::int64_t seconds : {1'700'000'000, 1'720'000'000}) {
    Instant at = Instant::from_unix_seconds(seconds);
    EXPECT_EQ(zone.to_utc(zone.to_local(at)), at);
  }
  ::setenv("TZ", "UTC", 1);
  ::tzset();
}

TEST(Local, AUserIsFoundByNameAndByNumber) {
  constexpr std::string_view kText =
      "root:x:0:0::/root:/bin/sh\nbroken:x:y:1\nada:x:1001:100::/:/\n";
  auto ada = user_in(kText, "ada");
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->uid, 1001u);
  EXPECT_EQ(ada->gid, 100u);
  EXPECT_EQ(user_in(kText, "1001")->name, "ada");
  EXPECT_FALSE(user_in(kText, "broken"));
  EXPECT_FALSE(user_in(kText, ""));
}

}  // namespace
}  // namespace ym::cli
