// SPDX-License-Identifier: Apache-2.0
// What changes something: commands on their way to the core, and what comes out of it.
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "config/debug_flags.h"
#include "controller/queries/rows.h"
#include "daemon/slurmctld/debug_lines.h"
#include "daemon/slurmctld/desk_impl.h"
#include "daemon/slurmctld/trust.h"
#include "net/token.h"
#include "notation/hostlist.h"
#include "os/log.h"
#include "os/users.h"
#include "site/configuration.h"
#include "store/blobs.h"

namespace ym {
namespace {

constexpr std::size_t kScriptMax = 4 << 20, kEnvironmentMax = 16 << 20;
constexpr Duration kCredentialLife = std::chrono::minutes(10);
// So many messages of one group leave at once: of more, some go to the same connection.
constexpr std::size_t kFew = 4;

}  // namespace

void Desk::submit(ReplyTo to, const Peer& peer, const Frame& frame) {
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!has_room(caller)) return send_away(to);
  SubmitJob submit;
  if (!read(to, frame, submit)) return;
  if (submit.script.size() > kScriptMax || submit.environment.size() > kEnvironmentMax)
    return deny(
        to, Error{.code = 0, .text = "Pathname of a file, directory or other parameter too long"});
  // Named by content here, on the network thread: hashing is work, and the core has none to spare.
  submit.spec.script_blob = submit.script.empty() ? "" : Blobs::id_of(submit.script);
  submit.spec.environment_blob = submit.environment.empty() ? "" : Blobs::id_of(submit.environment);
  hand_on(to, std::move(caller), frame, std::move(submit));
}

// A trigger's program runs as whoever set it, which only root can make so. Without that root's runs
// as SlurmUser, as do all in Slurm, and others would never run.
void Desk::set_trigger(ReplyTo to, const Peer& peer, Frame& frame) {
  std::uint32_t own = ::geteuid();
  if (own != 0 && peer.uid != own && peer.uid != 0) {
    auto user = user_by_uid(own);
    return deny(to, ym::refuse(Errc::AccessDenied,
                               fmt::format("the controller runs as {} and cannot become you",
                                           user ? user->name : std::to_string(own)))
                        .error());
  }
  to_core<SetTrigger>(to, peer, frame);
}

bool Desk::has_room(const Caller& caller) const {
  return s_.requests->has_room(CoreLoop::lane_of(caller)) && s_.core->has_room(caller);
}

void Desk::hand_on(ReplyTo to, Caller caller, const Frame& frame, Command command) {
  auto id =
      s_.requests->open(to, {.uid = CoreLoop::lane_of(caller), .bytes = frame.payload.size()});
  if (!id) return send_away(to);
  Request request{.id = *id,
                  .caller = std::move(caller),
                  .command = std::move(command),
                  .key = key_of(frame.header)};
  auto lane = CoreLoop::lane_of(request.caller);
  if (s_.core->offer(std::move(request))) {
    // Whoever waits does so in his own socket, not before others at the disk.
    if (s_.requests->hold_back(to.connection, lane)) s_.server->pause(to.connection);
    return;
  }
  s_.requests->close(*id);
  read_on();
  send_away(to);
}

// The same for each of its jobs. The names of users are asked for here: the core knows no name
// service.
void Desk::update_crontab(ReplyTo to, const Peer& peer, const Frame& frame) {
  UpdateCrontab update;
  if (!read(to, frame, update)) return;
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!update.user.empty() && update.user != caller.user_name) {
    auto user = user_by_name(update.user);
    if (!user) return deny(to, ym::refuse(Errc::InvalidUserId).error());
    if (!caller.administrator) return deny(to, ym::refuse(Errc::AccessDenied).error());
    caller =
        s_.directory->caller({.kind = peer.kind, .uid = user->uid, .gid = user->gid}, wall_clock());
  }
  for (SubmitJob& job : update.jobs) {
    if (job.script.size() > kScriptMax || job.environment.size() > kEnvironmentMax)
      return deny(to, ym::refuse(Errc::BadMessage, "a script that is too long").error());
    job.spec.script_blob = job.script.empty() ? "" : Blobs::id_of(job.script);
    job.spec.environment_blob = job.environment.empty() ? "" : Blobs::id_of(job.environment);
  }
  hand_on(to, std::move(caller), frame, std::move(update));
}

// Tells each of the nodes; Done when all of them were.
template <class Message>
void Desk::tell_nodes(ReplyTo to, const std::string& nodes, const Message& message) {
  auto hosts = Hostlist::parse(nodes);
  if (!hosts) return deny(to, ym::refuse(Errc::InvalidNodeName).error());
  std::string missing;
  hosts->for_each([&](std::string_view host) {
    std::optional<ConnectionId> node = s_.requests->connection_of(std::string(host));
    if (node)
      answer({.connection = *node}, message);
    else
      missing = host;
  });
  bool known = s_.published->view().state.find_node(missing) != nullptr;
  if (known)
    return deny(to, Error{.code = 1001, .text = "Communication connection failure: " + missing});
  if (!missing.empty()) return deny(to, ym::refuse(Errc::InvalidNodeName, missing).error());
  answer(to, Done{});
}

void Desk::reconfigure(ReplyTo to, const Peer& peer, const Frame& frame) {
  Reconfigure wish;
  if (!read(to, frame, wish)) return;
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!caller.administrator) return deny(to, ym::refuse(Errc::InvalidUserId).error());
  if (!wish.nodes.empty()) return tell_nodes(to, wish.nodes, wish);
  auto loaded = load_with_topologies(s_.config_path);
  if (!loaded) {
    s_.log->error("reconfigure refused, the old configuration stays: {}", loaded.error().text);
    return deny(to, loaded.error());
  }
  if (Status renewed = s_.renew_keys(*loaded); !renewed) {
    s_.log->error("reconfigure refused, the old keys stay: {}", renewed.error().text);
    return deny(to, renewed.error());
  }
  for (const std::string& warning : loaded->warnings) s_.log->info("{}", warning);
  for (const std::string& warning : parameter_warnings(loaded->config)) s_.log->info("{}", warning);
  {
    std::lock_guard lock(mutex_);
    debug_level_.clear();
    debug_flags_.reset();
  }
  if (auto level = parse_log_level(loaded->config.controller_debug)) s_.log->set_level(*level);
  take_debug_flags(*s_.log, loaded->config);
  Request request{.id = *s_.requests->open(to, {}),
                  .caller = std::move(caller),
                  .command = NewConfiguration{std::move(loaded->config)}};
  s_.core->push(std::move(request));
  // What nodes say of themselves then comes behind it in the same queue.
  for (ConnectionId node : s_.requests->node_connections())
    answer({.connection = node}, Reconfigure{});
}

// How much is logged, here or by some nodes, until the configuration is read again.
void Desk::set_debug(ReplyTo to, const Peer& peer, const Frame& frame) {
  SetDebug wish;
  if (!read(to, frame, wish)) return;
  if (!s_.directory->caller(peer, wall_clock()).administrator)
    return deny(to, Error{.code = 1, .text = "Permission denied"});
  auto level = parse_log_level(wish.level);
  if (!wish.level.empty() && !level)
    return deny(to, Error{.code = 0, .text = "invalid debug level: " + wish.level});
  if (!wish.nodes.empty()) {
    return tell_nodes(to, wish.nodes, wish);
  }
  {
    std::lock_guard lock(mutex_);
    if (level) debug_level_ = wish.level;
    if (!wish.flags_on.empty() || !wish.flags_off.empty()) change_debug_flags(wish);
  }
  if (level) s_.log->set_level(*level);
  if (level) s_.log->info("debug level is {} from now on", wish.level);
  answer(to, Done{});
}

// REQUIRES: mutex_ is held.
void Desk::change_debug_flags(const SetDebug& wish) {
  if (!debug_flags_) {
    debug_flags_.emplace();
    for (const auto& [key, value] : s_.published->config()->shown)
      if (key == "DebugFlags")
        for (std::string_view name : split_words(value, ','))
          if (const DebugFlagName* known = find_debug_flag(name))
            debug_flags_->emplace(known->name);
  }
  for (const std::string& flag : wish.flags_on) debug_flags_->insert(flag);
  for (const std::string& flag : wish.flags_off) debug_flags_->erase(flag);
  std::string names = join({debug_flags_->begin(), debug_flags_->end()}, ",");
  s_.log->set_topics(debug_flag_bits(names));
  s_.log->info("DebugFlags are {} from now on", names.empty() ? "none" : names);
  for (const std::string& flag : wish.flags_on)
    if (debug_flag_bits(flag) == 0) s_.log->info("DebugFlags={}: nothing is logged for it", flag);
}

void Desk::shut_down(ReplyTo to, const Peer& peer, const Frame& frame) {
  Shutdown shutdown;
  if (!read(to, frame, shutdown)) return;
  if (!s_.directory->caller(peer, wall_clock()).administrator)
    return deny(to, ym::refuse(Errc::AccessDenied).error());
  answer(to, Done{});
  if (!shutdown.controller_only)
    for (ConnectionId node : s_.requests->node_connections())
      answer({.connection = node}, Shutdown{});
  s_.shut_down(shutdown.controller_only);
}

// Only a slurmd that holds the cluster's key, or root or SlurmUser, speaks for a node
// (permissions.cc).
void Desk::node_report(ReplyTo to, const Peer& peer, const Frame& frame) {
  NodeReport report;
  if (!read(to, frame, report)) return;
  View view = s_.published->view();
  const Node* node = view.state.find_node(report.node);
  if (!node) {
    s_.log->error("{} says that it is node {}, which is not configured", peer.address,
                  printable(report.node));
    deny(to, ym::refuse(Errc::InvalidNodeName, report.node).error());
    return s_.server->close(to.connection, "this node is not configured");
  }
  if (Status may = s_.trust->admits(report.node); !may) {
    s_.log->error("{} is refused as node {}: {}", peer.address, report.node, may.error().text);
    return s_.server->close(to.connection, may.error().text);
  }
  if (!report.complete && s_.requests->connection_of(report.node) != to.connection)
    return s_.server->close(to.connection, "say everything first");
  s_.published->set_load(node->id, {report.cpu_load, report.free_memory_mb});
  s_.published->set_cpu_ids(node->id, report.attempts);
  if (report.complete) {
    s_.log->info("node {} connected from {}", report.node, peer.address);
    s_.requests->node_connected(report.node, to.connection);
    if (s_.trust->on()) answer({.connection = to.connection}, s_.trust->news());
  }
  // A full report that the core has no room for must be said again: on a new connection it is.
  bool complete = report.complete;
  if (!s_.core->offer(NodeSpoke{std::move(report), to.connection.value}) && complete)
    s_.server->close(to.connection, "the controller is busy, come back later");
}

void Desk::deliver(JournalLoop::Work& work) {
  Batch& batch = work.batch;
  log_batch(*s_.log, batch);
  order_.note(batch.events);
  counts_.note(batch.events);
  answers_.note(batch.events, batch.state, monotonic_clock());
  order_.let_go(monotonic_clock());
  s_.published->set_state(batch.state);
  bool few = batch.replies.size() + batch.orders.size() <= kFew;
  Pace pace = few ? Pace::AtOnce : Pace::Gathered;
  for (Reply& reply : batch.replies) send_reply(reply, batch.state, pace);
  read_on();
  auto config = s_.published->config();
  std::vector<bool> down_the_tree =
      fan_out_.send(batch, work.routes, config->tree_width, config->message_timeout);
  for (std::size_t i = 0; i < batch.orders.size(); ++i)
    if (down_the_tree.empty() || !down_the_tree[i])
      send_order(batch.orders[i], work.routes[i], pace);
  for (ControllerProgram& program : batch.programs)
    s_.programs->run(std::move(program), *s_.published->view().config);
  for (SideProgram& program : batch.side_programs) s_.side_programs->run(std::move(program));
  std::vector<JobId> touched;
  for (const Event& event : batch.events)
    std::visit(
        [&]<class E>(const E& body) {
          if constexpr (std::is_same_v<E, JobStarted> || std::is_same_v<E, JobConfigured> ||
                        std::is_same_v<E, JobFinished> || std::is_same_v<E, JobNodeReleased> ||
                        std::is_same_v<E, JobForgotten>)
            touched.push_back(body.job);
          if constexpr (std::is_same_v<E, JobForgotten>) s_.published->forget_cpu_ids(body.job);
        },
        event.body);
  // Who waits for the array, or for all components, is told, too.
  for (std::size_t i = 0, own = touched.size(); i < own; ++i) {
    const Job* job = batch.state.find(touched[i]);
    if (job && job->array_job && job->array_job != job->id) touched.push_back(job->array_job);
    if (job && job->is_later_component()) touched.push_back(job->het_job);
  }
  if (!touched.empty()) {
    View view = s_.published->view();
    for (const Requests::Watch& watch : s_.requests->watching(touched)) {
      if (!watch_is_due(view.state, watch.watch)) continue;
      if (s_.requests->unwatch(watch)) answer_watch(watch, view);
    }
  }
  feed_followers(batch);
}

void Desk::refuse(Reply& reply) {
  if (std::optional<ReplyTo> to = s_.requests->close(reply.to))
    answer(*to, std::get<Failure>(reply.answer));
  read_on();
}

void Desk::read_on() {
  for (ConnectionId one : s_.requests->take_released()) s_.server->resume(one);
}

void Desk::send_reply(Reply& reply, const Snapshot& state, Pace pace) {
  std::optional<ReplyTo> to = s_.requests->close(reply.to);
  if (!to) return;
  if (auto* created = std::get_if<StepCreated>(&reply.answer)) sign(*created, state, {});
  if (auto* all = std::get_if<HetStepCreated>(&reply.answer)) sign(*all, state);
  std::visit([&](const auto& message) { answer(*to, message, pace); }, reply.answer);
}

// Every part is told of all: their tasks are one world.
void Desk::sign(HetStepCreated& all, const Snapshot& state) const {
  StepWorld world;
  std::vector<std::string> names;
  std::set<JobId> jobs;
  for (const StepCreated& part : all.parts) {
    world.tasks += part.step.tasks;
    world.shares.insert(world.shares.end(), part.step.shares.begin(), part.step.shares.end());
    for (const NodeAddress& node : part.nodes) world.node_names.push_back(node.name);
    if (const Job* job = state.find(part.job); job && jobs.insert(job->id).second)
      for (const NodeShare& share : job->allocation->nodes) {
        if (const Node* node = state.find(share.node)) names.push_back(node->spec->name);
        world.job_cpus.push_back(share.cpus);
      }
  }
  world.job_nodes = Hostlist::of(names).str();
  world.name = fmt::format("{}.{}", all.parts.front().job.value, all.parts.front().step.id.value);
  for (StepCreated& part : all.parts) {
    sign(part, state, world);
    world.first_node += static_cast<std::uint32_t>(part.nodes.size());
    world.first_task += part.step.tasks;
  }
}

void Desk::sign(StepCreated& created, const Snapshot& state, const StepWorld& world) const {
  const Job* job = state.find(created.job);
  if (!job) return;
  const JobSpec& spec = *job->spec;
  Instant now = wall_clock();
  StepCredential credential{.job = job->id,
                            .sluid = job->sluid,
                            .step = created.step,
                            .uid = spec.uid,
                            .gid = spec.gid,
                            .user_name = spec.user_name,
                            .account = spec.account,
                            .partition = spec.partitions,
                            .cluster = state.cluster_name,
                            .job_name = spec.name,
                            .qos = spec.qos,
                            .job_nodes = nodes_text(state, *job->allocation),
                            .array_job = job->array_job,
                            .array_task = job->array_task,
                            .issued = now,
                            .expires = now + kCredentialLife,
                            .work_dir = spec.work_dir,
                            .comment = spec.extras->comment,
                            .constraints = spec.extras->features,
                            .reservation = spec.extras->reservation,
                            .start = job->start,
                            .limit_end = job->limit_end,
                            .restarts = job->restarts,
                            .oom_kill_step = spec.extras->oom_kill_step,
                            .het_job = job->het_job,
                            .het_offset = job->het_offset,
                            .het_count = job->het_count,
                            .world = world};
  if (const Partition* partition = state.find(job->partition))
    credential.partition = partition->spec->name;
  credential.work_dir = spec.work_dir;
  credential.comment = spec.extras->comment;
  credential.constraints = spec.extras->features;
  credential.reservation = spec.extras->reservation;
  credential.start = job->start;
  credential.limit_end = job->limit_end;
  credential.restarts = job->restarts;
  for (const NodeShare& share : job->allocation->nodes) {
    credential.job_cpus.push_back(share.cpus);
    credential.memory_per_node_mb = share.memory_mb;
    credential.job_memory_mb.push_back(share.memory_mb);
  }
  credential.job_rows = job->allocation->rows();
  credential.job_gres = job->allocation->gres;
  for (const NodeAddress& node : created.nodes) credential.node_names.push_back(node.name);
  credential.step_nodes = Hostlist::of(credential.node_names).str();
  created.credential = wire::encode(credential);
  created.signature = sign_blob(*s_.keys->ring(), "step-credential", created.credential);
}

// A node that is not connected hears of it when it is again: its report will lack what the order
// wanted.
void Desk::send_order(Order& order, ConnectionId route, Pace pace) {
  // Of an interactive job its client is told, wherever that is.
  if (auto* notice = std::get_if<NotifyJob>(&order.message)) {
    std::vector<ConnectionId> owners = s_.requests->owners_of(notice->job);
    for (ConnectionId owner : owners)
      answer({.connection = owner}, OwnerNotice{.job = notice->job, .text = notice->text});
    if (!owners.empty()) return;
  }
  if (!route) return;
  if (auto* launch = std::get_if<LaunchJob>(&order.message); launch && !launch->prepare_only) {
    auto script = s_.journal->blobs().get(launch->spec->script_blob);
    auto environment = launch->spec->environment_blob.empty()
                           ? Result<std::string>("")
                           : s_.journal->blobs().get(launch->spec->environment_blob);
    if (!script || !environment) {
      s_.log->error("job {}: its script is damaged: {}", launch->job.value,
                    script ? environment.error().text : script.error().text);
      return;
    }
    launch->script = std::move(*script);
    launch->environment = std::move(*environment);
  }
  std::visit([&](const auto& message) { answer({.connection = route}, message, pace); },
             order.message);
}

}  // namespace ym
