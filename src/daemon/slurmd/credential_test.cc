// SPDX-License-Identifier: Apache-2.0
// A client that forges: what it asks of a real slurmd beyond what the controller signed is refused.
#include <gmock/gmock.h>

#include "daemon/slurmd/node_harness.h"
#include "site/configuration.h"

namespace ym {
namespace {

using testing::HasSubstr;

class CredentialTest : public NodeTest {
 protected:
  KeyRing keys() { return ClusterKey::from_bytes(*read_file(dir_ + "/slurm.key")).value(); }

  std::string verdict(Client client, const LaunchTasks& request) {
    send(client, request);
    Seen seen;
    read_until(client, seen, never);
    return seen.error.empty() ? "launched" : seen.error;
  }
  std::string verdict(const LaunchTasks& request) { return verdict(srun(), request); }
  std::string verdict(const StepCredential& one) { return verdict(launch(one, {"true"})); }

  // Over the network, as a user of another machine.
  Client remote(std::uint32_t uid) {
    auto loaded = load_configuration(dir_ + "/slurm.conf");
    Instant now = wall_clock();
    auto token = sign_user_token(keys(),
                                 {.user = "mallory",
                                  .uid = uid,
                                  .gid = uid,
                                  .cluster = "straw",
                                  .now = now,
                                  .life = std::chrono::minutes(5)},
                                 system_entropy());
    auto client = Client::connect({.host = "127.0.0.1", .port = loaded->config.nodes[0].port},
                                  {.cluster = "straw", .token = *token});
    EXPECT_TRUE(client) << client.error().text;
    return std::move(*client);
  }
};

TEST_F(CredentialTest, NothingOfACredentialCanBeChanged) {
  LaunchTasks request = launch(credential(1, 0, 1), {"true"});
  StepCredential more = credential(1, 0, 1);
  more.step.shares[0].cpus = 7;
  LaunchTasks forged = request;
  forged.credential = wire::encode(more);
  EXPECT_THAT(verdict(forged), HasSubstr("Invalid job credential"));
  forged = request;
  forged.signature.clear();
  EXPECT_THAT(verdict(forged), HasSubstr("Invalid job credential"));
  forged = request;
  forged.signature += "another-key";
  EXPECT_THAT(verdict(forged), HasSubstr("Invalid job credential"));
  forged = request;
  KeyRing own = ClusterKey::from_bytes(std::string(64, 'm')).value();
  forged.signature = sign_blob(own, "step-credential", forged.credential);
  EXPECT_THAT(verdict(forged), HasSubstr("Invalid job credential"));
  forged.signature = sign_blob(keys(), "welcome", forged.credential);
  EXPECT_THAT(verdict(forged), HasSubstr("Invalid job credential")) << "made for something else";
  EXPECT_EQ(verdict(request), "launched");
}

TEST_F(CredentialTest, ServesItsUserOnItsNodeInItsTimeOnly) {
  EXPECT_THAT(verdict(remote(user_.uid + 1), launch(credential(1, 0, 1), {"true"})),
              HasSubstr("not to uid"));
  StepCredential other = credential(1, 0, 1);
  other.node_names = {"n2"};
  EXPECT_THAT(verdict(other), HasSubstr("not for node n1"));
  other = credential(1, 0, 1);
  other.cluster = "brick";
  EXPECT_THAT(verdict(other), HasSubstr("Invalid job credential"));
  other = credential(1, 0, 1);
  other.expires = wall_clock() - std::chrono::minutes(2);
  EXPECT_THAT(verdict(other), HasSubstr("expired"));
  other = credential(1, 0, 1);
  other.issued = wall_clock() + std::chrono::minutes(2);
  EXPECT_THAT(verdict(other), HasSubstr("issued in the future"));
  other = credential(1, 0, 1);
  other.step.id = kExternStep;
  EXPECT_THAT(verdict(other), HasSubstr("Invalid job credential")) << "sbcast's starts nothing";
  other.step.id = kBatchStep;
  EXPECT_THAT(verdict(other), HasSubstr("not launched by srun"));
  EXPECT_EQ(verdict(remote(user_.uid), launch(credential(1, 0, 1), {"true"})), "launched");
}

TEST_F(CredentialTest, ServesOnceAndNotAfterItsJob) {
  LaunchTasks first = launch(credential(1, 0, 1), {"true"});
  LaunchTasks second = launch(credential(1, 1, 1), {"true"});
  EXPECT_EQ(verdict(first), "launched");
  EXPECT_THAT(verdict(first), HasSubstr("replayed"));
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(200)});
  controller_->wait_clean(Sluid{1000});
  EXPECT_THAT(verdict(second), HasSubstr("revoked"));
}

TEST_F(CredentialTest, ARestartOfSlurmdBringsNoRevokedOneBackToLife) {
  LaunchTasks request = launch(credential(1, 0, 1), {"true"});
  // Nothing of the job was ever here: all that slurmd knows is that it is over.
  controller_->send(KillJob{.job = JobId{1}, .sluid = Sluid{1000}, .grace = Duration(200)});
  controller_->wait_clean(Sluid{1000});
  EXPECT_THAT(verdict(request), HasSubstr("revoked"));
  stop_slurmd(SIGKILL);
  start_slurmd();
  controller_->wait_registered(2);
  EXPECT_THAT(verdict(request), HasSubstr("revoked"));
}

TEST_F(CredentialTest, AnotherUserNeitherTakesOverNorWatchesNorSignalsAStep) {
  Client client = srun();
  send(client, launch(credential(1, 0, 1), {"cat"}));
  Seen mine;
  read_until(client, mine, [](const Seen& so_far) { return so_far.received >= 1; });
  auto refused = [&](Client thief, const auto& request) {
    send(thief, request);
    Seen seen;
    read_until(thief, seen, never);
    return seen.error;
  };
  std::uint32_t other = user_.uid + 1;
  EXPECT_THAT(refused(remote(other),
                      ResumeStream{.job = JobId{1}, .step = StepId{0}, .srun_id = "the srun"}),
              HasSubstr("another user"));
  EXPECT_THAT(refused(remote(other), AttachStep{.job = JobId{1}, .step = StepId{0}}),
              HasSubstr("permission denied"));
  send(client, TaskInput{.end = true});
  read_until(client, mine, never);
  EXPECT_TRUE(mine.over);
}

// What slurmd signs for a user of its machine, who asks for so long.
Result<TokenClaims> token_for(Client client, const KeyRing& keys, std::uint32_t seconds) {
  auto frame = client.call(wire::message_number<GetToken>,
                           wire::encode(GetToken{.lifespan_s = seconds}), kTestPatience);
  if (!frame) return std::unexpected(frame.error());
  auto token = wire::decode<Token>(frame->payload);
  if (!token) return std::unexpected(token.error());
  return verify_token(keys, token->text, {.now = wall_clock(), .audience = "straw"});
}

TEST_F(CredentialTest, ATokenForAUserOfTheMachineLivesForAnHour) {
  constexpr std::uint32_t kYear_s = 365 * 86400;
  // The kernel notes who connects at that moment.
  ASSERT_EQ(::seteuid(user_.uid), 0);
  Client as_user = srun();
  ASSERT_EQ(::seteuid(::getuid()), 0);
  auto claims = token_for(std::move(as_user), keys(), kYear_s);
  ASSERT_TRUE(claims) << claims.error().text;
  EXPECT_EQ(claims->uid, user_.uid);
  EXPECT_EQ(claims->expires - claims->issued, kLocalTokenLifeMax);
  if (::getuid() != 0) return;
  claims = token_for(srun(), keys(), kYear_s);
  ASSERT_TRUE(claims) << claims.error().text;
  EXPECT_EQ(claims->expires - claims->issued, Duration(std::chrono::seconds(kYear_s)));
}

}  // namespace
}  // namespace ym
