// SPDX-License-Identifier: Apache-2.0
#include "daemon/sackd/follower.h"

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

Follower::Follower(Loop& loop, ClusterConfig config, const Keys& keys, Log& log, OnFiles on_files)
    : loop_(loop),
      config_(std::move(config)),
      keys_(keys),
      log_(log),
      on_files_(std::move(on_files)),
      tls_(tls_of(config_).on) {}

Follower::~Follower() { loop_.cancel(timer_); }

void Follower::start() {
  if ((!tls_ && !on_files_) || config_.controllers.empty()) return;
  auto any = TlsContext::client({});
  if (!any) return log_.error("TLS: {}", any.error().text);
  LinkOptions options{.addresses = {},
                      .cluster = config_.cluster_name,
                      .token = [this](std::string_view binding) { return token(binding); },
                      .check_proof =
                          [this](const Greeting& greeting, std::string_view proof) {
                            return check_server(*keys_.ring(), greeting, proof,
                                                {.now = wall_clock()});
                          }};
  if (tls_)
    options.tls = [context = std::shared_ptr<const TlsContext>(std::move(*any))] {
      return context;
    };
  for (const ControllerHost& host : config_.controllers)
    options.addresses.push_back(
        {.host = host.address.empty() ? host.name : host.address, .port = config_.controller_port});
  options.retry_max = std::chrono::seconds(10);
  LinkHandlers handlers;
  handlers.on_up = [this] {
    fetching_.reset();
    ask();
  };
  handlers.on_frames = [this](const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) take(frame);
  };
  handlers.on_down = [this](const Error& reason, bool, Duration) {
    log_.verbose("no news of the controller: {}", reason.text);
  };
  link_ = std::make_unique<Link>(loop_, std::move(options), std::move(handlers));
  link_->start();
  timer_ = loop_.every(kTrustQuestion, [this] { ask(); });
}

std::string Follower::token(std::string_view binding) const {
  Instant now = wall_clock();
  auto made = sign_token(*keys_.ring(),
                         {.uid = ::geteuid(),
                          .gid = ::getegid(),
                          .issued = now,
                          .expires = now + kTokenLife,
                          .audience = config_.cluster_name,
                          .kind = "user",
                          .id = {},
                          .binding = std::string(binding),
                          .once = true},
                         system_entropy());
  if (!made) log_.error("no token: {}", made.error().text);
  return made ? *made : std::string();
}

void Follower::ask() {
  link_->send({.type = wire::message_number<QueryTrust>, .correlation = 1},
              wire::encode(QueryTrust{}));
}

void Follower::take(const Frame& frame) {
  if (frame.header.type == wire::message_number<TrustNews>) return take_news(frame);
  if (frame.header.type == wire::message_number<ConfigFiles>) return take_files(frame);
  if (frame.header.type != wire::message_number<Failure>) return;
  fetching_.reset();  // with the next news
  if (auto failure = wire::decode<Failure>(frame.payload))
    log_.error("slurmctld: {}", failure->text);
}

void Follower::take_news(const Frame& frame) {
  auto news = wire::decode<TrustNews>(frame.payload);
  if (!news) return log_.error("TLS: {}", news.error().text);
  if (on_files_ && configured_ != news->configured && fetching_ != news->configured) {
    fetching_ = news->configured;
    link_->send({.type = wire::message_number<FetchConfig>, .correlation = 2},
                wire::encode(FetchConfig{}));
  }
  if (!tls_) return;
  std::string text = trust_text({.authority = news->authority, .revoked = news->revoked});
  if (text == known_) return;
  if (Status wrote = write_file(sack_trust_file(config_), text); !wrote)
    return log_.error("TLS: {}", wrote.error().text);
  known_ = std::move(text);
  log_.info("TLS: {} certificates are revoked", news->revoked.size());
}

void Follower::take_files(const Frame& frame) {
  if (!on_files_ || !fetching_) return;
  auto files = wire::decode<ConfigFiles>(frame.payload);
  if (!files) return log_.error("the configuration stays as it is: {}", files.error().text);
  configured_ = std::exchange(fetching_, std::nullopt);
  on_files_(*files);
}

}  // namespace ym
