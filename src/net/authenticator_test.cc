// SPDX-License-Identifier: Apache-2.0
#include "net/authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "net/token.h"

namespace ym {
namespace {

using testing::HasSubstr;

const Instant kStart = Instant::from_unix_seconds(1'800'000'000);
const Entropy kSevens = [](std::span<std::uint8_t> out) { std::fill(out.begin(), out.end(), 7); };

ClusterKey key() { return ClusterKey::from_bytes(std::string(32, 'k')).value(); }

TokenClaims claims() {
  return {.user = "ada",
          .uid = 1000,
          .gid = 100,
          .issued = kStart,
          .expires = kStart + std::chrono::seconds(60),
          .audience = "emil",
          .kind = "user"};
}
std::string token_of(const TokenClaims& what) { return sign_token(key(), what, kSevens).value(); }

class AuthenticatorTest : public testing::Test {
 protected:
  Instant now_ = kStart;
  Keys keys_{key()};
  Authenticator door_{keys_, {.cluster = "emil", .now = [this] { return now_; }, .look_up = {}}};

  std::string verdict(const std::string& token) {
    auto peer = door_.authenticate(token);
    return peer ? "good" : peer.error().text;
  }
};

TEST_F(AuthenticatorTest, ATokenTellsWhoItIsAndNeedsUidAndGid) {
  auto peer = door_.authenticate(token_of(claims()));
  ASSERT_TRUE(peer) << peer.error().text;
  EXPECT_EQ(peer->uid, 1000u);
  EXPECT_EQ(peer->role, "user");
  TokenClaims nameless = claims();
  nameless.uid.reset();
  EXPECT_THAT(verdict(token_of(nameless)), HasSubstr("no uid"));
}

TEST_F(AuthenticatorTest, ATokenThatServesOnceIsRefusedTheSecondTime) {
  TokenClaims once = claims();
  once.once = true;
  std::string token = token_of(once);
  EXPECT_EQ(verdict(token), "good");
  EXPECT_THAT(verdict(token), HasSubstr("used already"));
  now_ = kStart + std::chrono::seconds(119);
  EXPECT_THAT(verdict(token), HasSubstr("used already")) << "as long as it would be accepted";
  now_ = kStart + std::chrono::seconds(120);
  EXPECT_THAT(verdict(token), HasSubstr("expired"));
}

TEST_F(AuthenticatorTest, AnOrdinaryTokenServesUntilItExpires) {
  std::string token = token_of(claims());
  EXPECT_EQ(verdict(token), "good");
  EXPECT_EQ(verdict(token), "good");
}

TEST_F(AuthenticatorTest, ClocksMayDifferAsFarAsConfiguredAndNotFurther) {
  std::string token = token_of(claims());
  now_ = kStart - std::chrono::seconds(60);
  EXPECT_EQ(verdict(token), "good");
  now_ = kStart - std::chrono::seconds(61);
  EXPECT_THAT(verdict(token), HasSubstr("do the clocks differ?"));
  door_.set_skew(std::chrono::seconds(100));
  EXPECT_EQ(verdict(token), "good");
  door_.set_skew(std::chrono::hours(48));
  EXPECT_EQ(door_.skew(), kClockSkewMax);
}

TEST_F(AuthenticatorTest, ATokenOfAnotherClusterIsRefused) {
  TokenClaims other = claims();
  other.audience = "lisa";
  EXPECT_THAT(verdict(token_of(other)), HasSubstr("for cluster \"lisa\""));
  other.audience = "";
  EXPECT_THAT(verdict(token_of(other)), HasSubstr("for cluster \"\""));
}

TEST_F(AuthenticatorTest, NewKeysCountFromTheNextTokenOn) {
  std::string token = token_of(claims());
  keys_.set(ClusterKey::from_bytes(std::string(32, 'z')).value());
  EXPECT_THAT(verdict(token), HasSubstr("not signed with this cluster's key"));
}

TEST(ReplayGuard, ForgetsNothingThatCouldBeUsedAgain) {
  ReplayGuard guard(2);
  EXPECT_TRUE(guard.use("a", kStart + Duration(10), kStart));
  EXPECT_TRUE(guard.use("b", kStart + Duration(20), kStart));
  EXPECT_THAT(guard.use("c", kStart + Duration(20), kStart).error().text, HasSubstr("too many"));
  EXPECT_FALSE(guard.use("a", kStart + Duration(10), kStart + Duration(9)));
  EXPECT_TRUE(guard.use("c", kStart + Duration(30), kStart + Duration(10)));
  EXPECT_EQ(guard.remembered(), 2u);
}

TEST(ServerProof, HoldsForTheTokenThatWasShownAndNoOther) {
  std::string token = token_of(claims());
  std::string proof = prove_server(key(), {.token = token, .binding = {}});
  EXPECT_TRUE(check_server(key(), {.token = token, .binding = {}}, proof, {.now = kStart}));
  EXPECT_FALSE(check_server(key(), {.token = token + "x", .binding = {}}, proof, {.now = kStart}));
  EXPECT_FALSE(check_server(key(), {.token = token, .binding = {}}, "", {.now = kStart}));
  ClusterKey other = ClusterKey::from_bytes(std::string(32, 'z')).value();
  EXPECT_FALSE(check_server(key(), {.token = token, .binding = {}},
                            prove_server(other, {.token = token, .binding = {}}), {.now = kStart}));
}

TEST_F(AuthenticatorTest, TakesCredentialsOfMungeOnlyWhereTheyAreWanted) {
  EXPECT_THAT(verdict("MUNGE:abc:"), HasSubstr("not taken here"));
  Authenticator with(
      keys_, {.cluster = "emil",
              .now = [this] { return now_; },
              .look_up = {},
              .munge = [](const std::string& credential, std::string_view binding) -> Result<Peer> {
                if (credential != "MUNGE:abc:") return fail("forged");
                if (binding != "here") return fail("another channel");
                return Peer{.kind = PeerKind::Token, .uid = 7, .gid = 8};
              }});
  auto peer = with.authenticate("MUNGE:abc:", "here");
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->uid, 7u);
  EXPECT_FALSE(with.authenticate("MUNGE:abc:", "elsewhere"));
  EXPECT_FALSE(with.authenticate("MUNGE:abd:", "here"));
  EXPECT_TRUE(with.authenticate(token_of(claims()))) << "the cluster's own tokens still serve";
}

}  // namespace
}  // namespace ym
