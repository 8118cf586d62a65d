// SPDX-License-Identifier: Apache-2.0
// A file for this node and those behind it: checked here, written by a process of the user.
#include <span>

#include "base/format.h"
#include "daemon/slurmd/node_daemon.h"
#include "net/token.h"
#include "os/clock.h"
#include "os/environment.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kBcastTokenLife = std::chrono::minutes(30);

}  // namespace

void NodeDaemon::refuse_bcast(ConnectionId to, const Frame& frame, const std::string& text) {
  log_.error("refused a file: {}", text);
  NodeOutcomes outcomes{.outcomes = {{.node = node_.name, .error = text}}};
  server_->send(
      to, {.type = wire::message_number<NodeOutcomes>, .correlation = frame.header.correlation},
      wire::encode(outcomes));
  server_->close(to, {});
}

void NodeDaemon::receive_file(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  Frame first{.header = frames.front().header, .payload = {}};
  auto piece = wire::decode<BcastChunk>(frames.front().payload);
  if (!piece) return refuse_bcast(from, first, piece.error().text);
  auto credential = open_credential(piece->credential, piece->signature);
  if (!credential) return refuse_bcast(from, first, credential.error().text);
  if (agent_.revoked(credential->sluid)) return refuse_bcast(from, first, "Job credential revoked");
  auto share = check_credential(*credential, node_.name, peer.uid,
                                {.now = wall_clock(), .skew = authenticator_.skew()});
  if (!share) return refuse_bcast(from, first, share.error().text);
  auto facts = facts_for(credential->uid.value, credential->gid.value);
  if (!facts) return refuse_bcast(from, first, facts.error().text);
  auto token = sign_user_token(*keys_.ring(),
                               {.user = facts->user.name,
                                .uid = credential->uid.value,
                                .gid = credential->gid.value,
                                .cluster = loaded_.config.cluster_name,
                                .now = wall_clock(),
                                .life = kBcastTokenLife},
                               system_entropy());
  if (!token) return refuse_bcast(from, first, token.error().text);
  std::string groups;
  for (std::uint32_t group : facts->groups)
    groups += fmt::format("{}{}", groups.empty() ? "" : ",", group);
  std::vector<std::string> arguments = {"slurm-bcast",
                                        std::to_string(credential->uid.value),
                                        std::to_string(credential->gid.value),
                                        groups,
                                        node_.name,
                                        loaded_.config.cluster_name,
                                        !trust_.on()              ? "plain"
                                        : trust_.site_authority() ? "any"
                                                                  : "named",
                                        trust_.published()};
  // The process reads the first piece itself, from what was read already.
  frames.insert(frames.begin(), first);
  take_connection(
      from, std::move(frames), [this, arguments, token = *token](Shepherds::Connection connection) {
        auto started = shepherds_.run_aside({.program = program_folder() + "/slurm-bcast",
                                             .arguments = arguments,
                                             .connection = std::move(connection),
                                             .secret = token});
        if (!started) log_.error("cannot receive a file: {}", started.error().text);
      });
}

}  // namespace ym
