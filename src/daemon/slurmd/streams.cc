// SPDX-License-Identifier: Apache-2.0
// srun's streams on their way to the shepherd: after a lost connection, and for a launch that comes
// down the tree, perhaps later than its stream (docs/decisions/0009).
#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr std::size_t kResumeResidualMax = 64 << 10;
// Streams whose launch has not come yet: so many, and so long.
constexpr std::size_t kAwaitingMax = 1024;
constexpr Duration kAwaitPatience = std::chrono::seconds(60);
// Launches that failed before their stream came.
constexpr std::size_t kFailedMax = 1024;

}  // namespace

void NodeDaemon::resume_stream(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  auto request = wire::decode<ResumeStream>(frames.front().payload);
  if (!request) return refuse(from, request.error().text);
  if (awaiting_.size() >= kAwaitingMax)
    return refuse(from, "slurmd is busy: too many launches at once");
  take_connection(
      from, std::move(frames),
      [this, request = *request, uid = peer.uid](Shepherds::Connection connection) {
        join_stream(
            {.request = request, .uid = uid, .connection = std::move(connection), .timer = {}});
      });
}

void NodeDaemon::join_stream(AwaitingStream stream) {
  const ResumeStream& request = stream.request;
  auto refuse_it = [&](const std::string& text) {
    refuse_stream(std::move(stream.connection), text);
  };
  auto sluid = agent_.running_attempt(request.job, request.step);
  if (!sluid) {
    if (auto failed = failed_streams_.find(request.srun_id); failed != failed_streams_.end())
      return refuse_it(failed->second);
    return request.await_launch ? await_launch(std::move(stream)) : refuse_it("the step is over");
  }
  // Until its shepherd starts, the step waits here, perhaps for a prolog.
  auto pending = pending_.find({*sluid, request.step});
  bool waits = pending != pending_.end();
  auto order = waits ? Result<ShepherdOrder>(pending->second.order)
                     : spool_.read_order(*sluid, request.step);
  if (!order) return refuse_it("the step is over");
  if (stream.uid != 0 && stream.uid != order->uid)
    return refuse_it("the step belongs to another user");
  if (order->srun_id.empty() || order->srun_id != request.srun_id)
    return refuse_it("the step belongs to another srun");
  if (waits) {
    pending->second.connection = std::move(stream.connection);
    return;
  }
  if (stream.connection.residual.size() > kResumeResidualMax) return;
  ControlPacket packet{
      .kind = ControlKind::Resume, .srun_id = request.srun_id, .received = request.received};
  packet.residual = std::move(stream.connection.residual);
  auto sent = shepherds_.send(*sluid, request.step, packet, stream.connection.fd.get());
  if (!sent) log_.error("srun cannot take its step up again: {}", sent.error().text);
}

void NodeDaemon::await_launch(AwaitingStream stream) {
  std::uint64_t number = ++last_awaiting_;
  stream.timer = loop_.after(kAwaitPatience, [this, number] {
    auto at = awaiting_.find(number);
    if (at == awaiting_.end()) return;
    refuse_stream(std::move(at->second.connection), "the launch has not come");
    awaiting_.erase(at);
  });
  awaiting_.emplace(number, std::move(stream));
}

// None if it has not come: it finds the shepherd when it does.
Shepherds::Connection NodeDaemon::take_awaiting(const ShepherdOrder& order) {
  for (auto at = awaiting_.begin(); at != awaiting_.end(); ++at) {
    AwaitingStream& one = at->second;
    bool meant = one.request.job == order.job && one.request.step == order.step &&
                 one.request.srun_id == order.srun_id && (one.uid == 0 || one.uid == order.uid);
    if (!meant) continue;
    loop_.cancel(one.timer);
    Shepherds::Connection connection = std::move(one.connection);
    awaiting_.erase(at);
    return connection;
  }
  return {};
}

void NodeDaemon::refuse_step(PendingStep step, const std::string& text) {
  if (step.connection.fd) return refuse_stream(std::move(step.connection), text);
  if (failed_streams_.size() >= kFailedMax) failed_streams_.clear();
  if (!step.order.srun_id.empty()) failed_streams_[step.order.srun_id] = text;
}

}  // namespace ym
