// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "net/authority.h"
#include "net/test_room.h"
#include "os/clock.h"

namespace ym {
namespace {

using testing::HasSubstr;

constexpr const char* kName = "slurmctld.emil";

const Authority& authority() {
  static const Authority made = Authority::create("emil", wall_clock()).value();
  return made;
}

// Both ends of a connection in one thread.
struct Ends {
  explicit Ends(const std::string& trusted, const std::string& name = kName,
                Duration life = kCertificateLife) {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    near = Fd(fds[0]);
    far = Fd(fds[1]);
    auto identity = authority().issue(kName, wall_clock(), life);
    EXPECT_TRUE(identity) << identity.error().text;
    server_context = TlsContext::server(*identity).value();
    client_context = TlsContext::client({.authority = trusted, .revoked = {}}).value();
    server = server_context->open(far.get(), "").value();
    client = client_context->open(near.get(), name).value();
  }
  // "established", or why not.
  std::string meet() {
    for (int turn = 0; turn < 100; ++turn) {
      if (client->established() && server->established()) return "established";
      if (!client->established() && client->handshake() == TlsStep::Failed) return client->error();
      if (!server->established() && server->handshake() == TlsStep::Failed) return server->error();
    }
    return "they go on for ever";
  }
  Fd near, far;
  std::shared_ptr<TlsContext> server_context, client_context;
  std::unique_ptr<TlsSession> server, client;
};

// What arrives at `to` when all of `bytes` is written at `from`.
std::string carry(TlsSession& from, TlsSession& to, const std::string& bytes) {
  std::string arrived;
  std::size_t sent = 0;
  std::array<char, 10'000> buffer;
  while (arrived.size() < bytes.size()) {
    std::size_t n = 0;
    if (sent < bytes.size() &&
        from.write(bytes.data() + sent, bytes.size() - sent, n) == TlsStep::Done)
      sent += n;
    TlsStep step;
    while ((step = to.read(buffer.data(), buffer.size(), n)) == TlsStep::Done)
      arrived.append(buffer.data(), n);
    if (step == TlsStep::Failed) return to.error();
  }
  return arrived;
}

TEST(Tls, BytesPassBothWays) {
  Ends ends(authority().certificate());
  ASSERT_EQ(ends.meet(), "established");
  for (std::size_t size : {1u, 16384u, 16385u, 3'000'000u}) {
    std::string bytes(size, static_cast<char>('a' + size % 26));
    EXPECT_EQ(carry(*ends.client, *ends.server, bytes), bytes);
    EXPECT_EQ(carry(*ends.server, *ends.client, bytes), bytes);
  }
}

TEST(Tls, AServerThatAnotherAuthorityVouchesForIsNotBelieved) {
  Ends ends(Authority::create("emil", wall_clock())->certificate());
  EXPECT_THAT(ends.meet(), HasSubstr("its certificate is not good"));
}

TEST(Tls, AServerOfAnotherNameIsNotBelieved) {
  Ends ends(authority().certificate(), "slurmctld.lisa");
  EXPECT_THAT(ends.meet(), HasSubstr("its certificate is not good"));
}

TEST(Tls, AnExpiredCertificateIsNotBelieved) {
  Ends ends(authority().certificate(), kName, -std::chrono::hours(1));
  EXPECT_THAT(ends.meet(), HasSubstr("expired"));
}

TEST(Tls, WithoutAnAuthorityEveryServerIsTakenAndTheBindingTellsTheChannelsApart) {
  Ends one(""), two("");
  ASSERT_EQ(one.meet(), "established");
  ASSERT_EQ(two.meet(), "established");
  EXPECT_EQ(one.client->binding(), one.server->binding());
  EXPECT_NE(one.client->binding(), two.client->binding());
  EXPECT_EQ(one.client->binding().size(), 32u);
}

TEST(Tls, ItsEndIsToldFromACut) {
  Ends ends(authority().certificate());
  ASSERT_EQ(ends.meet(), "established");
  std::size_t n = 0;
  char byte;
  ends.server->say_goodbye();
  EXPECT_EQ(ends.client->read(&byte, 1, n), TlsStep::Closed);
  Ends cut(authority().certificate());
  ASSERT_EQ(cut.meet(), "established");
  cut.far = Fd();
  TlsStep step;
  while ((step = cut.client->read(&byte, 1, n)) == TlsStep::WantRead) continue;
  EXPECT_EQ(step, TlsStep::Failed);
}

TEST(Tls, WhatIsNoCertificateIsRefused) {
  EXPECT_FALSE(TlsContext::client({.authority = "nonsense", .revoked = {}}));
  EXPECT_FALSE(TlsContext::server({.certificate = "nonsense", .key = "nonsense"}));
  auto one = authority().issue(kName, wall_clock(), kCertificateLife);
  auto two = authority().issue(kName, wall_clock(), kCertificateLife);
  EXPECT_FALSE(TlsContext::server({.certificate = one->certificate, .key = two->key}));
}

TEST(Authority, IsMadeOnceAndKeptWithTightModes) {
  TempDir dir;
  auto first = Authority::load_or_create(dir / "tls", "emil", wall_clock());
  ASSERT_TRUE(first) << first.error().text;
  auto second = Authority::load_or_create(dir / "tls", "emil", wall_clock());
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(first->certificate(), second->certificate());
  struct stat file;
  ASSERT_EQ(::stat((dir / "tls/ca_key.pem").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0600u);
  ::chmod((dir / "tls/ca_key.pem").c_str(), 0644);
  EXPECT_THAT(Authority::load_or_create(dir / "tls", "emil", wall_clock()).error().text,
              HasSubstr("open to others"));
}

TEST(Authority, RefusesAKeyThatIsNotItsCertificatesAndNamesThatAreTooLong) {
  auto one = authority().issue("a", wall_clock(), kCertificateLife);
  EXPECT_FALSE(Authority::from({.certificate = authority().certificate(), .key = one->key}));
  EXPECT_FALSE(Authority::from({.certificate = authority().certificate(), .key = "nonsense"}));
  EXPECT_FALSE(authority().issue(std::string(65, 'x'), wall_clock(), kCertificateLife));
  EXPECT_FALSE(authority().issue("", wall_clock(), kCertificateLife));
}

}  // namespace
}  // namespace ym
