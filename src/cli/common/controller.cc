// SPDX-License-Identifier: Apache-2.0
#include "cli/common/controller.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "model/rate_limit.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "site/sack.h"

namespace ym::cli {
namespace {

constexpr Duration kFirstPause{50};
constexpr Duration kLongestPause{2000};
constexpr Duration kConnectTimeout{5000};
// Told to come back later: a second, then two, as Slurm's commands.
constexpr std::uint32_t kNoProof = 1007;  // Slurm's number for a failed authentication
constexpr Duration kBackOff{1000};
constexpr Duration kLongestBackOff{10'000};
// A token serves one connection to each server, at once: none of them lies about for long.
constexpr std::uint32_t kTokenLife_s = 60;
constexpr Duration kTokenAge = std::chrono::seconds(20);

void pause_for(Duration time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

}  // namespace

Result<Controller> Controller::open() {
  auto loaded = load_configuration();
  if (!loaded) return std::unexpected(loaded.error());
  return Controller(std::move(*loaded));
}

Status Controller::connect() {
  if (client_) return {};
  ClientOptions options{.cluster = config().cluster_name, .connect_timeout = kConnectTimeout};
  Address local{.path = controller_socket(config())};
  if (auto client = Client::connect(local, options)) {
    client_ = std::move(*client);
    return {};
  }
  Error last{.text = "slurm.conf names no SlurmctldHost"};
  for (const ControllerHost& host : config().controllers) {
    Address remote{.host = host.address.empty() ? host.name : host.address,
                   .port = config().controller_port};
    auto proof = token(to_text(remote));
    if (!proof) return std::unexpected(proof.error());
    options.token = *proof;
    auto client = Client::connect(remote, options);
    if (client) {
      client_ = std::move(*client);
      return {};
    }
    last = client.error();
  }
  return std::unexpected(last);
}

void Controller::greet() {
  if (connect() && !client_->advance()) client_.reset();
}

Result<std::string> Controller::token(const std::string& server) {
  bool stale = token_.empty() || monotonic_clock() - token_made_ > kTokenAge;
  if (stale || !shown_to_.insert(server).second) {
    auto made = fresh_token();
    if (!made) return made;
    token_ = std::move(*made);
    token_made_ = monotonic_clock();
    shown_to_ = {server};
  }
  return token_;
}

Result<std::string> Controller::fresh_token() {
  if (auto given = environment_variable("SLURM_JWT"); given && !given->empty()) return *given;
  KeyFiles files{.key = key_file(*loaded_), .jwks = jwks_file(*loaded_)};
  Instant now = wall_clock();
  if (auto keys = load_keyring(files, false, now))
    return sign_token(*keys,
                      {.uid = ::geteuid(),
                       .gid = ::getegid(),
                       .issued = now,
                       .expires = now + std::chrono::seconds(kTokenLife_s),
                       .audience = config().cluster_name,
                       .kind = "user",
                       .id = {},
                       .once = true},
                      system_entropy());
  auto local = token_of_local_node();
  if (local || !client_) return local;
  auto answer = ask<Token>(GetToken{.lifespan_s = kTokenLife_s});
  if (!answer) return local;
  return answer->text;
}

// From sackd or a slurmd of this machine, which know us by the kernel's word.
Result<std::string> Controller::token_of_local_node() {
  std::string here = host_name();
  ClientOptions options{.cluster = config().cluster_name, .connect_timeout = kConnectTimeout};
  // A token of the daemon that listens there; none if there is none.
  auto token_of = [&](const std::string& path) -> std::optional<std::string> {
    auto client = Client::connect({.path = path}, options);
    if (!client) return std::nullopt;
    auto frame =
        client->call(wire::message_number<GetToken>,
                     wire::encode(GetToken{.lifespan_s = kTokenLife_s}), config().message_timeout);
    if (!frame || frame->header.type != wire::message_number<Token>) return std::nullopt;
    auto token = wire::decode<Token>(frame->payload);
    if (!token) return std::nullopt;
    return token->text;
  };
  if (auto token = token_of(sack_socket(config()))) return *token;
  for (const NodeSpec& node : config().nodes) {
    std::string host = node.hostname.empty() ? node.name : node.hostname;
    if (host.substr(0, host.find('.')) != here && host != "localhost") continue;
    if (auto token = token_of(node_socket(config(), node.name))) return *token;
  }
  return fail(kNoProof,
              "no way to prove who is asking: the cluster's key cannot be read, and neither sackd "
              "nor slurmd runs on this machine");
}

// `sent` and `final` tell how far it came: an error that is final is the controller's own answer.
Status Controller::exchange_once(std::uint16_t type, const std::string& payload, Asking asking,
                                 const Take& take, bool& sent, bool& final) {
  if (Status connected = connect(); !connected) return connected;
  Duration timeout = config().message_timeout;
  std::uint64_t correlation = ++last_correlation_;
  // Where a repetition could do harm, whoever is refused at the door should know that nothing was
  // asked.
  if (asking == Asking::Once)
    if (Status met = client_->finish_handshake(timeout); !met) return met;
  // A failed send may have left a part; the controller acts on whole messages only, but a whole one
  // may have left, too.
  sent = true;
  if (Status done = client_->send({.type = type, .correlation = correlation}, payload, timeout);
      !done)
    return done;
  for (;;) {
    auto frame = client_->receive(timeout);
    if (!frame) return std::unexpected(frame.error());
    if (frame->header.correlation != correlation) continue;
    Status taken = frame->header.type == static_cast<std::uint16_t>(NetType::Error)
                       ? std::unexpected(decode_error(frame->payload))
                       : take(*frame);
    if (!taken) {
      final = true;
      return taken;
    }
    if (!(frame->header.flags & wire::kFlagMore)) return {};
  }
}

Status Controller::exchange(std::uint16_t type, const std::string& payload, Asking asking,
                            const Take& take, const std::function<void()>& restart) {
  int backed_off = 0;
  Duration give_up = monotonic_clock() + config().message_timeout;
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    bool sent = false, final = false;
    Status done = exchange_once(type, payload, asking, take, sent, final);
    if (!done && final && done.error().code == kRateLimited) {
      // Nothing was done. However often it takes: whoever gave up would be started anew by a loop.
      pause_for(std::min(++backed_off * kBackOff, kLongestBackOff));
      give_up = monotonic_clock() + config().message_timeout;
      pause = kFirstPause;
      if (restart) restart();
      continue;
    }
    if (done || final) return done;
    client_.reset();
    if (sent && asking == Asking::Once) return fail(kAnswerUnknown, done.error().text);
    if (monotonic_clock() + pause >= give_up) {
      bool refused = done.error().code != 0 || sent;
      return fail(kConnectFailure, refused ? done.error().text : std::string(kNoController));
    }
    pause_for(pause);
    if (restart) restart();
  }
}

Result<Client> Controller::start_node(const NodeAddress& node) {
  ClientOptions options{.cluster = config().cluster_name, .connect_timeout = kConnectTimeout};
  std::string path = node_socket(config(), node.name);
  auto client = ::access(path.c_str(), W_OK) == 0 ? Client::begin({.path = path}, options)
                                                  : Result<Client>(fail("not on this machine"));
  if (!client) {
    Address remote{.host = node.address.empty() ? node.name : node.address, .port = node.port};
    auto proof = token(to_text(remote));
    if (!proof) return std::unexpected(proof.error());
    options.token = *proof;
    client = Client::begin(remote, options);
  }
  return client;
}

Result<Client> Controller::connect_node(const NodeAddress& node) {
  auto client = start_node(node);
  if (!client) return client;
  if (Status done = client->finish_handshake(config().message_timeout); !done)
    return std::unexpected(done.error());
  return client;
}

}  // namespace ym::cli
