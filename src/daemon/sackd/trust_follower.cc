// SPDX-License-Identifier: Apache-2.0
#include "daemon/sackd/trust_follower.h"

#include <unistd.h>

#include "config/security.h"
#include "net/token.h"
#include "net/trust_file.h"
#include "os/clock.h"
#include "os/files.h"
#include "site/sack.h"
#include "wire/codec.h"
#include "wire/trust_query.h"

namespace ym {
namespace {

constexpr Duration kTokenLife = std::chrono::minutes(1);

}  // namespace

TrustFollower::TrustFollower(Loop& loop, const LoadedConfiguration& loaded, const Keys& keys,
                             Log& log)
    : loop_(loop), loaded_(loaded), keys_(keys), log_(log) {}

TrustFollower::~TrustFollower() { loop_.cancel(timer_); }

void TrustFollower::start() {
  const ClusterConfig& config = loaded_.config;
  if (!tls_of(config).on || config.controllers.empty()) return;
  auto any = TlsContext::client({});
  if (!any) return log_.error("TLS: {}", any.error().text);
  LinkOptions options{
      .addresses = {},
      .cluster = config.cluster_name,
      .token = [this](std::string_view binding) { return token(binding); },
      .check_proof =
          [this](const Greeting& greeting, std::string_view proof) {
            return check_server(*keys_.ring(), greeting, proof, {.now = wall_clock()});
          },
      .tls = [context = std::shared_ptr<const TlsContext>(std::move(*any))] { return context; }};
  for (const ControllerHost& host : config.controllers)
    options.addresses.push_back(
        {.host = host.address.empty() ? host.name : host.address, .port = config.controller_port});
  options.retry_max = std::chrono::seconds(10);
  LinkHandlers handlers;
  handlers.on_up = [this] { ask(); };
  handlers.on_frames = [this](const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) take(frame);
  };
  handlers.on_down = [this](const Error& reason, bool, Duration) {
    log_.verbose("no news of certificates: {}", reason.text);
  };
  link_ = std::make_unique<Link>(loop_, std::move(options), std::move(handlers));
  link_->start();
  timer_ = loop_.every(kTrustQuestion, [this] { ask(); });
}

std::string TrustFollower::token(std::string_view binding) const {
  Instant now = wall_clock();
  auto made = sign_token(*keys_.ring(),
                         {.uid = ::geteuid(),
                          .gid = ::getegid(),
                          .issued = now,
                          .expires = now + kTokenLife,
                          .audience = loaded_.config.cluster_name,
                          .kind = "user",
                          .id = {},
                          .binding = std::string(binding),
                          .once = true},
                         system_entropy());
  if (!made) log_.error("no token: {}", made.error().text);
  return made ? *made : std::string();
}

void TrustFollower::ask() {
  link_->send({.type = wire::message_number<QueryTrust>, .correlation = 1},
              wire::encode(QueryTrust{}));
}

void TrustFollower::take(const Frame& frame) {
  if (frame.header.type != wire::message_number<TrustNews>) return;
  auto news = wire::decode<TrustNews>(frame.payload);
  if (!news) return log_.error("TLS: {}", news.error().text);
  std::string text = trust_text({.authority = news->authority, .revoked = news->revoked});
  if (text == known_) return;
  if (Status wrote = write_file(sack_trust_file(loaded_.config), text); !wrote)
    return log_.error("TLS: {}", wrote.error().text);
  known_ = std::move(text);
  log_.info("TLS: {} certificates are revoked", news->revoked.size());
}

}  // namespace ym
