// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/desk.h"

#include "daemon/slurmctld/debug_lines.h"
#include "daemon/slurmctld/desk_impl.h"
#include "daemon/slurmctld/permissions.h"
#include "daemon/slurmctld/trust.h"
#include "model/rate_limit.h"
#include "os/stopwatch.h"
#include "wire/backup_messages.h"
#include "wire/trust_query.h"

namespace ym {
namespace {

constexpr Duration kDeafFor{100};

}  // namespace

void Desk::on_frames(ConnectionId from, const Peer& peer, std::vector<Frame> frames) {
  for (Frame& frame : frames) on_frame(from, peer, frame);
}

void Desk::on_frame(ConnectionId from, const Peer& peer, Frame& frame) {
  std::uint16_t kind = frame.header.type;
  log_request(*s_.log, frame.header, frame.payload.size(), peer);
  auto begin = stopwatch();
  handle(from, peer, frame);
  counts_.note(kind, peer.uid, stopwatch() - begin);
}

void Desk::handle(ConnectionId from, const Peer& peer, Frame& frame) {
  using wire::message_number;
  ReplyTo to{.connection = from, .correlation = frame.header.correlation};
  // One who was stopped for long may have a successor by now: better no answer than an old one.
  if (s_.sure && !s_.sure())
    return deny(to, ym::refuse(Errc::InStandby, "not sure whether it leads").error());
  // Whoever has nothing but a join token is nobody yet.
  if (peer.role == "join" && frame.header.type != message_number<JoinCluster>)
    return deny(to, ym::refuse(Errc::AccessDenied).error());
  if (const Permission* rule = permission_for(frame.header.type)) {
    Caller caller = s_.directory->caller(peer, wall_clock());
    if (Status may = check_rate(peer, caller, rule->name); !may) return send_away(to);
    if (Status may = check_permission(*rule, peer, caller); !may) return deny(to, may.error());
  } else {
    return deny_unknown(to);
  }
  switch (frame.header.type) {
    case message_number<SubmitJob>: return submit(to, peer, frame);
    case message_number<AlterJobs>: return to_core<AlterJobs>(to, peer, frame);
    case message_number<CreateStep>: return to_core<CreateStep>(to, peer, frame);
    case message_number<CreateHetStep>: return to_core<CreateHetStep>(to, peer, frame);
    case message_number<UpdateStep>: return to_core<UpdateStep>(to, peer, frame);
    case message_number<CreateNodes>: return to_core<CreateNodes>(to, peer, frame);
    case message_number<DeleteNodes>: return to_core<DeleteNodes>(to, peer, frame);
    case message_number<SetDebug>: return set_debug(to, peer, frame);
    case message_number<UpdateNodes>: return to_core<UpdateNodes>(to, peer, frame);
    case message_number<RebootNodes>: return to_core<RebootNodes>(to, peer, frame);
    case message_number<UpdatePartition>: return to_core<UpdatePartition>(to, peer, frame);
    case message_number<UpdateReservation>: return change_reservation(to, peer, frame);
    case message_number<NodeReport>: return node_report(to, peer, frame);
    case message_number<QueryJobs>: return query_jobs(to, peer, frame);
    case message_number<QuerySteps>: return query_steps(to, peer, frame);
    case message_number<GetJobCredential>: return job_credential(to, peer, frame);
    case message_number<QueryNodes>: return query_nodes(to, peer, frame);
    case message_number<QueryPartitions>: return query_partitions(to, peer, frame);
    case message_number<QueryReservations>: return query_reservations(to, peer, frame);
    case message_number<QueryLicenses>: return query_licenses(to, frame);
    case message_number<QueryConfig>: return query_config(to);
    case message_number<QueryStatistics>: return query_statistics(to, peer, frame);
    case message_number<QueryHistory>: return query_history(to, peer, frame);
    case message_number<SetTrigger>: return set_trigger(to, peer, frame);
    case message_number<ClearTriggers>: return to_core<ClearTriggers>(to, peer, frame);
    case message_number<QueryTriggers>: return query_triggers(to, peer, frame);
    case message_number<UpdateCrontab>: return update_crontab(to, peer, frame);
    case message_number<GetCrontab>: return get_crontab(to, peer, frame);
    case message_number<WatchJob>: return watch_job(to, peer, frame);
    case message_number<QueryExplanation>: return query_explanation(to, peer, frame);
    case message_number<GetScript>: return get_script(to, peer, frame);
    case message_number<FollowEvents>: return follow_events(to, peer, frame);
    case message_number<FetchConfig>: return fetch_config(to);
    case message_number<GetToken>: return get_token(to, peer, frame);
    case message_number<RequestCertificate>: return request_certificate(to, peer, frame);
    case message_number<JoinCluster>: return join_cluster(to, peer);
    case message_number<MakeJoinToken>: return make_join_token(to, frame);
    case message_number<RevokeCertificate>: return revoke_certificate(to, frame);
    case message_number<QueryCertificates>: return query_certificates(to);
    case message_number<QueryTrust>: return query_trust(to);
    case message_number<Ping>: return ping(to);
    case message_number<TreeAnswers>: return fan_out_.answered(from, frame);
    case message_number<BackupState>: return back_up(to);
    case message_number<Reconfigure>: return reconfigure(to, peer, frame);
    case message_number<Shutdown>: return shut_down(to, peer, frame);
    case message_number<Takeover>: return answer(to, Done{.text = "this controller leads"});
    default: return deny_unknown(to);
  }
}

// Root, SlurmUser, administrators and the cluster's own nodes are not counted.
Status Desk::check_rate(const Peer& peer, const Caller& caller, std::string_view request) {
  if (caller.administrator || (peer.kind == PeerKind::Token && peer.role == "node")) return {};
  if (auto config = s_.published->config()) {
    std::lock_guard lock(admission_mutex_);
    if (limited_by_ != config) limiter_.set_rules(rate_rules_of(*config));
    limited_by_ = std::move(config);
  }
  RateLimiter::Verdict verdict = limiter_.ask(peer.uid, monotonic_clock());
  if (verdict == RateLimiter::Verdict::Pass) return {};
  if (verdict == RateLimiter::Verdict::BackOffAndSay)
    s_.log->info("RPC limit exceeded by uid {} with {}, telling to back off", peer.uid, request);
  return come_back_later();
}

void Desk::deny_unknown(ReplyTo to) {
  deny(to,
       ym::refuse(Errc::BadMessage, "a kind of message that this release does not know").error());
}

void Desk::on_close(ConnectionId connection) {
  {
    std::lock_guard lock(mutex_);
    followers_.erase(connection.value);
  }
  long_answers_.forget(connection);
  fan_out_.lost(connection);
  backups_.on_close(connection);
  for (JobId job : s_.requests->forget(connection)) s_.core->push(OwnerGone{job});
  if (auto node = s_.requests->node_disconnected(connection)) {
    s_.log->info("node {} disconnected", *node);
    s_.core->push(NodeDisconnected{*node, connection.value});
  }
}

void Desk::back_up(ReplyTo to) {
  if (Status begun = backups_.begin(to); !begun) deny(to, begun.error());
}

void Desk::send_away(ReplyTo to) {
  deny(to, come_back_later().error());
  {
    std::lock_guard lock(admission_mutex_);
    if (!sent_away_.insert(to.connection.value).second) return;
  }
  s_.server->pause(to.connection);
  s_.server->loop().post([this, id = to.connection] {
    s_.server->loop().after(kDeafFor, [this, id] {
      {
        std::lock_guard lock(admission_mutex_);
        sent_away_.erase(id.value);
      }
      s_.server->resume(id);
    });
  });
}

void Desk::deny(ReplyTo to, const Error& error) {
  answer(to, Failure{.code = error.code, .text = error.text});
}

}  // namespace ym
