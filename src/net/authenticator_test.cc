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

TEST_F(AuthenticatorTest, ATokenOfBeforeTheStartServesOnlyWhereItIsBound) {
  Authenticator restarted{keys_,
                          {.cluster = "emil",
                           .now = [this] { return now_; },
                           .started = kStart + Duration(200),
                           .look_up = {}}};
  auto verdict = [&](const TokenClaims& what, std::string_view binding = {}) {
    auto peer = restarted.authenticate(token_of(what), binding);
    return peer ? "good" : peer.error().text;
  };
  now_ = kStart + std::chrono::seconds(5);
  TokenClaims once = claims();
  once.once = true;
  EXPECT_THAT(verdict(once), HasSubstr("made before this server started"))
      << "it may have served before the restart";
  EXPECT_EQ(verdict(claims()), "good") << "one that serves for long is not concerned";
  TokenClaims bound = once;
  bound.binding = "here";
  EXPECT_EQ(verdict(bound, "here"), "good") << "nobody can have shown it on another channel";
  TokenClaims later = once;
  later.issued = kStart + std::chrono::seconds(1);
  EXPECT_EQ(verdict(later), "good");
  // The clock is set back by a minute: what is made now serves all the same.
  now_ = kStart - std::chrono::seconds(60);
  TokenClaims now = once;
  now.issued = now_;
  now.expires = now_ + std::chrono::seconds(50);
  EXPECT_EQ(verdict(now), "good");
}

TEST_F(AuthenticatorTest, NodesHaveRoomOfTheirOwn) {
  TokenClaims user = claims(), node = claims();
  user.once = node.once = true;
  node.kind = "node";
  EXPECT_EQ(verdict(token_of(user)), "good");
  EXPECT_EQ(verdict(token_of(node)), "good") << "the same number, and not the same guard";
  EXPECT_THAT(verdict(token_of(node)), HasSubstr("used already"));
}

// A minute's worth: made in second `issued`, forgotten 60 s later.
Status use(ReplayGuard& guard, std::uint32_t uid, int issued, std::string_view id, int now) {
  auto at = [](int second) { return kStart + std::chrono::seconds(second); };
  return guard.use({.uid = uid, .issued = at(issued), .id = id, .forget_at = at(issued + 60)},
                   at(now));
}

TEST(ReplayGuard, RemembersWhatCouldBeUsedAgain) {
  ReplayGuard guard;
  EXPECT_TRUE(use(guard, 1, 0, "a", 0));
  EXPECT_THAT(use(guard, 1, 0, "a", 59).error().text, HasSubstr("used already"));
  EXPECT_TRUE(use(guard, 1, 9, "a", 59)) << "another token";
  EXPECT_TRUE(use(guard, 2, 0, "a", 59)) << "another user's";
  EXPECT_EQ(guard.remembered(), 3u);
  EXPECT_TRUE(use(guard, 1, 60, "b", 60));
  EXPECT_EQ(guard.remembered(), 2u) << "what has expired is forgotten";
}

TEST(ReplayGuard, WhoUsesMoreThanHisShareHasHisOldestRefusedAndNobodyElse) {
  ReplayGuard guard({.of_all = 100, .of_one = 3});
  EXPECT_TRUE(use(guard, 2, 0, "hers", 0));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(use(guard, 1, i, "a", 2));
  EXPECT_TRUE(use(guard, 1, 3, "a", 3)) << "a new one always serves";
  EXPECT_EQ(guard.remembered(), 4u);
  EXPECT_THAT(use(guard, 1, 0, "a", 3).error().text, HasSubstr("uid 1 uses too many tokens"));
  EXPECT_FALSE(use(guard, 1, 0, "b", 3)) << "used or not: nobody knows any more";
  EXPECT_TRUE(use(guard, 1, 1, "b", 3));
  EXPECT_TRUE(use(guard, 2, 0, "also hers", 3));
  EXPECT_FALSE(use(guard, 2, 0, "hers", 3));
}

TEST(ReplayGuard, WhoHasMostMakesRoomForOthers) {
  ReplayGuard guard({.of_all = 4, .of_one = 4});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(use(guard, 1, i, "a", 2));
  EXPECT_TRUE(use(guard, 2, 0, "a", 2));
  EXPECT_TRUE(use(guard, 3, 0, "a", 2));
  EXPECT_EQ(guard.remembered(), 4u);
  EXPECT_FALSE(use(guard, 1, 0, "a", 2));
  for (std::uint32_t uid : {2u, 3u})
    EXPECT_THAT(use(guard, uid, 0, "a", 2).error().text, HasSubstr("used already"));
  // A flood of one second is forgotten at once, and nothing of that second serves again.
  for (int i = 0; i < 50; ++i) std::ignore = use(guard, 1, 9, std::to_string(i), 9);
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(use(guard, 1, 9, std::to_string(i), 10));
  EXPECT_LE(guard.remembered(), 4u);
  EXPECT_TRUE(use(guard, 1, 10, "a", 10));
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
