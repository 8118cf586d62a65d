// SPDX-License-Identifier: Apache-2.0
#include "net/token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ym {
namespace {

using testing::HasSubstr;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);
const Entropy kSevens = [](std::span<std::uint8_t> out) { std::fill(out.begin(), out.end(), 7); };

ClusterKey key(char fill = 'k') { return ClusterKey::from_bytes(std::string(32, fill)).value(); }

TokenClaims claims() {
  return {.user = "ada",
          .uid = 1000,
          .gid = 100,
          .issued = kNow,
          .expires = kNow + std::chrono::seconds(300),
          .audience = "emil",
          .kind = "user"};
}

std::string unsigned_token(std::string_view json, std::string_view header = R"({"alg":"HS256"})") {
  return base64url_encode(header) + "." + base64url_encode(json);
}

std::string why_not(const ClusterKey& with, std::string_view token, TokenRules rules) {
  auto verified = verify_token(with, token, rules);
  return verified ? "accepted" : verified.error().text;
}

TEST(Token, WhatWasSignedIsVerified) {
  std::string token = sign_token(key(), claims(), kSevens).value();
  auto verified = verify_token(key(), token, {.now = kNow, .audience = "emil", .kind = "user"});
  ASSERT_TRUE(verified) << verified.error().text;
  EXPECT_EQ(verified->user, "ada");
  EXPECT_EQ(verified->uid, 1000u);
  EXPECT_EQ(verified->gid, 100u);
  EXPECT_EQ(verified->expires, kNow + std::chrono::seconds(300));
  EXPECT_EQ(verified->id, "07070707070707070707070707070707");
  EXPECT_EQ(token, sign_token(key(), claims(), kSevens).value())
      << "the same chance gives the same token";
}

TEST(Token, ATokenOfAnotherToolWithUserAndTimesOnlyIsRead) {
  // Header, payload and signature as any JWT library makes them from the key of 32 'k'.
  const char* token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
      "eyJleHAiOjE4MDAwMDAzMDAsImlhdCI6MTgwMDAwMDAwMCwic3VuIjoiYWRhIn0."
      "8LNB5pMmGmlJaVIZ6A2yf2ZsEyFsdDD4wRwxzWSrZAs";
  auto verified = verify_token(key(), token, {.now = kNow});
  ASSERT_TRUE(verified) << verified.error().text;
  EXPECT_EQ(verified->user, "ada");
  EXPECT_FALSE(verified->uid);
}

TEST(Token, NamesWithQuotesAndUmlautsComeBackAsTheyWent) {
  TokenClaims odd = claims();
  odd.user = "J\"ü\\rgen";
  std::string token = sign_token(key(), odd, kSevens).value();
  EXPECT_EQ(verify_token(key(), token, {.now = kNow}).value().user, odd.user);
}

TEST(Token, ExpiryAndIssueAllowForSkewedClocks) {
  std::string token = sign_token(key(), claims(), kSevens).value();
  auto at = [&](int seconds) {
    return why_not(key(), token, {.now = kNow + std::chrono::seconds(seconds)});
  };
  EXPECT_EQ(at(359), "accepted");
  EXPECT_EQ(at(360), "the token expired 60 seconds ago");
  EXPECT_EQ(at(-60), "accepted");
  EXPECT_THAT(at(-61), HasSubstr("issued in the future"));
}

TEST(Token, AnotherKeyClusterOrKindIsRefused) {
  std::string token = sign_token(key(), claims(), kSevens).value();
  EXPECT_EQ(why_not(key('z'), token, {.now = kNow}),
            "the token was not signed with this cluster's key");
  EXPECT_EQ(why_not(key(), token, {.now = kNow, .audience = "zoo"}),
            "the token is for cluster \"emil\", not \"zoo\"");
  EXPECT_EQ(why_not(key(), token, {.now = kNow, .kind = "node"}),
            "the token is of kind \"user\", not \"node\"");
}

TEST(Token, EveryChangedCharacterSpoilsIt) {
  std::string token = sign_token(key(), claims(), kSevens).value();
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(why_not(key(), changed, {.now = kNow}), "accepted") << i;
    EXPECT_NE(why_not(key(), token.substr(0, i), {.now = kNow}), "accepted") << i;
  }
}

TEST(Token, UnsignedTokensAreRefusedWhateverTheirHeaderSays) {
  std::string none = unsigned_token(R"({"exp":9999999999,"uid":0,"gid":0})", R"({"alg":"none"})");
  EXPECT_NE(why_not(key(), none + ".", {.now = kNow}), "accepted");
  EXPECT_NE(why_not(key(), none, {.now = kNow}), "accepted");
  EXPECT_NE(why_not(key(), "..", {.now = kNow}), "accepted");
  EXPECT_NE(why_not(key(), "", {.now = kNow}), "accepted");
}

TEST(Claims, OddOnesAreRefusedWithAReason) {
  auto why = [](std::string_view json) {
    auto parsed = parse_claims(json);
    return parsed ? std::string("fine") : parsed.error().text;
  };
  EXPECT_EQ(why(R"({"exp":1800000000,"other":{"deep":[1,{"exp":2}]}})"), "fine");
  EXPECT_EQ(why(R"({"exp":1.8e9})"), "fine");
  EXPECT_THAT(why(R"({"uid":1})"), HasSubstr("never expires"));
  EXPECT_THAT(why(R"({"exp":"soon"})"), HasSubstr("exp is no sensible number"));
  EXPECT_THAT(why(R"({"exp":-1})"), HasSubstr("exp is no sensible number"));
  EXPECT_THAT(why(R"({"exp":1e300})"), HasSubstr("exp is no sensible number"));
  EXPECT_THAT(why(R"({"exp":18446744073709551615})"), HasSubstr("exp is no sensible number"));
  EXPECT_THAT(why(R"({"exp":1,"uid":4294967295})"), HasSubstr("uid is no user"));
  EXPECT_THAT(why(R"({"exp":1,"uid":-1})"), HasSubstr("uid is no user"));
  EXPECT_THAT(why(R"({"exp":1,"uid":1,"uid":0})"), HasSubstr("twice"));
  EXPECT_THAT(why(R"({"exp":1,"sun":"a\nb"})"), HasSubstr("control characters"));
  EXPECT_EQ(why(R"({"exp":1,"sun":"J\u00fcrgen \ud83d\ude00"})"), "fine");
  EXPECT_THAT(why(R"({"exp":1,"sun":"\ud83d"})"), HasSubstr("no JSON object"));
  EXPECT_THAT(why("{\"exp\":1,\"sun\":\"\xc0\xaf\"}"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(R"({"exp":01})"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(R"({"exp":1,})"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(R"({"exp":1,"sun":["a"]})"), HasSubstr("sun is no short text"));
  EXPECT_THAT(why("[1]"), HasSubstr("no JSON object"));
  EXPECT_THAT(why("7"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(""), HasSubstr("no JSON object"));
  EXPECT_THAT(why(R"({"exp":1} x)"), HasSubstr("no JSON object"));
  EXPECT_THAT(why(std::string(2000, '[')), HasSubstr("no JSON object"));
}

TEST(Blob, SignaturesHoldForTheirKeyContextAndBytesOnly) {
  std::string signature = sign_blob(key(), "job credential", "job 7");
  auto good = [](const ClusterKey& with, std::string_view context, std::string_view bytes,
                 std::string_view by) {
    return verify_blob(with, context, bytes, by, {.now = kNow}).has_value();
  };
  EXPECT_TRUE(good(key(), "job credential", "job 7", signature));
  EXPECT_FALSE(good(key(), "job credential", "job 8", signature));
  EXPECT_FALSE(good(key(), "job credentia", "ljob 7", signature));
  EXPECT_FALSE(good(key('z'), "job credential", "job 7", signature));
  EXPECT_FALSE(good(key(), "job credential", "job 7", std::string_view(signature).substr(0, 31)));
  EXPECT_FALSE(good(key(), "job credential", "job 7", signature + "k1")) << "of another key";
  EXPECT_FALSE(good(key(), "job credential", "job 7", {}));
}

TEST(Base64url, RoundsAndRefusesWhatIsNotCanonical) {
  for (std::size_t n = 0; n < 64; ++n) {
    std::string bytes;
    for (std::size_t i = 0; i < n; ++i) bytes += static_cast<char>(i * 37 + n);
    EXPECT_EQ(base64url_decode(base64url_encode(bytes)), bytes);
  }
  EXPECT_EQ(base64url_encode("\xfb\xff"), "-_8");
  for (const char* bad : {"A", "AAAAA", "AB", "AA=", "A A", "A+", "A/"})
    EXPECT_FALSE(base64url_decode(bad)) << bad;
}

}  // namespace
}  // namespace ym
