// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/service.h"
#include "daemon/slurmctld/debug_lines.h"

#include <unistd.h>

#include <future>
#include <thread>

#include "base/text.h"
#include "config/security.h"
#include "config/standby.h"
#include "daemon/slurmctld/recovery.h"
#include "daemon/slurmctld/state_release.h"
#include "daemon/trust/munge_peers.h"
#include "net/join_token.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/files.h"
#include "os/users.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr int kNetworkThreads = 2;
constexpr int kLockTries = 20;
// How often certificates are looked at; the shortest that make sense live for some seconds.
constexpr Duration kTrustPeriod = std::chrono::seconds(1);
constexpr Duration kKeyPeriod = std::chrono::seconds(1);
constexpr Duration kLockPause = std::chrono::milliseconds(100);

KeyFiles key_files(const LoadedConfiguration& loaded) {
  return {.key = key_file(loaded.path, loaded.config),
          .jwks = jwks_file(loaded.path, loaded.config)};
}

}  // namespace

ControllerService::ControllerService(Options options, KeyRing keys, Log& log)
    : options_(std::move(options)),
      keys_(std::move(keys)),
      log_(log),
      started_(wall_clock()),
      side_programs_(options_.loaded.path, log),
      directory_(uid_of_slurm_user(options_.loaded.config.slurm_user), options_.standings),
      authenticator_(keys_, {.cluster = options_.loaded.config.cluster_name,
                             .now = wall_clock,
                             .skew = security_of(options_.loaded.config).clock_skew,
                             .started = started_,
                             .cluster_may_be_missing = true,
                             .look_up = peer_named,
                             .munge = munge_peers(options_.loaded.config)}) {}

ControllerService::~ControllerService() { stop(); }

Result<std::unique_ptr<ControllerService>> ControllerService::start(Options options, Log& log) {
  auto keys = load_keyring(key_files(options.loaded), true, wall_clock());
  if (!keys) return std::unexpected(keys.error());
  log.info("keys: {}", keys->describe());
  std::unique_ptr<ControllerService> service(
      new ControllerService(std::move(options), std::move(*keys), log));
  if (Status ok = service->open_state(); !ok) return std::unexpected(ok.error());
  if (Status ok = service->listen(); !ok) return std::unexpected(ok.error());
  return service;
}

Status ControllerService::open_state() {
  StatePlace place{.home = options_.home, .dir = options_.loaded.config.state_dir};
  if (Status ok = check_state_release(place); !ok) return ok;
  if (options_.clean)
    if (Status ok = options_.home->clear(); !ok) return ok;
  Recovery how{.accept_loss = options_.accept_loss, .known = std::move(options_.known)};
  auto recovered = recover(*options_.home, how);
  // A controller that was just killed may take a moment to give a large memory back, and its lock.
  for (int tries = 0;
       !recovered && recovered.error().code == store_errc::kLocked && tries < kLockTries; ++tries) {
    std::this_thread::sleep_for(kLockPause);
    recovered = recover(*options_.home, how);
  }
  if (!recovered) return std::unexpected(recovered.error());
  const Recovered& found = recovered->log.found;
  for (const std::string& warning : found.warnings) log_.error("{}", warning);
  for (const std::string& warning : recovered->log.blobs->warnings()) log_.error("{}", warning);
  if (Status ok = note_state_release(place); !ok) return ok;
  log_.info(
      "recovered {} jobs and {} nodes at event {}: snapshot at {}, then {} events; {} bytes of an "
      "unfinished "
      "group cut off",
      recovered->state.jobs.size(), recovered->state.nodes.size(), found.last_seq,
      found.snapshot_seq, found.records, found.torn_bytes);

  Controller controller(options_.loaded.config, std::move(recovered->state));
  controller.set_zone(&zone_);
  Core core(std::move(controller));
  if (Status ok = core.begin(options_.loaded.config, wall_clock(), options_.index); !ok) return ok;
  published_.set_state(core.state());
  journal_ = std::make_unique<JournalLoop>(
      std::move(recovered->log.log), std::move(recovered->log.blobs),
      JournalLoop::Hooks{.durable = [this](JournalLoop::Work& work) { desk_->deliver(work); },
                         .trouble =
                             [this](const std::string& text) {
                               {
                                 std::lock_guard lock(trouble_mutex_);
                                 trouble_ = text;
                               }
                               core_->set_log_trouble(text);
                               // What nodes said meanwhile was not heard: let them say it again.
                               if (text.empty())
                                 for (ConnectionId node : requests_.node_connections())
                                   server_->close(node, "the controller can write its log again");
                             },
                         .deposed = options_.deposed},
      log_);
  core_ = std::make_unique<CoreLoop>(std::move(core), *journal_, published_,
                                     [this](Reply& reply) { desk_->refuse(reply); });
  return {};
}

ServerHandlers ControllerService::handlers() {
  return {.on_open = [](ConnectionId, const Peer&) {},
          .on_frames =
              [this](ConnectionId id, const Peer& peer, std::vector<Frame> frames) {
                desk_->on_frames(id, peer, std::move(frames));
              },
          .on_close = [this](ConnectionId id, const std::string&) { desk_->on_close(id); },
          .on_writable = [this](ConnectionId id) { desk_->on_writable(id); }};
}

DeskSurroundings ControllerService::surroundings() {
  return {.server = server_.get(),
          .core = core_.get(),
          .journal = journal_.get(),
          .published = &published_,
          .requests = &requests_,
          .directory = &directory_,
          .keys = &keys_,
          .log = &log_,
          .programs = programs_.get(),
          .side_programs = &side_programs_,
          .trust = trust_.get(),
          .home = options_.home,
          .key_files = [this] { return key_files(options_.loaded); },
          .config_path = options_.loaded.path,
          .started = started_,
          .index = options_.index,
          .epoch = options_.home->epoch(),
          .sure = options_.sure,
          .shut_down = [this](bool) { options_.shut_down(); },
          .renew_keys = [this](const LoadedConfiguration& loaded) { return renew_keys(loaded); },
          .log_trouble =
              [this] {
                std::lock_guard lock(trouble_mutex_);
                return trouble_;
              },
          .key_trouble =
              [this] {
                std::lock_guard lock(trouble_mutex_);
                return key_trouble_;
              }};
}

std::string ControllerService::own_socket() const {
  const ClusterConfig& config = options_.loaded.config;
  return controller_socket(
      config, config.controllers.empty() ? "" : config.controllers[options_.index].name);
}

ServerOptions ControllerService::server_options() {
  return {.cluster = options_.loaded.config.cluster_name,
          .authenticate =
              [this](std::string_view token, std::string_view binding) {
                if (token.starts_with(kJoinPrefix)) return trust_->meet_guest(token, binding);
                return authenticator_.authenticate(token, binding);
              },
          .may_block = asks_munge,
          .prove =
              [this](std::string_view token, std::string_view binding) {
                if (token.starts_with(kJoinPrefix)) return trust_->prove_to_guest(token, binding);
                return prove_server(*keys_.ring(), {.token = token, .binding = binding});
              },
          .tls = [this] { return trust_->context(); },
          .tls_required = trust_->on(),
          .threads = kNetworkThreads,
          .connections_max = connections_within(options_.open_files),
          .trusted = [slurm_user = uid_of_slurm_user(options_.loaded.config.slurm_user)](
                         const Peer& peer) { return is_trusted(peer, slurm_user); }};
}

Status ControllerService::listen() {
  const ClusterConfig& config = options_.loaded.config;
  auto trust = ControllerTrust::open(options_.loaded, log_, options_.home);
  if (!trust) return std::unexpected(trust.error());
  trust_ = std::move(*trust);
  server_ = std::make_unique<Server>(server_options(), handlers());
  programs_ = std::make_unique<Programs>(
      options_.loaded.path, log_,
      [this](const ControllerProgram& program, const std::string& error) {
        core_->push(ProgramEnded{
            .job = program.job, .sluid = program.sluid, .error = error, .epilog = program.epilog});
      });
  desk_ = std::make_unique<Desk>(surroundings());
  trust_->set_on_news([this] { desk_->tell_trust(); });
  if (trust_->on())
    server_->loop().post(
        [this] { server_->loop().every(kTrustPeriod, [this] { trust_->renew(); }); });
  server_->loop().post([this] {
    watch_keys();
    server_->loop().every(kKeyPeriod, [this] { watch_keys(); });
  });
  take_debug_flags(log_, config);
  core_->set_on_plan([this](const Plan& plan) { log_plan(log_, plan); });
  // The threads run before anybody can connect, so that nothing arrives at a desk that is not
  // there.
  core_->start();
  journal_->start();
  if (Status ok = server_->listen_unix(own_socket(), 0666); !ok) return ok;
  // A cluster that lives on this machine alone is not offered to others.
  std::string address =
      config.controllers.empty() ? "" : config.controllers[options_.index].address;
  bool local = address == "localhost" || address.starts_with("127.");
  auto port = server_->listen_tcp(local ? address : "*", config.controller_port);
  if (!port) return std::unexpected(port.error());
  if (std::size_t most = connections_within(options_.open_files); most < 20'000)
    log_.info("{} open files: at most {} connections", options_.open_files, most);
  log_.info("slurmctld of cluster {} serves on port {} and {}", config.cluster_name, *port,
            own_socket());
  if (has_standbys(config) && options_.home->epoch() > 1) call_nodes();
  return {};
}

std::vector<NodeAddress> ControllerService::missing_nodes() const {
  std::vector<NodeAddress> missing;
  View view = published_.view();
  view.state.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (requests_.connection_of(node.spec->name)) return;
    std::uint16_t port = node.registration->port;
    if (port == 0) port = node.spec->port ? node.spec->port : view.config->node_port;
    const std::string& address =
        node.registration->address.empty() ? node.spec->address : node.registration->address;
    missing.push_back({.node = node.id, .name = node.spec->name, .address = address, .port = port});
  });
  return missing;
}

// Somebody led before us, and nodes may not know yet that he does no more.
void ControllerService::call_nodes() {
  const ClusterConfig& config = options_.loaded.config;
  std::shared_ptr<const TlsContext> tls;
  if (trust_->on()) {
    auto any = TlsContext::client({});
    if (!any) return log_.error("nodes are not called: {}", any.error().text);
    tls = std::move(*any);
  }
  NodeCaller::Options options{.cluster = config.cluster_name,
                              .message = {.epoch = options_.home->epoch(),
                                          .index = static_cast<std::uint32_t>(options_.index),
                                          .name = config.controllers[options_.index].name},
                              .keys = &keys_,
                              .tls = std::move(tls),
                              .missing = [this] { return missing_nodes(); }};
  caller_ = std::make_unique<NodeCaller>(server_->loop(), std::move(options));
  server_->loop().post([this] { caller_->begin(); });
}

Status ControllerService::renew_keys(const LoadedConfiguration& loaded) {
  auto ring = load_keyring(key_files(loaded), false, wall_clock());
  if (!ring) return std::unexpected(ring.error());
  if (std::string now = ring->describe(); now != keys_.ring()->describe())
    log_.info("keys: {}", now);
  keys_.set(std::move(*ring));
  authenticator_.set_skew(security_of(loaded.config).clock_skew);
  return {};
}

void ControllerService::watch_keys() {
  if (auto news = key_watch_.look(keys_, wall_clock())) log_.error("{}", *news);
  std::lock_guard lock(trouble_mutex_);
  key_trouble_ = key_watch_.trouble();
}

void ControllerService::reconfigure() {
  if (Status ok = log_.reopen(); !ok) log_.error("{}", ok.error().text);
  auto loaded = load_with_topologies(options_.loaded.path);
  if (!loaded) {
    log_.error("the old configuration stays: {}", loaded.error().text);
    return;
  }
  if (Status ok = renew_keys(*loaded); !ok) {
    log_.error("the old configuration stays: {}", ok.error().text);
    return;
  }
  for (const std::string& warning : loaded->warnings) log_.info("{}", warning);
  for (const std::string& warning : parameter_warnings(loaded->config)) log_.info("{}", warning);
  take_debug_flags(log_, loaded->config);
  core_->push(Request{.id = {},
                      .caller = {.uid = {0}, .administrator = true},
                      .command = NewConfiguration{std::move(loaded->config)}});
}

void ControllerService::stop() {
  if (caller_) {
    std::promise<void> ended;
    server_->loop().post([&] {
      caller_->end();
      ended.set_value();
    });
    ended.get_future().wait();
    caller_.reset();
  }
  if (server_) server_->stop();
  if (programs_) programs_->stop();
  side_programs_.stop();
  if (desk_) desk_->stop();
  if (core_) core_->stop();
  if (journal_) journal_->stop();
}

}  // namespace ym
