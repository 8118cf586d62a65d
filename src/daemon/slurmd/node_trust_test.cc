// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/node_trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/format.h"
#include "net/authority.h"
#include "net/trust_file.h"
#include "os/files.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Instant kNow = Instant::from_unix_seconds(1'800'000'000);
constexpr Duration kLife = std::chrono::hours(30);

class NodeTrustTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-node-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    write_conf("TLSType=tls/s2n\n");
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  void write_conf(const std::string& extra) {
    std::ofstream(dir_ + "/slurm.conf") << fmt::format(
        "ClusterName=straw\nSlurmctldHost=far\nSlurmdPidFile={0}/slurmd-%n.pid\n{1}"
        "NodeName=n[1-2] CPUs=4\nPartitionName=main Nodes=ALL\n",
        dir_, extra);
  }
  NodeTrust opened(const std::string& node = "n1") {
    NodeTrust trust(node, dir_ + "/tls", log_);
    auto loaded = load_configuration(dir_ + "/slurm.conf");
    EXPECT_TRUE(loaded) << loaded.error().text;
    Status ready = trust.open(*loaded);
    EXPECT_TRUE(ready) << ready.error().text;
    return trust;
  }
  // What the controller does with a wish.
  static CertificateIssued sign(const Authority& authority, const RequestCertificate& wish) {
    auto made = authority.sign(wish.request, wish.node, kNow, kLife);
    EXPECT_TRUE(made) << made.error().text;
    return {.certificate = made.value_or("")};
  }
  static Authority authority() { return Authority::create("straw", kNow).value(); }
  TlsTrust told() const { return parse_trust(read_file(dir_ + "/slurmd-n1.ca").value_or("")); }

  std::string dir_;
  Log log_{{.path = "/dev/null"}};
};

TEST_F(NodeTrustTest, AsksOnceAndServesWithWhatItGets) {
  Authority ca = authority();
  NodeTrust trust = opened();
  EXPECT_TRUE(trust.on());
  EXPECT_FALSE(trust.server());
  EXPECT_TRUE(trust.to_controller()) << "whoever proves the key is believed from the start";
  auto wish = trust.wish(kNow);
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->node, "n1");
  EXPECT_FALSE(trust.wish(kNow)) << "one is under way";
  trust.take(sign(ca, *wish));
  EXPECT_TRUE(trust.server());
  EXPECT_FALSE(trust.wish(kNow));
  struct stat key{}, folder{};
  ASSERT_EQ(::stat((dir_ + "/tls/key.pem").c_str(), &key), 0);
  ASSERT_EQ(::stat((dir_ + "/tls").c_str(), &folder), 0);
  EXPECT_EQ(key.st_mode & 0777u, 0600u);
  EXPECT_EQ(folder.st_mode & 0777u, 0700u);
}

TEST_F(NodeTrustTest, AWishThatWasRefusedIsMadeAnew) {
  NodeTrust trust = opened();
  auto first = trust.wish(kNow);
  ASSERT_TRUE(first);
  trust.wish_failed();
  auto second = trust.wish(kNow);
  ASSERT_TRUE(second);
  EXPECT_NE(first->request, second->request) << "with another key";
}

TEST_F(NodeTrustTest, WantsAnotherBeforeItsOwnEndsAndUsesItWithoutARestart) {
  Authority ca = authority();
  NodeTrust trust = opened();
  trust.take(sign(ca, *trust.wish(kNow)));
  auto before = trust.server();
  EXPECT_FALSE(trust.wish(kNow + kLife / 2));
  auto renewal = trust.wish(kNow + kLife * 3 / 4);
  ASSERT_TRUE(renewal);
  EXPECT_EQ(trust.server(), before) << "the old one serves meanwhile";
  trust.take(sign(ca, *renewal));
  EXPECT_NE(trust.server(), before);
}

TEST_F(NodeTrustTest, ARestartNeedsNobody) {
  Authority ca = authority();
  {
    NodeTrust trust = opened();
    trust.take(sign(ca, *trust.wish(kNow)));
    trust.take(TrustNews{.authority = ca.certificate(), .revoked = {"abcd"}});
  }
  std::filesystem::remove(dir_ + "/slurmd-n1.ca");
  NodeTrust again = opened();
  EXPECT_TRUE(again.server());
  EXPECT_TRUE(again.to_nodes()->verifies());
  EXPECT_FALSE(again.wish(kNow));
  EXPECT_THAT(told().revoked, ElementsAre("abcd")) << "commands of this machine are told again";
}

TEST_F(NodeTrustTest, WhatIsDamagedOrWasReadByOthersIsAskedForAgain) {
  Authority ca = authority();
  opened().wish(kNow);
  {
    NodeTrust trust = opened();
    trust.take(sign(ca, *trust.wish(kNow)));
  }
  ::chmod((dir_ + "/tls/key.pem").c_str(), 0644);
  EXPECT_TRUE(opened().wish(kNow));
  ::chmod((dir_ + "/tls/key.pem").c_str(), 0600);
  EXPECT_FALSE(opened().wish(kNow));
  ASSERT_TRUE(write_file(dir_ + "/tls/cert.pem", "-----BEGIN nonsense"));
  NodeTrust damaged = opened();
  EXPECT_FALSE(damaged.server());
  EXPECT_TRUE(damaged.wish(kNow));
}

TEST_F(NodeTrustTest, ACertificateOfAnotherNodeDoesNotServe) {
  Authority ca = authority();
  {
    NodeTrust other = opened("n2");
    other.take(sign(ca, *other.wish(kNow)));
  }
  EXPECT_TRUE(opened("n1").wish(kNow));
}

TEST_F(NodeTrustTest, NewsOfRevocationsReachCommandsAndAnotherAuthorityMeansAnotherCertificate) {
  Authority ca = authority(), other = authority();
  NodeTrust trust = opened();
  trust.take(sign(ca, *trust.wish(kNow)));
  trust.take(TrustNews{.authority = ca.certificate(), .revoked = {}});
  EXPECT_EQ(told().authority, ca.certificate());
  EXPECT_THAT(told().revoked, IsEmpty());
  EXPECT_FALSE(trust.wish(kNow));
  trust.take(TrustNews{.authority = ca.certificate(), .revoked = {"17"}});
  EXPECT_THAT(told().revoked, ElementsAre("17"));
  EXPECT_FALSE(trust.wish(kNow)) << "ours is as good as before";
  trust.take(TrustNews{.authority = other.certificate(), .revoked = {}});
  auto wish = trust.wish(kNow);
  ASSERT_TRUE(wish) << "ours is of an authority that nobody believes any more";
  trust.take(sign(other, *wish));
  EXPECT_FALSE(trust.wish(kNow));
}

TEST_F(NodeTrustTest, ASitesOwnCertificateIsReadAgainWhenItChanges) {
  Authority ca = authority();
  auto give = [&](const std::string& name) {
    auto identity = ca.issue(name, kNow, kLife);
    ASSERT_TRUE(identity);
    ASSERT_TRUE(write_file(dir_ + "/node.pem", identity->certificate));
    ASSERT_TRUE(write_file(dir_ + "/node.key", identity->key, 0600));
  };
  give("anything");
  ASSERT_TRUE(write_file(dir_ + "/ca.pem", ca.certificate()));
  write_conf(
      fmt::format("TLSType=tls/s2n\nTLSParameters=ca_cert_file={0}/ca.pem,"
                  "slurmd_cert_file={0}/node.pem,slurmd_cert_key_file={0}/node.key\n",
                  dir_));
  NodeTrust trust = opened();
  EXPECT_TRUE(trust.site_authority());
  auto before = trust.server();
  ASSERT_TRUE(before);
  EXPECT_FALSE(trust.wish(kNow)) << "the controller signs none";
  trust.reread();
  EXPECT_EQ(trust.server(), before);
  give("another");
  trust.reread();
  auto after = trust.server();
  EXPECT_NE(after, before);
  ASSERT_TRUE(write_file(dir_ + "/node.pem", "nonsense"));
  trust.reread();
  EXPECT_EQ(trust.server(), after) << "the old one stays";
}

TEST_F(NodeTrustTest, WithoutTlsThereIsNothing) {
  write_conf("TLSType=none\n");
  NodeTrust trust = opened();
  EXPECT_FALSE(trust.on());
  EXPECT_FALSE(trust.wish(kNow));
  EXPECT_FALSE(trust.server());
  trust.take(TrustNews{.authority = "x", .revoked = {"1"}});
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/slurmd-n1.ca"));
}

}  // namespace
}  // namespace ym
