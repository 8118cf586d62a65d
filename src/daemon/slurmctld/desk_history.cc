// SPDX-License-Identifier: Apache-2.0
// Questions of sacct, sdiag, strigger and scrontab: answered from the published view, without the
// core.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "controller/queries/steps.h"
#include "daemon/slurmctld/desk_impl.h"
#include "daemon/slurmctld/permissions.h"
#include "os/users.h"

namespace ym {
namespace {

// What a kind of message is in Slurm's words.
std::string_view name_of_kind(std::uint32_t number) {
  const Permission* known = permission_for(static_cast<std::uint16_t>(number));
  return known ? known->name : "OTHER";
}

constexpr std::size_t kHistoryRowsPerFrame = 100;
constexpr std::size_t kPortion = 512 * 1024;

}  // namespace

void Desk::query_history(ReplyTo to, const Peer& peer, const Frame& frame) {
  Listing listing{
      .view = s_.published->view(), .query = {}, .correlation = to.correlation, .next = {}};
  listing.viewer = viewer_of_jobs(listing.view, peer);
  QueryHistory query;
  if (!read(to, frame, query)) return;
  listing.history = std::move(query);
  list(to.connection, peer, std::move(listing));
}

// As list_some() does it for squeue.
bool Desk::list_history(ConnectionId connection, Listing& listing) {
  const State& state = listing.view.state;
  const QueryHistory& query = *listing.history;
  const Instant now = wall_clock();
  const PriorityScale scale = scale_of(listing.view);
  HistoryRows rows;
  JobId frame_begin = listing.next;
  auto send = [&](bool more) {
    std::uint16_t flags = more ? wire::kFlagMore : std::uint16_t{0};
    FrameHeader header{.type = wire::message_number<HistoryRows>,
                       .flags = flags,
                       .correlation = listing.correlation};
    SendResult result =
        s_.server->send(connection, header, wire::encode(rows), WhenFull::Refuse, kPortion);
    rows.rows.clear();
    return result;
  };
  bool full = false;
  auto visit = [&](const Job& job) {
    if (!was_there(job, query.since, query.until)) return true;
    if (!listing.shows(job)) return true;
    if (rows.rows.empty()) frame_begin = job.id;
    HistoryRow& row = rows.rows.emplace_back();
    row.job = job_row(state, job, *listing.view.verdicts, now);
    row.job.largest_bills = listing.view.config->priority.max_tres;
    if (scale.rules.counts()) count_priority(row.job, state, job, now, scale);
    row.job.job.ended_steps = {};  // they are among the steps
    if (query.steps) row.steps = all_step_rows(state, job);
    if (rows.rows.size() < kHistoryRowsPerFrame) return true;
    full = send(true) == SendResult::Full;
    if (!full) frame_begin = JobId{job.id.value + 1};
    return !full;
  };
  for_each_selected(state, query.filter, visit, listing.next);
  if (!full) full = send(false) == SendResult::Full;
  listing.next = frame_begin;
  return full;
}

namespace {

// What passes of the planner found, and what they took.
template <class Add>
void add_passes(const PlanTimes& plans, const PlanStarts& starts, Add&& add) {
  add("plans", plans.count);
  add("plan_last_us", plans.last_us);
  add("plan_max_us", plans.max_us);
  add("plan_total_us", plans.total_us);
  add("full_plans", plans.full);
  add("full_plan_last_us", plans.full_last_us);
  add("full_plan_max_us", plans.full_max_us);
  add("full_plan_total_us", plans.full_total_us);
  add("depth_last", plans.depth_last);
  add("depth_total", plans.depth_total);
  add("full_depth_last", plans.full_depth_last);
  add("full_depth_total", plans.full_depth_total);
  add("promised_total", plans.tally.promised);
  add("full_started_ever", starts.full);
  add("full_components_ever", starts.components);
  add("full_started", plans.full_tally.started);
  add("full_at", static_cast<std::uint64_t>(plans.full_at.unix_seconds()));
  add("full_queue_last", plans.full_last.waiting);
  add("full_queue_total", plans.queue_total);
  add("full_promised_last", plans.full_last.promised);
  add("full_promised_total", plans.full_tally.promised);
  constexpr std::array<const char*, kPlanExits> kExits = {"end", "starts_max", "promises_max",
                                                          "out_of_time"};
  for (std::size_t i = 0; i < kPlanExits; ++i) {
    add(fmt::format("quick_exit_{}", kExits[i]).c_str(), plans.quick_exits[i]);
    add(fmt::format("full_exit_{}", kExits[i]).c_str(), plans.full_exits[i]);
  }
  constexpr std::array<const char*, kPlanQuestions> kNames = {"turn_us", "now_us", "when_us",
                                                              "preempt_us"};
  for (std::size_t i = 0; i < kPlanQuestions; ++i)
    add(kNames[i], static_cast<std::uint64_t>(plans.tally.took[i].count() / 1000));
}

}  // namespace

void Desk::query_statistics(ReplyTo to, const Peer& peer, const Frame& frame) {
  QueryStatistics query;
  if (!read(to, frame, query)) return;
  if (query.reset) {
    if (!s_.directory->caller(peer, wall_clock()).administrator)
      return deny(to, ym::refuse(Errc::AccessDenied).error());
    counts_.reset(wall_clock());
    s_.published->reset_plans();
    return answer(to, Statistics{});
  }
  // Counting is O(jobs): not on a thread that others wait for.
  long_answers_.begin(to.connection, peer.uid, [this, to] {
    answer(to, statistics());
    return false;
  });
  long_answers_.go_on(to.connection);
}

Statistics Desk::statistics() {
  View view = s_.published->view();
  const CoreLoop::Counters& c = s_.core->counters();
  Statistics statistics{.values = {}, .by_kind = counts_.by_kind(), .by_user = counts_.by_user()};
  for (MessageCount& one : statistics.by_kind) one.name = name_of_kind(one.number);
  for (MessageCount& one : statistics.by_user)
    if (auto user = user_by_uid(one.number)) one.name = user->name;
  auto add = [&](const char* key, std::uint64_t value) {
    statistics.values.push_back({key, std::to_string(value)});
  };
  add("jobs", view.state.jobs.size());
  add("nodes", view.state.nodes.size());
  add("sequence", view.state.seq.value);
  add("inputs", c.inputs);
  add("batches", c.batches);
  add("events", c.events);
  add_passes(s_.published->plans(), s_.published->starts(), add);
  MessageCounts::Jobs jobs = counts_.jobs();
  add("jobs_submitted", jobs.submitted);
  add("jobs_started", jobs.started);
  add("jobs_completed", jobs.completed);
  add("jobs_canceled", jobs.canceled);
  add("jobs_failed", jobs.failed);
  add("starts_proposed", c.started);
  add("starts_refused", c.started - std::min(c.started, c.committed));
  add("connections", s_.server->connection_count());
  add("started", static_cast<std::uint64_t>(s_.started.unix_seconds()));
  Instant since = counts_.since() ? counts_.since() : s_.started;
  add("since", static_cast<std::uint64_t>(since.unix_seconds()));
  std::uint64_t pending = 0, running = 0;
  std::map<Reason, std::uint64_t> reasons;
  Instant now = wall_clock();
  view.state.jobs.for_each([&](std::uint64_t, const Job& job) {
    running += job.state == JobState::Running;
    if (job.state != JobState::Pending) return;
    ++pending;
    ++reasons[reason_of(job, *view.verdicts, now)];
  });
  add("pending", pending);
  add("running", running);
  for (const auto& [reason, waiting] : reasons)
    statistics.values.push_back(
        {fmt::format("reason_{}", name_of(reason)), std::to_string(waiting)});
  return statistics;
}

// Everybody sees everybody's, as in Slurm.
void Desk::query_triggers(ReplyTo to, const Peer&, const Frame& frame) {
  QueryTriggers query;
  if (!read(to, frame, query)) return;
  TriggerRows rows;
  s_.published->view().state.triggers.for_each([&](std::uint64_t, const Trigger& one) {
    if (query.trigger && query.trigger != one.id) return;
    if (query.job && query.job != one.job) return;
    if (!query.user.empty() && query.user != one.user_name &&
        parse_unsigned<std::uint32_t>(query.user) != one.uid.value)
      return;
    rows.rows.push_back(one);
  });
  answer(to, rows);
}

// The caller's own, or somebody's if an administrator asks.
void Desk::get_crontab(ReplyTo to, const Peer& peer, const Frame& frame) {
  GetCrontab get;
  if (!read(to, frame, get)) return;
  Caller caller = s_.directory->caller(peer, wall_clock());
  std::uint32_t uid = caller.uid.value;
  if (!get.user.empty()) {
    auto user = user_by_name(get.user);
    if (!user) return deny(to, ym::refuse(Errc::InvalidUserId).error());
    uid = user->uid;
  }
  if (uid != caller.uid.value && !caller.administrator)
    return deny(to, ym::refuse(Errc::AccessDenied).error());
  View view = s_.published->view();
  auto at = view.state.crontabs->find(Uid{uid});
  answer(to, at == view.state.crontabs->end() ? Crontab{.uid = {uid}} : at->second);
}

}  // namespace ym
