// SPDX-License-Identifier: Apache-2.0
#include "daemon/sackd/sackd.h"

#include <algorithm>
#include <future>

#include "base/format.h"
#include "daemon/configless/fetch.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/open_files.h"
#include "os/users.h"
#include "site/sack.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kKeyPeriod = std::chrono::seconds(1);

}  // namespace

Sackd::Sackd(LoadedConfiguration loaded, KeyRing keys, Log& log, std::string fetched_to)
    : loaded_(std::move(loaded)),
      keys_(std::move(keys)),
      log_(log),
      fetched_to_(std::move(fetched_to)),
      started_(wall_clock()) {
  ServerHandlers handlers{
      .on_open = {},
      .on_frames =
          [this](ConnectionId from, const Peer& peer, const std::vector<Frame>& frames) {
            for (const Frame& frame : frames) on_frame(from, peer, frame);
          },
      .on_close = {},
      .on_writable = {}};
  // Nobody may come over the network: there is no authenticate.
  server_ =
      std::make_unique<Server>(ServerOptions{.cluster = loaded_.config.cluster_name,
                                             .authenticate = {},
                                             .frame_max = 64u << 10,
                                             .outgoing_max = 256u << 10,
                                             .connections_max = connections_within(open_files()),
                                             .idle_deadline = std::chrono::minutes(1)},
                               std::move(handlers));
}

Sackd::~Sackd() { stop(); }

void Sackd::stop() {
  if (std::exchange(listening_, false)) {
    std::promise<void> gone;
    server_->loop().post([&] {
      follower_.reset();
      gone.set_value();
    });
    gone.get_future().wait();
  }
  server_->stop();
}

Status Sackd::listen(const std::string& path) {
  if (Status listening = server_->listen_unix(path, 0666); !listening) return listening;
  listening_ = true;
  server_->loop().post([this] {
    follow(loaded_.config);
    server_->loop().every(kKeyPeriod, [this] {
      if (auto news = key_watch_.look(keys_, wall_clock())) log_.error("{}", *news);
    });
  });
  return {};
}

void Sackd::follow(ClusterConfig config) {
  followed_ = std::move(config);
  Follower::OnFiles on_files;
  if (!fetched_to_.empty()) on_files = [this](const ConfigFiles& files) { take_files(files); };
  follower_ =
      std::make_unique<Follower>(server_->loop(), followed_, keys_, log_, std::move(on_files));
  follower_->start();
}

// The controller has read its files again. What commands need of them is in the folder; what we
// need ourselves is where the controllers are.
void Sackd::take_files(const ConfigFiles& files) {
  auto same = [](const ConfigFile& a, const ConfigFile& b) {
    return a.name == b.name && a.text == b.text;
  };
  if (std::ranges::equal(files.files, files_.files, same)) return;
  auto path = keep_files(files, fetched_to_);
  if (!path) return log_.error("the configuration stays as it is: {}", path.error().text);
  files_ = files;
  auto loaded = load_configuration(*path);
  if (!loaded) return log_.error("{}", loaded.error().text);
  log_.info("configuration fetched: {} files in {}", files.files.size(), fetched_to_);
  const ClusterConfig& now = loaded->config;
  if (now.cluster_name != loaded_.config.cluster_name ||
      sack_socket(now) != sack_socket(loaded_.config))
    log_.error("the cluster's name, or where sackd listens, has changed: restart sackd");
  if (now.controllers == followed_.controllers && now.controller_port == followed_.controller_port)
    return;
  // Not from within the one that is replaced.
  server_->loop().post([this, config = now]() mutable {
    if (follower_) follow(std::move(config));
  });
}

Status Sackd::renew_keys() {
  auto ring = load_keyring({.key = key_file(loaded_.path, loaded_.config),
                            .jwks = jwks_file(loaded_.path, loaded_.config)},
                           false, wall_clock());
  if (!ring) return std::unexpected(ring.error());
  log_.info("keys: {}", ring->describe());
  keys_.set(std::move(*ring));
  return {};
}

void Sackd::on_frame(ConnectionId from, const Peer& peer, const Frame& frame) {
  if (frame.header.type == wire::message_number<GetToken>) return give_token(from, peer, frame);
  if (frame.header.type != wire::message_number<Ping>)
    return server_->close(from, fmt::format("sackd knows no message {}", frame.header.type));
  Pong pong{.host = host_name(),
            .mode = "sackd",
            .version = YM_SLURM_VERSION,
            .cluster = loaded_.config.cluster_name,
            .started = started_};
  server_->send(from, {.type = wire::message_number<Pong>, .correlation = frame.header.correlation},
                wire::encode(pong));
}

void Sackd::give_token(ConnectionId to, const Peer& peer, const Frame& frame) {
  auto request = wire::decode<GetToken>(frame.payload);
  if (!request) return server_->close(to, request.error().text);
  auto user = user_by_uid(peer.uid);
  if (!user) return server_->close(to, fmt::format("uid {} has no name here", peer.uid));
  if (!request->user.empty() && request->user != user->name)
    return server_->close(to, "no token: only for oneself");
  if (Status ok = rate_.ask(peer.uid, monotonic_clock()); !ok) {
    server_->send(to,
                  {.type = wire::message_number<Failure>, .correlation = frame.header.correlation},
                  wire::encode(Failure{.code = ok.error().code, .text = ok.error().text}));
    return;
  }
  Duration life = std::min<Duration>(std::chrono::seconds(request->lifespan_s), kLocalTokenLifeMax);
  auto token = sign_user_token(*keys_.ring(),
                               {.user = user->name,
                                .uid = peer.uid,
                                .gid = peer.gid,
                                .cluster = loaded_.config.cluster_name,
                                .now = wall_clock(),
                                .life = life,
                                .binding = request->binding},
                               system_entropy());
  if (!token) return server_->close(to, token.error().text);
  log_.write(LogLevel::Debug, fmt::format("a token for {} (uid {})", user->name, peer.uid));
  server_->send(to, {.type = wire::message_number<Token>, .correlation = frame.header.correlation},
                wire::encode(Token{.text = std::move(*token)}));
}

}  // namespace ym
