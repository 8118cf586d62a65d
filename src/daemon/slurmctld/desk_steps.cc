// SPDX-License-Identifier: Apache-2.0
// Which steps are alive: answered from the published view, without the core.
#include "controller/queries/select.h"
#include "controller/queries/steps.h"
#include "daemon/slurmctld/desk_impl.h"

namespace ym {
namespace {

constexpr std::size_t kStepRowsPerFrame = 100;

}  // namespace

void Desk::query_steps(ReplyTo to, const Peer& peer, const Frame& frame) {
  Listing listing{
      .view = s_.published->view(), .query = {}, .correlation = to.correlation, .next = {}};
  listing.viewer = viewer_of_jobs(listing.view, peer);
  QuerySteps query;
  if (!read(to, frame, query)) return;
  if (query.hide) listing.unseen = unseen_partitions(listing.view, peer);
  if (query.job && records_of(listing.view.state, {.job = *query.job}).empty())
    return deny(to, ym::refuse(Errc::InvalidJobId).error());
  listing.steps = query;
  list(to.connection, peer, std::move(listing));
}

// As list_some() does it for jobs. A job's steps go into one frame.
bool Desk::list_steps(ConnectionId connection, Listing& listing) {
  const State& state = listing.view.state;
  StepRows rows;
  JobId frame_begin = listing.next;
  auto send = [&](bool more) {
    std::uint16_t flags = more ? wire::kFlagMore : std::uint16_t{0};
    FrameHeader header{
        .type = wire::message_number<StepRows>, .flags = flags, .correlation = listing.correlation};
    SendResult result = s_.server->send(connection, header, wire::encode(rows), WhenFull::Refuse);
    rows.rows.clear();
    return result;
  };
  bool full = false;
  auto visit = [&](const Job& job) {
    if (!listing.shows(job)) return true;
    if (rows.rows.empty()) frame_begin = job.id;
    for (StepRow& row : step_rows(state, job, listing.steps->step))
      rows.rows.push_back(std::move(row));
    if (rows.rows.size() < kStepRowsPerFrame) return true;
    full = send(true) == SendResult::Full;
    if (!full) frame_begin = JobId{job.id.value + 1};
    return !full;
  };
  for_each_with_steps(state, *listing.steps, visit, listing.next);
  if (!full) full = send(false) == SendResult::Full;
  listing.next = frame_begin;
  return full;
}

// For what is to reach all nodes of a job without being one of its steps: files.
void Desk::job_credential(ReplyTo to, const Peer& peer, const Frame& frame) {
  GetJobCredential get;
  if (!read(to, frame, get)) return;
  View view = s_.published->view();
  const Job* job = view.state.find(get.job);
  if (!job) return deny(to, ym::refuse(Errc::InvalidJobId).error());
  Caller caller = s_.directory->caller(peer, wall_clock());
  if (!caller.administrator && caller.uid != job->spec->uid)
    return deny(to, ym::refuse(Errc::AccessDenied).error());
  if (job->state != JobState::Running || !job->allocation)
    return deny(to, ym::refuse(Errc::AlreadyDone, "the job is not running").error());
  StepCreated created{.job = job->id, .step = {.id = kExternStep, .name = "extern"}};
  for (const NodeShare& share : job->allocation->nodes) {
    const Node* node = view.state.find(share.node);
    if (!node) continue;
    created.step.shares.push_back({.node = share.node});
    created.nodes.push_back(address_of(*node));
  }
  sign(created, view.state, {});
  answer(to, created);
}

}  // namespace ym
