// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/format.h"
#include "net/certificate.h"
#include "net/join_token.h"
#include "site/configuration.h"

namespace ym {
namespace {

using testing::HasSubstr;

constexpr std::string_view kBinding = "what both ends of a channel know";

class ControllerTrustTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ym-trust-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directory(dir_ + "/state");
    ::chmod((dir_ + "/state").c_str(), 0700);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  Result<std::unique_ptr<ControllerTrust>> open(const std::string& extra = "TLSType=tls/s2n\n") {
    std::ofstream(dir_ + "/slurm.conf") << fmt::format(
        "ClusterName=straw\nSlurmctldHost=far\nStateSaveLocation={0}/state\n"
        "SlurmctldPidFile={0}/slurmctld.pid\n{1}NodeName=n[1-2] CPUs=4\n"
        "PartitionName=main Nodes=ALL\n",
        dir_, extra);
    auto loaded = load_configuration(dir_ + "/slurm.conf");
    if (!loaded) return std::unexpected(loaded.error());
    return ControllerTrust::open(*loaded, log_);
  }
  unsigned mode_of(const std::string& path) {
    struct stat file{};
    EXPECT_EQ(::stat((dir_ + path).c_str(), &file), 0) << path;
    return file.st_mode & 07777;
  }

  std::string dir_;
  Log log_{{.path = "/dev/null"}};
};

TEST_F(ControllerTrustTest, TheAuthoritysKeyIsNobodyElses) {
  auto trust = open();
  ASSERT_TRUE(trust) << trust.error().text;
  EXPECT_TRUE((*trust)->on());
  EXPECT_TRUE((*trust)->context());
  EXPECT_EQ(mode_of("/state/tls"), 0700u);
  EXPECT_EQ(mode_of("/state/tls/ca_key.pem"), 0600u);
  EXPECT_EQ(mode_of("/state/tls/book"), 0600u);
  ::chmod((dir_ + "/state/tls/ca_key.pem").c_str(), 0644);
  auto again = open();
  ASSERT_FALSE(again) << "others could have read it";
  EXPECT_THAT(again.error().text, HasSubstr("ca_key.pem"));
}

TEST_F(ControllerTrustTest, AJoinTokenServesOnceAndOnlyWhoHoldsIt) {
  auto trust = open();
  ASSERT_TRUE(trust) << trust.error().text;
  auto text = (*trust)->invite("n1", std::chrono::minutes(5));
  ASSERT_TRUE(text);
  auto token = parse_join_text(*text);
  ASSERT_TRUE(token);
  std::string greeting = join_greeting(*token, kBinding);
  auto guest = (*trust)->meet_guest(greeting, kBinding);
  ASSERT_TRUE(guest) << guest.error().text;
  EXPECT_EQ(guest->role, "join");
  EXPECT_NE(guest->uid, 0u);
  EXPECT_FALSE((*trust)->meet_guest(greeting, "another channel"));
  JoinToken guessed{.id = token->id, .secret = std::string(32, 'x')};
  EXPECT_FALSE((*trust)->meet_guest(join_greeting(guessed, kBinding), kBinding));
  EXPECT_TRUE(
      check_join_proof(*token, greeting, kBinding, (*trust)->prove_to_guest(greeting, kBinding)));

  auto node = (*trust)->accept_guest(guest->user);
  ASSERT_TRUE(node);
  EXPECT_EQ(*node, "n1");
  EXPECT_FALSE((*trust)->meet_guest(greeting, kBinding)) << "it has served";
  EXPECT_FALSE((*trust)->accept_guest(guest->user));
}

TEST_F(ControllerTrustTest, ARevokedNodeStaysRevokedAfterARestart) {
  int told = 0;
  std::string authority;
  {
    auto trust = open();
    ASSERT_TRUE(trust) << trust.error().text;
    (*trust)->set_on_news([&] { ++told; });
    auto wish = wish_certificate("n1");
    ASSERT_TRUE(wish);
    ASSERT_TRUE((*trust)->sign("n1", wish->request));
    EXPECT_TRUE((*trust)->admits("n1"));
    EXPECT_EQ(told, 0);
    ASSERT_TRUE((*trust)->revoke_node("n1"));
    EXPECT_EQ(told, 1);
    EXPECT_FALSE((*trust)->admits("n1"));
    EXPECT_FALSE((*trust)->sign("n1", wish->request));
    EXPECT_TRUE((*trust)->admits("n2"));
    authority = (*trust)->news().authority;
  }
  auto trust = open();
  ASSERT_TRUE(trust) << trust.error().text;
  EXPECT_EQ((*trust)->news().authority, authority) << "the authority is the same";
  EXPECT_FALSE((*trust)->admits("n1"));
  EXPECT_FALSE((*trust)->news().revoked.empty());
}

TEST_F(ControllerTrustTest, WithoutTlsThereIsNothingToSign) {
  auto trust = open("TLSType=none\n");
  ASSERT_TRUE(trust) << trust.error().text;
  EXPECT_FALSE((*trust)->on());
  EXPECT_FALSE((*trust)->context());
  EXPECT_FALSE((*trust)->invite("n1", std::chrono::minutes(5)));
  EXPECT_FALSE(std::filesystem::exists(dir_ + "/state/tls"));
}

}  // namespace
}  // namespace ym
