// SPDX-License-Identifier: Apache-2.0
// sattach: somebody joins a step that runs here.
#include "daemon/slurmd/node_daemon.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr std::size_t kAttachResidualMax = 64 << 10;

}  // namespace

void NodeDaemon::attach_step(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  auto request = wire::decode<AttachStep>(frames.front().payload);
  if (!request) return refuse(from, request.error().text);
  auto sluid = agent_.running_attempt(request->job, request->step);
  auto order = sluid ? spool_.read_order(*sluid, request->step) : fail("");
  if (!order) return refuse(from, "Invalid job id specified: no such step runs on this node");
  if (peer.uid != 0 && peer.uid != order->uid) return refuse(from, "Access/permission denied");
  ControlPacket packet{.kind = ControlKind::Attach, .task = request->task, .input = request->input};
  take_connection(
      from, std::move(frames),
      [this, packet, key = Key{*sluid, request->step}](Shepherds::Connection connection) mutable {
        if (connection.residual.size() > kAttachResidualMax) return;
        packet.residual = std::move(connection.residual);
        auto sent = shepherds_.send(key.first, key.second, packet, connection.fd.get());
        if (!sent) log_.error("nobody can attach: {}", sent.error().text);
      });
}

}  // namespace ym
