// SPDX-License-Identifier: Apache-2.0
// What comes in over the network: the controller's orders, and srun's wishes.
#include <sys/socket.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "base/format.h"
#include "daemon/launch/containment_order.h"
#include "daemon/slurmd/node_daemon.h"
#include "model/node_gres.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kRefusalLinger = std::chrono::seconds(2);

// The address of srun without its port, as tasks are told it.
std::string launcher_address(const Peer& peer) {
  if (peer.kind == PeerKind::Unix || peer.address.starts_with("unix")) return "127.0.0.1";
  return peer.address.substr(0, peer.address.rfind(':'));
}

template <class T>
bool is(const Frame& frame) {
  return frame.header.type == wire::message_number<T>;
}

}  // namespace

void NodeDaemon::on_controller_frames(const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    agent::Outbox out;
    on_controller_frame(frame, out);
    obey(std::move(out));
  }
}

void NodeDaemon::on_controller_frame(const Frame& frame, agent::Outbox& out) {
  auto with = [&]<class T>(std::type_identity<T>, auto&& act) {
    if (!is<T>(frame)) return false;
    auto message = wire::decode<T>(frame.payload);
    if (message)
      act(*message);
    else
      log_.error("a message {} of the controller makes no sense: {}", frame.header.type,
                 message.error().text);
    return true;
  };
  bool known =
      with(std::type_identity<LaunchJob>(),
           [&](const LaunchJob& one) { agent_.handle(one, out); }) ||
      with(std::type_identity<KillJob>(),
           [&](const KillJob& one) {
             if (!agent_.revoked(one.sluid)) revoked_.note(one.sluid, wall_clock());
             agent_.handle(one, agent_time(), out);
           }) ||
      with(std::type_identity<SignalJob>(),
           [&](const SignalJob& one) { agent_.handle(one, out); }) ||
      with(std::type_identity<SuspendJob>(),
           [&](const SuspendJob& one) { agent_.handle(one, out); }) ||
      with(std::type_identity<LimitMemory>(),
           [&](const LimitMemory& one) { agent_.handle(one, out); }) ||
      with(std::type_identity<ForgetAttempts>(),
           [&](const ForgetAttempts& one) { agent_.handle(one, out); }) ||
      with(std::type_identity<RebootNode>(),
           [&](const RebootNode& one) {
             reboot_.order(loaded_.config.reboot_program, one.asked);
           }) ||
      with(std::type_identity<NotifyJob>(),
           [&](const NotifyJob& one) {
             auto told = shepherds_.send(one.sluid, kBatchStep,
                                         {.kind = ControlKind::Signal, .notice = one.text + "\n"});
             if (!told) log_.verbose("words for job {}: {}", one.job.value, told.error().text);
           }) ||
      with(std::type_identity<SetDebug>(),
           [&](const SetDebug& one) {
             if (auto level = parse_log_level(one.level)) log_.set_level(*level);
           }) ||
      with(std::type_identity<NodeRows>(),
           [&](const NodeRows& one) {
             if (one.rows.size() == 1) health_.take_state(one.rows.front().node);
           }) ||
      with(std::type_identity<Shutdown>(),
           [&](const Shutdown&) {
             log_.info("the controller asks us to stop");
             stop();
           }) ||
      with(std::type_identity<TreeOrder>(),
           [&](const TreeOrder& one) {
             TreeOrder order = one;
             order.uid = Uid{0};  // the controller may do anything
             carry_out(std::move(order), [this, header = frame.header](TreeAnswers all) {
               link_->send(
                   {.type = wire::message_number<TreeAnswers>, .correlation = header.correlation},
                   encode_answers(std::move(all)));
             });
           }) ||
      with(std::type_identity<Reconfigure>(), [&](const Reconfigure&) {
        if (on_reconfigure_) on_reconfigure_();
      });
  if (!known && !on_certificate_frame(frame))
    log_.debug("message {} of the controller is not for us", frame.header.type);
}

void NodeDaemon::on_client_frames(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  const Frame& first = frames.front();
  if (is<LaunchTasks>(first)) return launch_tasks(from, peer, std::move(frames));
  if (is<TreeOrder>(first)) return take_tree_order(from, peer, first);
  if (is<ResumeStream>(first)) return resume_stream(from, peer, std::move(frames));
  if (is<AttachStep>(first)) return attach_step(from, peer, std::move(frames));
  if (is<BcastChunk>(first)) return receive_file(from, peer, std::move(frames));
  if (is<OpenX11>(first)) return open_x11(from, peer, std::move(frames));
  if (is<Ping>(first)) {
    server_->send(from,
                  {.type = wire::message_number<Pong>, .correlation = first.header.correlation},
                  wire::encode(pong()));
    return;
  }
  if (is<ControllerLeads>(first)) return follow_leader(from, peer, first);
  if (is<QueryStepsHere>(first)) return query_steps_here(from, peer, first);
  if (is<GetToken>(first)) return give_token(from, peer, first);
  server_->close(from, fmt::format("slurmd knows no message {}", first.header.type));
}

// Another controller leads, and calls: whoever we are connected to is a predecessor, that may be
// stuck. Only a controller has such a token, and we go to none that slurm.conf does not name.
void NodeDaemon::follow_leader(ConnectionId from, const Peer& peer, const Frame& frame) {
  auto news = wire::decode<ControllerLeads>(frame.payload);
  bool genuine = peer.kind == PeerKind::Token && peer.role == "controller";
  server_->close(from, "");
  if (!news || !genuine || news->epoch < last_epoch_) return;
  last_epoch_ = news->epoch;
  const auto& all = loaded_.config.controllers;
  if (!link_ || news->index >= all.size() || all[news->index].name != news->name) return;
  if (addresses_.size() < all.size()) return;
  // Sockets of this machine come first.
  std::size_t at = addresses_.size() - all.size() + news->index;
  log_.info("{} leads and calls: epoch {}", news->name, news->epoch);
  link_->move_to(at);
}

Pong NodeDaemon::pong() const {
  return {.host = host_name(),
          .mode = "slurmd",
          .version = YM_SLURM_VERSION,
          .cluster = loaded_.config.cluster_name,
          .started = started_};
}

// For a user of this machine whose commands reach the controller over the network only.
void NodeDaemon::give_token(ConnectionId to, const Peer& peer, const Frame& frame) {
  auto request = wire::decode<GetToken>(frame.payload);
  auto user = user_by_uid(peer.uid);
  if (!request || !user || peer.kind != PeerKind::Unix)
    return server_->close(to, "no token: only a known user of this machine gets one");
  if (Status ok = token_rate_.ask(peer.uid, monotonic_clock()); !ok) {
    server_->send(to,
                  {.type = wire::message_number<Failure>, .correlation = frame.header.correlation},
                  wire::encode(Failure{.code = ok.error().code, .text = ok.error().text}));
    return;
  }
  Duration life = std::chrono::seconds(request->lifespan_s);
  // Root can read the key itself.
  if (peer.uid != 0) life = std::min(life, kLocalTokenLifeMax);
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
  server_->send(to, {.type = wire::message_number<Token>, .correlation = frame.header.correlation},
                wire::encode(Token{.text = std::move(*token)}));
}

void NodeDaemon::refuse(ConnectionId to, const std::string& text) {
  server_->send(to, {.type = wire::message_number<StepOver>, .correlation = 1},
                wire::encode(StepOver{.error = text}));
  server_->close(to, {});
}

void NodeDaemon::refuse_stream(Shepherds::Connection connection, const std::string& text) {
  if (!connection.fd) return;
  std::string bytes;
  append_frame(bytes, {.type = wire::message_number<StepOver>, .correlation = 1},
               wire::encode(StepOver{.error = text}));
  [[maybe_unused]] ssize_t wrote =
      ::send(connection.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  // Closed at once, with something of srun's unread, it would be reset and the text lost.
  auto held = std::make_shared<Fd>(std::move(connection.fd));
  loop_.after(kRefusalLinger, [held] { *held = Fd(); });
}

Result<StepCredential> NodeDaemon::open_credential(const std::string& credential,
                                                   const std::string& signature) const {
  Status genuine = verify_blob(*keys_.ring(), "step-credential", credential, signature,
                               {.now = wall_clock(), .skew = authenticator_.skew()});
  auto invalid = [this](std::string_view why) {
    log_.error("a credential is not valid: {}", why);
    return fail("Invalid job credential");
  };
  if (!genuine) return invalid(genuine.error().text);
  auto opened = wire::decode<StepCredential>(credential);
  if (!opened) return invalid("it makes no sense");
  if (!opened->cluster.empty() && opened->cluster != loaded_.config.cluster_name)
    return invalid("it is of another cluster");
  return opened;
}

Result<ShepherdOrder> NodeDaemon::order_for(const LaunchTasks& request, const Peer& peer) const {
  auto credential = open_credential(request.credential, request.signature);
  if (!credential) return std::unexpected(credential.error());
  // A job's credential lets files through, and starts nothing.
  if (credential->step.id == kExternStep) return fail("Invalid job credential");
  auto share = check_credential(*credential, node_.name, peer.uid,
                                {.now = wall_clock(), .skew = authenticator_.skew()});
  if (!share) return std::unexpected(share.error());
  if (share->tasks > loaded_.config.max_tasks_per_node) {
    return fail(fmt::format("{} tasks are more than MaxTasksPerNode={}", share->tasks,
                            loaded_.config.max_tasks_per_node));
  }
  auto facts = facts_for(credential->uid.value, credential->gid.value);
  if (!facts) return std::unexpected(facts.error());
  facts->launcher = launcher_address(peer);
  auto order = step_order(request, *credential, *share, *facts);
  if (order) set_containment(*order, request, *credential, *share, loaded_.config);
  if (order) show_display(*order);
  return order;
}

void NodeDaemon::take_connection(ConnectionId from, std::vector<Frame> frames,
                                 std::function<void(Shepherds::Connection)> done) {
  std::string early;
  for (std::size_t n = 1; n < frames.size(); ++n)
    append_frame(early, frames[n].header, frames[n].payload);
  server_->detach(
      from, [this, early = std::move(early), done = std::move(done)](Result<Detached> detached) {
        if (!detached) {
          log_.verbose("srun hung up: {}", detached.error().text);
          return;
        }
        done({.fd = Fd(detached->fd), .residual = early + detached->residual});
      });
}

Result<NodeDaemon::PendingStep> NodeDaemon::judge_launch(const std::string& payload,
                                                         const Peer& peer) const {
  auto request = wire::decode<LaunchTasks>(payload);
  if (request && request->mpi.empty())
    request->mpi = request->external_launcher ? "none" : loaded_.config.mpi_default;
  auto order = request ? order_for(*request, peer) : std::unexpected(request.error());
  if (!order) {
    log_.error("refused a step of {}: {}", peer.address, order.error().text);
    return std::unexpected(order.error());
  }
  auto credential = *wire::decode<StepCredential>(request->credential);
  PendingStep step{.order = std::move(*order),
                   .connection = {},
                   .cpus = cpu_wish(credential, request->binding, node_.name),
                   .facts = {}};
  if (wants_job_facts()) step.facts = job_facts(credential);
  auto share = check_credential(credential, node_.name, peer.uid,
                                {.now = wall_clock(), .skew = authenticator_.skew()});
  if (share)
    step.gres = {.job = gres_on(*credential.job_gres, share->node),
                 .mine = gres_on(*credential.step.gres, share->node),
                 .step = true,
                 .bind = request->tres_bind};
  if (step.facts) step.facts->gres = step.gres.job;
  return step;
}

// The agent judges first: what it refuses must not replace the order of a step that runs.
Status NodeDaemon::begin_step(PendingStep& step) {
  Key key{step.order.sluid, step.order.step};
  if (pending_.contains(key)) return fail("this step is being launched here already");
  JobId job = step.order.job;
  PendingStep& kept = pending_[key] = std::move(step);
  agent::Outbox out;
  if (auto taken = agent_.launch_step(job, key.first, key.second, out); !taken) {
    step = std::move(kept);
    pending_.erase(key);
    return taken;
  }
  obey(std::move(out));
  return {};
}

void NodeDaemon::launch_tasks(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  auto step = judge_launch(frames.front().payload, peer);
  if (!step) return refuse(from, step.error().text);
  auto held = std::make_shared<PendingStep>(std::move(*step));
  take_connection(from, std::move(frames), [this, held](Shepherds::Connection connection) {
    held->connection = std::move(connection);
    if (Status begun = begin_step(*held); !begun)
      refuse_stream(std::move(held->connection), begun.error().text);
  });
}

}  // namespace ym
