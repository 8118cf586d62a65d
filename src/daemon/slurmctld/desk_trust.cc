// SPDX-License-Identifier: Apache-2.0
// Certificates: who gets one, who loses it, and who joins.
#include "daemon/slurmctld/desk.h"
#include "daemon/slurmctld/desk_impl.h"
#include "daemon/slurmctld/trust.h"
#include "net/join_token.h"
#include "os/files.h"

namespace ym {

// Nodes hold the cluster's key, which is what makes them nodes.
void Desk::request_certificate(ReplyTo to, const Peer& peer, const Frame& frame) {
  RequestCertificate wish;
  if (!read(to, frame, wish)) return;
  if (!s_.published->view().state.find_node(wish.node))
    return deny(to, ym::refuse(Errc::InvalidNodeName, wish.node).error());
  auto signed_one = s_.trust->sign(wish.node, wish.request);
  if (!signed_one) {
    s_.log->error("{} gets no certificate for {}: {}", peer.address, wish.node,
                  signed_one.error().text);
    return deny(to, signed_one.error());
  }
  s_.log->info("a certificate for node {}", wish.node);
  answer(to, CertificateIssued{.certificate = std::move(*signed_one)});
}

void Desk::join_cluster(ReplyTo to, const Peer& peer) {
  if (peer.role != "join") return deny(to, ym::refuse(Errc::AccessDenied).error());
  auto node = s_.trust->accept_guest(peer.user);
  if (!node) return deny(to, node.error());
  Joined joined;
  // What there is of both; the daemon's own ring was made of the same files.
  if (auto key = read_secret(s_.key_files().key, kPemMax)) joined.key = std::move(*key);
  if (auto set = read_secret(s_.key_files().jwks, kPemMax)) joined.jwks = std::move(*set);
  s_.log->info("{} joins the cluster as node {}", peer.address, *node);
  answer(to, joined);
}

void Desk::make_join_token(ReplyTo to, const Frame& frame) {
  MakeJoinToken wish;
  if (!read(to, frame, wish)) return;
  if (!s_.published->view().state.find_node(wish.node))
    return deny(to, ym::refuse(Errc::InvalidNodeName, wish.node).error());
  auto text = s_.trust->invite(wish.node, std::chrono::seconds(wish.lifespan_s));
  if (!text) return deny(to, text.error());
  s_.log->info("a join token for node {}, good for {} s", wish.node, wish.lifespan_s);
  answer(to, Token{.text = std::move(*text)});
}

void Desk::revoke_certificate(ReplyTo to, const Frame& frame) {
  RevokeCertificate wish;
  if (!read(to, frame, wish)) return;
  if (!wish.node.empty() && !s_.published->view().state.find_node(wish.node))
    return deny(to, ym::refuse(Errc::InvalidNodeName, wish.node).error());
  Status revoked =
      wish.node.empty() ? s_.trust->revoke_serial(wish.serial) : s_.trust->revoke_node(wish.node);
  if (!revoked) return deny(to, revoked.error());
  s_.log->info("revoked: {}{}", wish.node.empty() ? "serial " : "node ",
               wish.node.empty() ? wish.serial : wish.node);
  if (auto connection = s_.requests->connection_of(wish.node); !wish.node.empty() && connection)
    s_.server->close(*connection, "the certificates of this node were revoked");
  answer(to, Done{});
}

void Desk::query_trust(ReplyTo to) {
  TrustNews news = s_.trust->news();
  news.configured = s_.published->configured();
  answer(to, news);
}

void Desk::query_certificates(ReplyTo to) { answer(to, s_.trust->list()); }

void Desk::tell_trust() {
  TrustNews news = s_.trust->news();
  for (ConnectionId node : s_.requests->node_connections()) answer({.connection = node}, news);
}

}  // namespace ym
