// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/standby.h"

#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "config/security.h"
#include "config/standby.h"
#include "daemon/trust/munge_peers.h"
#include "model/errc.h"
#include "net/token.h"
#include "os/clock.h"
#include "store/errc.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kLook{100};
// A process that is known to be gone is not waited for; but a lock that another machine does not
// see must not look like that at every hiccup.
constexpr Duration kSuspectTime{500};
constexpr Duration kStagger{400};
constexpr Duration kLate{1000};
constexpr Duration kRenewEvery = std::chrono::minutes(1);
// Polls of the log between two looks at the leader, while it is being read from the start.
constexpr int kPollsAtOnce = 50;

std::vector<std::string> names_before(const ClusterConfig& config, std::size_t index) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < index && i < config.controllers.size(); ++i)
    names.push_back(config.controllers[i].name);
  return names;
}

}  // namespace

Duration TakeoverClock::turn() const {
  auto others = std::ranges::count_if(self_.before,
                                      [this](const std::string& name) { return name != leader_; });
  return kStagger * static_cast<Duration::rep>(others);
}

bool TakeoverClock::look(const Leadership& seen, Duration now) {
  Leadership compared = seen;
  compared.suspect = false;
  if (!last_ || compared != *last_) {
    last_ = compared;
    changed_ = now;
    suspect_since_.reset();
    if (!seen.name.empty()) leader_ = seen.name;
  }
  if (!seen.suspect) suspect_since_.reset();
  if (seen.suspect && !suspect_since_) suspect_since_ = now;
  Duration silent = now - changed_;
  if (seen.vacant) return silent >= turn();
  // What leads under our name is a former life of ours; a lease outlives it.
  if (seen.name == self_.name && (seen.suspect || seen.kept_by_home)) return true;
  // Where there are signs of life, they are missing as well.
  Duration suspected = !seen.suspect       ? Duration(0)
                       : seen.kept_by_home ? now - *suspect_since_
                                           : silent;
  if (seen.suspect && suspected >= std::min(kSuspectTime, self_.lease_time) + turn()) return true;
  return !seen.kept_by_home && silent >= self_.lease_time + turn();
}

bool TakeoverClock::leader_is_late(Duration now) const {
  if (!last_ || last_->vacant || suspect_since_) return true;
  return !last_->kept_by_home && now - changed_ >= std::min(kLate, self_.lease_time);
}

Standby::Standby(Options options, KeyRing keys, LogHome& home, Log& log)
    : options_(std::move(options)),
      home_(home),
      log_(log),
      keys_(std::move(keys)),
      started_(wall_clock()),
      authenticator_(keys_, {.cluster = options_.loaded.config.cluster_name,
                             .now = wall_clock,
                             .skew = security_of(options_.loaded.config).clock_skew,
                             .started = started_,
                             .cluster_may_be_missing = true,
                             .look_up = peer_named,
                             .munge = munge_peers(options_.loaded.config)}),
      directory_(uid_of_slurm_user(options_.loaded.config.slurm_user)),
      clock_({.name = options_.name,
              .before = names_before(options_.loaded.config, options_.index),
              .lease_time = options_.lease_time}) {}

Result<std::unique_ptr<Standby>> Standby::start(Options options, LogHome& home, Log& log) {
  KeyFiles files{.key = key_file(options.loaded.path, options.loaded.config),
                 .jwks = jwks_file(options.loaded.path, options.loaded.config)};
  // One of them makes the key, and all must have the same.
  auto keys = load_keyring(files, options.index == 0, wall_clock());
  if (!keys) return std::unexpected(keys.error());
  std::unique_ptr<Standby> standby(new Standby(std::move(options), std::move(*keys), home, log));
  if (Status ok = standby->listen(); !ok) return std::unexpected(ok.error());
  log.info("standby {} ({}) follows {}", standby->options_.name, role_name(standby->options_.index),
           home.describe());
  standby->thread_ = std::jthread([self = standby.get()] { self->run(); });
  return standby;
}

Standby::~Standby() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (server_) server_->stop();
}

State Standby::take() {
  if (thread_.joinable()) thread_.join();
  server_->stop();
  if (!builder_ || !builder_->finish()) return {};
  return builder_->take();
}

std::shared_ptr<const TlsContext> Standby::tls_context() const {
  std::lock_guard lock(mutex_);
  return trust_ ? trust_->context() : nullptr;
}

// The first leader makes the cluster's authority; until then nobody can be answered over the
// network.
void Standby::look_for_authority() {
  if (monotonic_clock() < next_look_at_trust_) return;
  std::unique_lock lock(mutex_);
  if (trust_) {
    next_look_at_trust_ = monotonic_clock() + kRenewEvery;
    return trust_->renew();
  }
  lock.unlock();
  auto trust = ControllerTrust::open(options_.loaded, log_, &home_, ControllerTrust::Role::Standby);
  if (!trust) return;
  lock.lock();
  trust_ = std::move(*trust);
}

ServerOptions Standby::server_options() {
  const ClusterConfig& config = options_.loaded.config;
  return {.cluster = config.cluster_name,
          .authenticate =
              [this](std::string_view token, std::string_view binding) {
                return authenticator_.authenticate(token, binding);
              },
          .may_block = asks_munge,
          .prove =
              [this](std::string_view token, std::string_view binding) {
                return prove_server(*keys_.ring(), {.token = token, .binding = binding});
              },
          .tls = [this] { return tls_context(); },
          .tls_required = tls_of(config).on,
          .connections_max = connections_within(options_.open_files),
          .trusted = [slurm_user = uid_of_slurm_user(config.slurm_user)](
                         const Peer& peer) { return is_trusted(peer, slurm_user); }};
}

Status Standby::listen() {
  look_for_authority();
  const ClusterConfig& config = options_.loaded.config;
  server_ = std::make_unique<Server>(
      server_options(),
      ServerHandlers{.on_open = [](ConnectionId, const Peer&) {},
                     .on_frames =
                         [this](ConnectionId id, const Peer& peer, std::vector<Frame> frames) {
                           for (const Frame& frame : frames) on_frame(id, peer, frame);
                         },
                     .on_close =
                         [this](ConnectionId id, const std::string&) {
                           std::lock_guard lock(mutex_);
                           std::erase(parked_, id);
                         },
                     .on_writable = [](ConnectionId) {}});
  if (Status ok = server_->listen_unix(controller_socket(config, options_.name), 0666); !ok)
    return ok;
  std::string address = config.controllers[options_.index].address;
  bool local = address == "localhost" || address.starts_with("127.");
  auto port = server_->listen_tcp(local ? address : "*", config.controller_port);
  return port ? Status() : std::unexpected(port.error());
}

void Standby::run() {
  for (;;) {
    follow();
    look();
    look_for_authority();
    if (auto news = key_watch_.look(keys_, wall_clock())) log_.error("{}", *news);
    std::unique_lock lock(mutex_);
    if (stopping_) return;
    if (wanted_ || clock_.look(seen_, monotonic_clock())) {
      Leadership seen = seen_;
      wanted_ = false;
      lock.unlock();
      auto epoch = home_.seize(options_.name, seen);
      if (epoch) {
        // What was followed may be of a log that has been replaced meanwhile.
        auto lineage = home_.last_restore();
        if (!lineage || *lineage != lineage_) builder_.reset();
        log_.info("{} leads from now on: epoch {}, after {}", options_.name, *epoch,
                  seen.name.empty() ? "nobody" : seen.name);
        return options_.leads();
      }
      if (epoch.error().code != store_errc::kExists) wait_aloud("cannot take over", epoch.error());
      lock.lock();
    }
    wake_.wait_for(lock, kLook, [this] { return stopping_ || wanted_; });
  }
}

void Standby::wait_aloud(std::string_view what, const Error& why) {
  std::string text = fmt::format("waiting for {}: {}: {}", home_.describe(), what, why.text);
  if (waits_told_.insert(text).second) log_.error("{}", text);
}

void Standby::look() {
  auto seen = home_.look();
  if (!seen) {
    blind_ = true;
    return wait_aloud("who leads cannot be seen", seen.error());
  }
  if (std::exchange(blind_, false)) waits_told_.clear();
  seen->suspect = seen->suspect || process_is_gone(*seen);
  std::vector<ConnectionId> moved;
  {
    std::lock_guard lock(mutex_);
    if (seen->epoch != seen_.epoch && !seen->name.empty())
      log_.info("{} leads: epoch {}", seen->name, seen->epoch);
    if (seen->epoch != seen_.epoch) moved = std::exchange(parked_, {});
    seen_ = std::move(*seen);
    late_ = clock_.leader_is_late(monotonic_clock());
    if (!late_ && !parked_.empty()) moved = std::exchange(parked_, {});
  }
  for (ConnectionId node : moved) send_away(node);
}

bool Standby::process_is_gone(const Leadership& seen) {
  if (seen.vacant || seen.name == options_.name) return false;
  const ClusterConfig& config = options_.loaded.config;
  auto leader = std::ranges::find(config.controllers, seen.name, &ControllerHost::name);
  if (leader == config.controllers.end()) return false;
  Address address{.host = leader->address.empty() ? leader->name : leader->address,
                  .port = config.controller_port};
  return probe_.gone(seen.epoch, address, monotonic_clock());
}

// Reads what has come since the last time; begins again where the log is no longer kept.
void Standby::follow() {
  for (int polls = 0; polls < kPollsAtOnce; ++polls) {
    if (!follower_) {
      auto follower = home_.follow();
      if (!follower) return;
      auto lineage = home_.last_restore();
      if (!lineage) return;
      lineage_ = std::move(*lineage);
      follower_ = std::move(*follower);
      builder_ = std::make_unique<StateBuilder>();
    }
    auto more = follower_->poll(builder_->replay());
    if (!more) {
      if (std::exchange(told_, more.error().text) != more.error().text)
        log_.error("the log cannot be followed: {}", more.error().text);
      follower_.reset();
      builder_.reset();
      return;
    }
    if (!*more) return;
  }
}

template <class T>
void Standby::answer(ConnectionId to, std::uint64_t correlation, const T& message) {
  server_->send(to, {.type = wire::message_number<T>, .correlation = correlation},
                wire::encode(message));
}

std::string Standby::leader_text() const {
  std::lock_guard lock(mutex_);
  if (seen_.name.empty() || seen_.vacant) return "nobody leads yet";
  return fmt::format("{} leads", seen_.name);
}

// With a code, which tells a slurmd to try the next controller.
void Standby::send_away(ConnectionId node) {
  auto error = refuse(Errc::InStandby, leader_text()).error();
  server_->send_error(node, 0, error);
  server_->close(node, "");
}

void Standby::on_frame(ConnectionId from, const Peer& peer, const Frame& frame) {
  std::uint64_t correlation = frame.header.correlation;
  std::uint16_t type = frame.header.type;
  if (type == wire::message_number<NodeReport>) {
    // While nobody leads, it may as well wait here: we may be the next.
    {
      std::lock_guard lock(mutex_);
      if (late_) return parked_.push_back(from);
    }
    return send_away(from);
  }
  if (type == wire::message_number<Ping>) {
    std::unique_lock lock(mutex_);
    Pong pong{.host = options_.name,
              .mode = role_name(options_.index),
              .version = YM_SLURM_VERSION,
              .cluster = options_.loaded.config.cluster_name,
              .started = started_,
              .index = static_cast<std::uint32_t>(options_.index),
              .epoch = seen_.epoch,
              .leader = seen_.vacant ? std::string() : seen_.name};
    lock.unlock();
    return answer(from, correlation, pong);
  }
  bool takeover = type == wire::message_number<Takeover>;
  if (takeover || type == wire::message_number<Shutdown>) {
    if (!directory_.caller(peer, wall_clock()).administrator) {
      auto error = refuse(Errc::AccessDenied).error();
      return answer(from, correlation, Failure{.code = error.code, .text = error.text});
    }
    answer(from, correlation, Done{});
    if (!takeover) return options_.shut_down();
    log_.info("uid {} asks us to take over", peer.uid);
    {
      std::lock_guard lock(mutex_);
      wanted_ = true;
    }
    return wake_.notify_all();
  }
  auto error = refuse(Errc::InStandby, leader_text()).error();
  answer(from, correlation, Failure{.code = error.code, .text = error.text});
}

}  // namespace ym
