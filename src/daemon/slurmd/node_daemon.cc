// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/node_daemon.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "config/security.h"
#include "config/standby.h"
#include "config/values.h"
#include "daemon/launch/containment_order.h"
#include "daemon/slurmd/notices.h"
#include "daemon/trust/munge_peers.h"
#include "net/token.h"
#include "notation/job_id.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/open_files.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

// Whoever asks why a launch took so long finds the reason in the log.
constexpr std::size_t kManyNodes = 1000;
constexpr Duration kHeldUp = std::chrono::seconds(2);
constexpr Duration kTokenLife = std::chrono::minutes(1);

std::uint64_t seed_of(const std::string& name) {
  std::uint64_t hash = 1469598103934665603u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// Nobody can guess it, and take it first.
std::string control_name() {
  std::uint64_t chance[2];
  system_entropy()({reinterpret_cast<std::uint8_t*>(chance), sizeof chance});
  return fmt::format("yardmaster-{:016x}{:016x}", chance[0], chance[1]);
}

}  // namespace

Result<NodeSpec> find_own_node(const ClusterConfig& config, const std::string& name,
                               const std::string& host) {
  for (const NodeSpec& node : config.nodes) {
    if (name.empty() ? node.hostname == host || node.name == host : node.name == name) return node;
  }
  if (!name.empty())
    return fail(
        fmt::format("Unable to determine this slurmd's NodeName: {} is not in slurm.conf", name));
  return fail(fmt::format(
      "Unable to determine this slurmd's NodeName: no NodeName or NodeHostname is {}; use -N",
      host));
}

NodeDaemon::NodeDaemon(Parts parts)
    : loaded_(std::move(parts.loaded)),
      node_(std::move(parts.node)),
      keys_(std::move(parts.keys)),
      authenticator_(keys_, {.cluster = loaded_.config.cluster_name,
                             .now = wall_clock,
                             .skew = security_of(loaded_.config).clock_skew,
                             .started = wall_clock(),
                             .look_up = {},
                             .munge = munge_peers(loaded_.config)}),
      machine_(parts.machine),
      clean_(parts.clean),
      booted_(parts.booted),
      boot_id_(boot_id()),
      started_(wall_clock()),
      log_(parts.log),
      spool_(std::move(parts.spool)),
      revoked_(spool_.root() + "/revoked"),
      trust_(node_.name, spool_.root() + "/tls", log_),
      shepherds_(loop_, spool_, log_, std::move(parts.shepherd_program), node_.name),
      queries_(loop_, shepherds_),
      cpus_(machine_, node_, loaded_.config, ::geteuid() == 0),
      relay_(loop_, {.cluster = loaded_.config.cluster_name,
                     .address = [this](const std::string& node) { return address_of(node); },
                     .token = [this](std::string_view binding) { return fresh_token(binding); },
                     .check_proof =
                         [this](const Greeting& greeting, std::string_view proof) {
                           return check_proof(greeting, proof);
                         },
                     .tls = [this] { return trust_.to_nodes(); },
                     .tls_name = [this](const std::string& node) { return trust_.name_of(node); }}),
      health_(loop_, log_,
              {.node = node_.name,
               .configuration = loaded_.path,
               .boot_file = spool_.root() + "/health_boot",
               .boot_id = boot_id_},
              [this] { return ask_own_state(); }),
      reboot_(loop_, log_, {.node = node_.name, .configuration = loaded_.path}) {
  shepherds_.set_on_end([this](Sluid sluid, StepId step, const agent::Ended& ended) {
    if (agent::is_program(step) && !ended.error.empty())
      log_.error("{} failed: {}", step_name(step), ended.error);
    agent::Outbox out;
    agent_.shepherd_ended(sluid, step, ended, out);
    obey(std::move(out));
  });
}

NodeDaemon::~NodeDaemon() {
  link_.reset();
  server_.reset();
}

Status NodeDaemon::start() {
  look_for_gres();
  if (auto ready = shepherds_.open_nursery(); !ready) return ready;
  if (auto ready = spool_.prepare(); !ready) return ready;
  if (auto ready = trust_.open(loaded_); !ready) return ready;
  // Listening first: a second daemon of this node is refused before it touches the spool.
  if (auto ready = listen(); !ready) return ready;
  if (auto ready = recover(); !ready) return ready;
  health_.start(loaded_.config, [this] { connect(); });
  loop_.every(kTick, [this, last = monotonic_clock()]() mutable {
    Duration now = monotonic_clock(), late = now - std::exchange(last, now) - kTick;
    if (late >= kHeldUp) log_.error("slurmd was held up for {} ms", late.count());
    look_after_certificate();
    if (auto news = key_watch_.look(keys_, wall_clock())) log_.error("{}", *news);
    agent::Outbox out;
    agent_.tick(agent_time(), out);
    obey(std::move(out));
  });
  loop_.every(kHeartbeat, [this] {
    agent::Outbox out;
    if (link_ && link_->is_up()) agent_.heartbeat(out);
    obey(std::move(out));
  });
  return {};
}

Status NodeDaemon::recover() {
  Spool::Scan scan = spool_.scan(boot_id_);
  for (const std::string& trouble : scan.troubles) log_.error("{}, ignoring", trouble);
  if (clean_) {
    std::erase_if(scan.found, [this](const agent::Recovered& one) {
      if (one.found != agent::Found::Finished) return false;
      spool_.forget(one.sluid, one.step);
      return true;
    });
  }
  for (agent::Recovered& one : scan.found) {
    // What a lost shepherd left behind may be alive: it has ended when that has.
    auto order = spool_.read_order(one.sluid, one.step);
    bool here = order && order->boot_id == boot_id_;
    if (one.found == agent::Found::Lost && here) one.found = agent::Found::Alive;
  }
  forget_lost_jobs(scan.found);
  agent_.set_around(around());
  agent_.remember_over(revoked_.load(wall_clock()));
  agent::Outbox out;
  agent_.recover(scan.found, out);
  for (const agent::Recovered& one : scan.found)
    if (auto order = spool_.read_order(one.sluid, one.step))
      cpus_.adopt(*order, one.found == agent::Found::Alive);
  for (const agent::Recovered& one : scan.found) {
    if (one.found != agent::Found::Alive) continue;
    log_.info("job {} step {} is still running", one.job.value, step_name(one.step));
    loop_.post([this, one] { shepherds_.adopt(one.job, one.sluid, one.step); });
  }
  obey(std::move(out));
  return {};
}

// A job whose script was lost with the machine has not ended: it is missing. The controller knows
// what to do with those, and may start them again.
void NodeDaemon::forget_lost_jobs(std::vector<agent::Recovered>& found) {
  std::set<Sluid> lost;
  for (const agent::Recovered& one : found)
    if (one.step == kBatchStep && one.found == agent::Found::Lost) lost.insert(one.sluid);
  for (Sluid sluid : lost) spool_.forget(sluid, std::nullopt);
  std::erase_if(found, [&](const agent::Recovered& one) { return lost.contains(one.sluid); });
}

Status NodeDaemon::listen() {
  ServerOptions options{.cluster = loaded_.config.cluster_name,
                        .authenticate =
                            [this](std::string_view token, std::string_view binding) {
                              return authenticator_.authenticate(token, binding);
                            },
                        .may_block = asks_munge,
                        .prove =
                            [this](std::string_view token, std::string_view binding) {
                              return prove_server(*keys_.ring(),
                                                  {.token = token, .binding = binding});
                            },
                        .tls = [this] { return trust_.server(); },
                        .tls_required = trust_.on(),
                        .relay_silence = loaded_.config.stream_timeout,
                        .connections_max = connections_within(open_files())};
  ServerHandlers handlers;
  handlers.on_frames = [this](ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
    on_client_frames(from, peer, std::move(frames));
  };
  server_ = std::make_unique<Server>(std::move(options), std::move(handlers), loop_);
  std::string path = node_socket(loaded_.config, node_.name);
  if (auto ready = server_->listen_unix(path, 0666); !ready) return ready;
  std::uint16_t port = node_.port != 0 ? node_.port : loaded_.config.node_port;
  // A node that is reached on this machine alone is not offered to others.
  bool local = node_.address == "localhost" || node_.address.starts_with("127.");
  auto listening = server_->listen_tcp(local ? node_.address : "*", port);
  if (!listening) return std::unexpected(listening.error());
  log_.info("slurmd of node {} listens on port {} and {}", node_.name, *listening, path);
  return {};
}

std::vector<Address> NodeDaemon::controller_addresses() const {
  std::vector<Address> addresses;
  for (const std::string& path : controller_sockets(loaded_.config))
    if (::access(path.c_str(), F_OK) == 0) addresses.push_back({.path = path});
  for (const ControllerHost& host : loaded_.config.controllers) {
    addresses.push_back({.host = host.address.empty() ? host.name : host.address,
                         .port = loaded_.config.controller_port});
  }
  if (addresses.empty()) addresses.push_back({.path = controller_socket(loaded_.config)});
  return addresses;
}

Status NodeDaemon::check_proof(const Greeting& greeting, std::string_view proof) const {
  return check_server(*keys_.ring(), greeting, proof,
                      {.now = wall_clock(), .skew = authenticator_.skew()});
}

std::string NodeDaemon::fresh_token(std::string_view binding) const {
  Instant now = wall_clock();
  TokenClaims claims{.user = "root",
                     .uid = ::geteuid(),
                     .gid = ::getegid(),
                     .issued = now,
                     .expires = now + kTokenLife,
                     .audience = loaded_.config.cluster_name,
                     .kind = "node",
                     .id = {},
                     .binding = std::string(binding),
                     .once = true};
  if (auto user = user_by_uid(::geteuid())) claims.user = user->name;
  auto token = sign_token(*keys_.ring(), std::move(claims), system_entropy());
  if (!token) log_.error("no token: {}", token.error().text);
  return token ? *token : std::string();
}

void NodeDaemon::connect() {
  LinkOptions options{
      .addresses = controller_addresses(),
      .cluster = loaded_.config.cluster_name,
      .token = [this](std::string_view binding) { return fresh_token(binding); },
      .check_proof = [this](const Greeting& greeting,
                            std::string_view proof) { return check_proof(greeting, proof); },
      .tls = [this] { return trust_.to_controller(); }};
  options.retry_max = std::chrono::seconds(10);
  // A controller that has stopped has a successor soon. Each node asks, so in a large cluster less
  // often.
  if (has_standbys(loaded_.config)) {
    bool many = loaded_.config.nodes.size() > kManyNodes;
    options.silence = std::chrono::seconds(many ? 5 : 2);
    options.retry_max = std::chrono::seconds(many ? 10 : 2);
    options.connect_deadline = std::chrono::seconds(many ? 10 : 3);
  }
  options.seed = seed_of(node_.name);
  LinkHandlers handlers;
  handlers.on_up = [this] { on_link_up(); };
  handlers.on_frames = [this](std::vector<Frame> frames) { on_controller_frames(frames); };
  handlers.on_down = [this](const Error& reason, bool was_up, Duration) {
    if (was_up)
      log_.error("lost slurmctld: {}", reason.text);
    else if (waits_said_.insert(reason.text).second)  // once: it may take days
      log_.info("waiting for slurmctld: {}", reason.text);
    else
      log_.verbose("cannot reach slurmctld: {}", reason.text);
    // The socket may have come into being, or gone.
    loop_.post([this] {
      if (link_ && !link_->is_up() && controller_addresses() != addresses_) connect();
    });
  };
  addresses_ = options.addresses;
  link_ = std::make_unique<Link>(loop_, std::move(options), std::move(handlers));
  link_->start();
}

void NodeDaemon::reconfigure(LoadedConfiguration loaded, KeyRing keys) {
  loaded_ = std::move(loaded);
  keys_.set(std::move(keys));
  authenticator_.set_skew(security_of(loaded_.config).clock_skew);
  cpus_.set_rules(loaded_.config);
  std::vector<GresItem> before = gres_.items;
  look_for_gres();
  if (before != gres_.items && link_ && link_->is_up()) {  // the controller must know
    agent::Outbox out;
    agent_.connected(out);
    obey(std::move(out));
  }
  agent_.set_around(around());
  health_.reconfigure(loaded_.config);
  if (link_ && controller_addresses() != addresses_) connect();
}

NodeRegistration NodeDaemon::registration() const {
  NodeRegistration one{.cpus = machine_.cpus,
                       .boards = machine_.boards,
                       .sockets = machine_.sockets,
                       .cores_per_socket = machine_.cores_per_socket,
                       .threads_per_core = machine_.threads_per_core,
                       .memory_mb = machine_.memory_mb};
  one.tmp_mb = filesystem_mb(loaded_.config.temp_dir);
  if (loaded_.config.config_overrides) {
    one.cpus = node_.cpus;
    one.boards = node_.boards;
    one.sockets = node_.sockets;
    one.cores_per_socket = node_.cores_per_socket;
    one.threads_per_core = node_.threads_per_core;
    one.memory_mb = node_.memory_mb;
    one.tmp_mb = std::max(one.tmp_mb, node_.tmp_mb);
  }
  one.version = YM_SLURM_VERSION;
  one.os = operating_system();
  one.arch = architecture();
  one.boot_time = booted_ ? started_ : boot_time();
  one.boot_id = boot_id_;
  if (booted_) one.boot_id += fmt::format("+{}", started_.unix_ms);
  one.slurmd_start = started_;
  one.address = !node_.address.empty()    ? node_.address
                : !node_.hostname.empty() ? node_.hostname
                                          : node_.name;
  one.port = node_.port != 0 ? node_.port : loaded_.config.node_port;
  one.gres = gres_.items;
  return one;
}

Result<LaunchFacts> NodeDaemon::facts_for(std::uint32_t uid, std::uint32_t gid) const {
  auto user = user_by_uid(uid);
  if (!user) return std::unexpected(user.error());
  if (::geteuid() != 0 && uid != ::geteuid()) {
    return fail(
        fmt::format("slurmd runs as uid {} and cannot run a job of {}", ::geteuid(), user->name));
  }
  LaunchFacts facts{.node = node_.name,
                    .configuration = loaded_.path,
                    .user = *user,
                    .groups = groups_of(user->name, gid)};
  facts.boot_id = boot_id_;
  facts.kill_wait = loaded_.config.kill_wait;
  facts.acct_frequency_s = loaded_.config.acct_frequency_s;
  facts.temp_dir = expand_node_path(loaded_.config.temp_dir, node_.name, host_name());
  facts.nice = ::getpriority(PRIO_PROCESS, 0);
  facts.propagate_priority = loaded_.config.propagate_priority;
  facts.task_prolog = loaded_.config.task_prolog;
  facts.task_epilog = loaded_.config.task_epilog;
  return facts;
}

void NodeDaemon::obey(agent::Outbox out) {
  for (agent::Effect& effect : out) std::visit([this](auto& one) { obey(one); }, effect);
}

// A failure is kept for the Launch that follows: the agent hears of it as the end of the shepherd.
void NodeDaemon::obey(agent::Persist& effect) {
  Key key{effect.sluid, effect.step};
  ShepherdOrder order;
  if (agent::is_around(effect.step)) {
    auto made = around_order(effect);
    if (made) {
      order = std::move(*made);
    } else {
      failed_[key] = made.error().text;
      order = {.job = effect.job, .sluid = effect.sluid, .step = effect.step, .node = node_.name};
    }
  } else if (effect.batch) {
    auto facts = facts_for(effect.batch->spec->uid.value, effect.batch->spec->gid.value);
    if (facts) {
      order = batch_order(*effect.batch, *facts);
      open_x11_of_batch(*effect.batch, *facts);
      show_display(order);
      GresGiven gres{.job = *effect.batch->gres, .mine = *effect.batch->gres};
      give_resources(order, cpu_wish(*effect.batch, node_.name), gres);
      set_containment(order, *effect.batch, loaded_.config);
    } else {
      // The record stays, so that the failure is reported until the controller knows it.
      failed_[key] = facts.error().text;
      strangers_.insert(key);
      order = {
          .job = effect.batch->job, .sluid = effect.sluid, .step = effect.step, .node = node_.name};
    }
  } else {
    const PendingStep& step = pending_.at(key);
    order = step.order;
    give_resources(order, step.cpus, step.gres);
  }
  obey_memory_limit(order);
  order.control = control_name();
  if (!order.container.empty()) order.spool_dir = spool_.root();
  if (auto wrote = spool_.write_order(order); !wrote) failed_.emplace(key, wrote.error().text);
}

void NodeDaemon::obey(agent::Launch& effect) {
  Key key{effect.sluid, effect.step};
  PendingStep step;
  if (auto pending = pending_.find(key); pending != pending_.end()) {
    step = std::move(pending->second);
    pending_.erase(pending);
  }
  Status started;
  if (auto failed = failed_.find(key); failed != failed_.end()) {
    started = fail(failed->second);
    failed_.erase(failed);
    refuse_step(std::move(step), started.error().text);
  } else {
    started = shepherds_.start(effect.job, effect.sluid, effect.step, std::move(step.connection));
  }
  if (started) {
    log_.info("launched job {} step {}", effect.job.value, step_name(effect.step));
    return;
  }
  log_.error("cannot launch job {} step {}: {}", effect.job.value, step_name(effect.step),
             started.error().text);
  agent::Ended ended{.exit = {.code = 1, .signal = 0}, .error = started.error().text};
  // A user whom this node does not know may be unknown everywhere: that is no reason to take nodes
  // out of service one by one.
  ended.launch_failed = effect.step == kBatchStep;
  if (strangers_.erase(key) == 0 && ended.launch_failed) ended.drain_reason = kBatchLaunchFailure;
  if (auto wrote = spool_.write_result(effect.sluid, effect.step,
                                       {.exit = ended.exit,
                                        .error = ended.error,
                                        .drain_reason = ended.drain_reason,
                                        .launch_failed = ended.launch_failed});
      !wrote) {
    log_.error("{}", wrote.error().text);
  }
  // After the effects of this outbox: the Running report leaves first.
  loop_.post([this, key, ended] {
    agent::Outbox out;
    agent_.shepherd_ended(key.first, key.second, ended, out);
    obey(std::move(out));
  });
}

void NodeDaemon::obey(agent::Signal& effect) {
  ControlPacket packet{.kind = ControlKind::Signal,
                       .signal = effect.signal,
                       .leaders_only = effect.scope == agent::SignalScope::Leaders};
  Instant now = wall_clock();
  packet.notice = notice_of(effect.cause, {.job = effect.job,
                                           .step = effect.step,
                                           .node = node_.name,
                                           .at = now,
                                           .zone_offset_s = zone_offset_seconds(now)});
  log_.debug("signal {} to step {}", effect.signal, step_name(effect.step));
  if (auto sent = shepherds_.send(effect.sluid, effect.step, packet); !sent) {
    log_.verbose("signal {} to step {}: {}", effect.signal, step_name(effect.step),
                 sent.error().text);
  }
}

void NodeDaemon::obey(agent::Freeze& effect) {
  ControlPacket packet{.kind = effect.frozen ? ControlKind::Freeze : ControlKind::Thaw};
  if (auto sent = shepherds_.send(effect.sluid, effect.step, packet); !sent) {
    log_.verbose("{} of step {}: {}", effect.frozen ? "suspension" : "resumption",
                 step_name(effect.step), sent.error().text);
  }
}

void NodeDaemon::obey(agent::Report& effect) {
  if (!link_ || !link_->is_up()) return;  // The complete report of the next connection says it.
  NodeReport& report = effect.report;
  report.node = node_.name;
  if (report.complete) report.registration = registration();
  for (AttemptReport& attempt : report.attempts)
    if (attempt.phase == AttemptPhase::Running) attempt.cpu_ids = cpus_.ids_of(attempt.sluid);
  MachineLoad load = machine_load();
  report.cpu_load = load.cpu_load;
  report.free_memory_mb = load.free_memory_mb;
  link_->send({.type = wire::message_number<NodeReport>}, wire::encode(report), WhenFull::Cut);
}

void NodeDaemon::obey(agent::Forget& effect) {
  if (!effect.step) close_x11(effect.sluid);
  if (!effect.step) revoked_.note(effect.sluid, wall_clock());
  spool_.forget(effect.sluid, effect.step);
}

}  // namespace ym
