// SPDX-License-Identifier: Apache-2.0
#include "daemon/sackd/sackd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "net/client.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/files.h"
#include "os/users.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

using testing::HasSubstr;

constexpr Duration kPatience = std::chrono::seconds(60);

class SackdTest : public testing::Test {
 protected:
  SackdTest() {
    std::filesystem::create_directories(dir_);
    write_key('k');
    LoadedConfiguration loaded{.path = dir_ + "/slurm.conf"};
    loaded.config.cluster_name = "emil";
    KeyFiles files{.key = key_file(loaded.path, loaded.config),
                   .jwks = jwks_file(loaded.path, loaded.config)};
    sackd_ =
        std::make_unique<Sackd>(loaded, load_keyring(files, false, wall_clock()).value(), log_);
    EXPECT_TRUE(sackd_->listen(dir_ + "/sackd.sock"));
  }
  ~SackdTest() override {
    sackd_.reset();
    std::filesystem::remove_all(dir_);
  }

  void write_key(char fill) {
    ASSERT_TRUE(write_file(dir_ + "/slurm.key", std::string(32, fill), 0600));
  }
  Result<Frame> ask(const GetToken& request) {
    auto client = Client::connect({.path = dir_ + "/sackd.sock"}, {.cluster = "emil"});
    if (!client) return std::unexpected(client.error());
    return client->call(wire::message_number<GetToken>, wire::encode(request), kPatience);
  }
  Result<TokenClaims> claims_of(const Frame& frame, char key = 'k') {
    auto token = wire::decode<Token>(frame.payload);
    if (!token) return std::unexpected(token.error());
    KeyRing ring(ClusterKey::from_bytes(std::string(32, key)).value());
    return verify_token(ring, token->text, {.now = wall_clock(), .audience = "emil"});
  }

  std::string dir_ = testing::TempDir() + "ym-sackd-" + std::to_string(::getpid());
  Log log_{{.path = {}, .level = LogLevel::Fatal, .to_stderr = false, .program = "sackd"}};
  std::unique_ptr<Sackd> sackd_;
};

TEST_F(SackdTest, SignsForWhomTheKernelNames) {
  auto frame = ask({.lifespan_s = 60});
  ASSERT_TRUE(frame) << frame.error().text;
  auto claims = claims_of(*frame);
  ASSERT_TRUE(claims) << claims.error().text;
  EXPECT_EQ(claims->uid, ::getuid());
  EXPECT_EQ(claims->gid, ::getgid());
  EXPECT_EQ(claims->user, user_by_uid(::getuid())->name);
}

TEST_F(SackdTest, SignsForNobodyElse) {
  auto frame = ask({.user = "somebody-else", .lifespan_s = 60});
  ASSERT_FALSE(frame);
  EXPECT_THAT(frame.error().text, HasSubstr("only for oneself"));
}

TEST_F(SackdTest, SignsForOneChannelIfThatIsAskedFor) {
  auto frame = ask({.lifespan_s = 60, .binding = base64url_encode("this channel")});
  ASSERT_TRUE(frame) << frame.error().text;
  auto claims = claims_of(*frame);
  ASSERT_TRUE(claims) << claims.error().text;
  EXPECT_EQ(claims->binding, "this channel");
  auto damaged = ask({.lifespan_s = 60, .binding = "no base64!"});
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().text, HasSubstr("not in base64"));
}

TEST_F(SackdTest, LetsNoTokenLiveForLong) {
  auto frame = ask({.lifespan_s = 100'000'000});
  ASSERT_TRUE(frame);
  auto claims = claims_of(*frame);
  ASSERT_TRUE(claims);
  EXPECT_LE(claims->expires - claims->issued, kLocalTokenLifeMax);
}

TEST_F(SackdTest, TakesNewKeysAndKeepsTheOldOnesIfTheNewAreBad) {
  write_key('n');
  ASSERT_TRUE(sackd_->renew_keys());
  auto frame = ask({.lifespan_s = 60});
  ASSERT_TRUE(frame);
  EXPECT_FALSE(claims_of(*frame, 'k'));
  EXPECT_TRUE(claims_of(*frame, 'n'));
  ASSERT_TRUE(write_file(dir_ + "/slurm.key", "short", 0600));
  EXPECT_FALSE(sackd_->renew_keys());
  frame = ask({.lifespan_s = 60});
  ASSERT_TRUE(frame);
  EXPECT_TRUE(claims_of(*frame, 'n'));
}

TEST_F(SackdTest, SignsOnlySoManyForAUserAndSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: acts as somebody else";
  ASSERT_EQ(::seteuid(1), 0);
  auto client = Client::connect({.path = dir_ + "/sackd.sock"}, {.cluster = "emil"});
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(client) << client.error().text;
  GetToken request{.lifespan_s = 60};
  constexpr int kTries = 20'000;
  int given = 0;
  std::string text;
  for (int i = 0; i < kTries && text.empty(); ++i) {
    auto frame = client->call(wire::message_number<GetToken>, wire::encode(request), kPatience);
    ASSERT_TRUE(frame) << frame.error().text;
    if (frame->header.type == wire::message_number<Failure>)
      text = wire::decode<Failure>(frame->payload)->text;
    else
      ++given;
  }
  EXPECT_GE(given, 2000);
  EXPECT_THAT(text, HasSubstr("uid 1 asks for more than 200 tokens a second"));
  EXPECT_TRUE(ask({.lifespan_s = 60})) << "others are not concerned";
}

TEST_F(SackdTest, DoesNothingElse) {
  auto client = Client::connect({.path = dir_ + "/sackd.sock"}, {});
  ASSERT_TRUE(client);
  auto refused = client->call(wire::message_number<Shutdown>, wire::encode(Shutdown{}), kPatience);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("sackd knows no message"));
}

}  // namespace
}  // namespace ym
