// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/token_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/rate_limit.h"
#include "net/replay.h"

namespace ym {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

TEST(TokenRate, IsOfEachUserAndNotRoots) {
  TokenRate rate;
  auto given = [&](std::uint32_t uid, Duration now, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += rate.ask(uid, now).has_value();
    return count;
  };
  EXPECT_EQ(given(1000, seconds(10), 3000), 2000);
  Status refused = rate.ask(1000, seconds(10));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, kRateLimited);
  EXPECT_THAT(refused.error().text, HasSubstr("uid 1000 asks for more than 200 tokens a second"));
  EXPECT_EQ(given(1001, seconds(10), 10), 10) << "others are not concerned";
  EXPECT_EQ(given(0, seconds(10), 3000), 3000);
  EXPECT_EQ(given(1000, seconds(11), 300), 200) << "and he goes on";
}

TEST(TokenRate, FillsNobodysShareOfWhatIsRemembered) {
  constexpr auto kRemembered_s = 120;  // a minute's life, and as much for clocks that differ
  EXPECT_LT(TokenRate::kRules.bucket_size + kRemembered_s * TokenRate::kRules.refill_rate,
            ReplayGuard::Limits{}.of_one);
}

}  // namespace
}  // namespace ym
