// SPDX-License-Identifier: Apache-2.0
// What a node says of itself, compared with what should be: launch what is missing, kill what
// should not be there, write down what ended. The same report twice changes nothing the second
// time.
#include <algorithm>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/nodes/shortcoming.h"
#include "model/errc.h"

namespace ym {
namespace {

constexpr std::string_view kSilent = "Not responding";
constexpr std::string_view kRebooted = "Node unexpectedly rebooted";

// Down until an administrator says otherwise. A reason of theirs stays.
NodeStateChanged unexpected_reboot(const Node& node) {
  bool told = !node.reason.empty() && node.reason != kSilent;
  return {.node = node.id,
          .condition = NodeCondition::Down,
          .drain = node.drain,
          .fail = node.fail,
          .down_by_admin = true,
          .reason = told ? node.reason : std::string(kRebooted),
          .by = told ? node.reason_uid : Uid{}};
}

}  // namespace

Status Controller::report(const NodeReport& report, Instant now, Outbox& out) {
  const Node* node = state_.find_node(report.node);
  if (!node) return refuse(Errc::InvalidNodeName, report.node);
  NodeId id = node->id;
  contacts_[id] = {.connected = true, .last_heard = now};
  // What is to be off may still say something before it is; unless it was started again by hand.
  bool again =
      report.complete && node->asleep() && report.registration.slurmd_start > node->power.since;
  if (node->switched_off() && !again) return {};
  bool woke = node->must_wake();
  // A sign of life from a node that was thought lost brings it back like a registration: on a
  // connection that never broke (the clock jumped) there will be no other.
  bool doubted =
      (!node->responding || node->condition == NodeCondition::Unknown) && !node->down_by_admin;
  bool rebooted = false, told_to_reboot = node->reboot.phase != RebootPhase::None;
  if (report.complete)
    rebooted = note_registration(*node, report.registration, now, out);
  else if (doubted && node->registration)
    note_registration(*node, NodeRegistration(*node->registration), now, out);
  else if (!node->responding)
    emit(NodeResponded{.node = id}, now, out);
  if (woke) woke_up(id, now, out);

  ForgetAttempts forget;
  std::set<Sluid> reported;
  // Steps first: with the end of its job a step that has not been told is over.
  for (const StepReport& step : report.ended_steps) note_step(id, step, now, out, forget);
  // Before its jobs: whether they come back may depend on it.
  if (!report.drain_reason.empty()) drain(id, report.drain_reason, now, out);
  for (const AttemptReport& attempt : report.attempts) {
    reported.insert(attempt.sluid);
    note_attempt(id, attempt, report.complete, now, out, forget);
    if (report.complete) remind_of_memory(id, attempt, out);
  }
  for (const MemoryReport& memory : report.memory) note_memory(id, memory, now, out);
  if (report.complete) note_missing(id, reported, rebooted, now, out);
  if (rebooted && told_to_reboot) stop_waiting_for(id, now, out);
  // Last, so that what ended before the reboot ends as it did.
  if (report.complete && !rebooted) repeat_reboot(id, out);
  if (rebooted && !told_to_reboot && config_.return_to_service != 2) {
    const Node& known = state_.nodes.at(id.value);
    bool was_up = known.condition == NodeCondition::Up;
    change_node(known, unexpected_reboot(known), now, out);
    if (was_up) lose_node(id, std::string(kRebooted), now, out);
  }
  if (!forget.attempts.empty() || !forget.steps.empty())
    out.orders.push_back({id, std::move(forget)});
  return {};
}

void Controller::disconnected(NodeId node, Instant now) {
  contacts_[node].connected = false;
  contacts_[node].last_heard = now;
}

namespace {

// The boot's own id is proof. The time of boot is none where there is an id: it is the clock less
// the uptime, so it moves when the clock is set.
bool has_booted(const NodeRegistration& before, const NodeRegistration& now) {
  if (!before.boot_id.empty() && !now.boot_id.empty()) return before.boot_id != now.boot_id;
  return before.boot_time && now.boot_time > before.boot_time;
}

}  // namespace

bool Controller::note_registration(const Node& node, const NodeRegistration& registration,
                                   Instant now, Outbox& out) {
  NodeId id = node.id;
  // That a node that was switched on has booted goes without saying.
  bool rebooted = !node.must_wake() && has_booted(*node.registration, registration);
  if (!(node.registration->gres == registration.gres)) can_ever_run_.clear();
  if (!(*node.registration == registration) || !node.responding)
    emit(NodeRegistered{.node = id, .registration = Ref(registration)}, now, out);
  const Node& known = state_.nodes.at(id.value);
  NodeStateChanged change{.node = id,
                          .condition = known.condition,
                          .drain = known.drain,
                          .fail = known.fail,
                          .down_by_admin = known.down_by_admin,
                          .reason = known.reason,
                          .by = known.reason_uid};
  bool told_to_reboot = rebooted && known.reboot.phase != RebootPhase::None;
  bool stays_down = told_to_reboot && known.reboot.next == RebootNext::Down;
  if (told_to_reboot) after_reboot(known, change);
  std::string low = shortcoming(*known.spec, registration, config_.config_overrides);
  if (!low.empty()) {
    change.drain = true;
    if (change.reason.empty()) change.reason = low;
  }
  bool may_return = config_.return_to_service == 2 ||
                    (config_.return_to_service == 1 && !known.down_by_admin && !rebooted);
  if (change.condition == NodeCondition::Unknown) change.condition = NodeCondition::Up;
  if (change.condition == NodeCondition::Down && may_return && !stays_down) {
    change.condition = NodeCondition::Up;
    change.down_by_admin = false;
    if (!change.drain) change.reason.clear();
  }
  if (told_to_reboot) emit(NodeRebootChanged{.node = id}, now, out);
  change_node(state_.nodes.at(id.value), change, now, out);
  if (stays_down) lose_node(id, change.reason, now, out);
  return rebooted;
}

void Controller::note_attempt(NodeId node, const AttemptReport& attempt, bool complete, Instant now,
                              Outbox& out, ForgetAttempts& forget) {
  const Job* job = state_.find(attempt.job);
  // A node that was given up and comes back while the job's other nodes are still completing is not
  // waited for any more.
  bool current = job && job->sluid == attempt.sluid && indexes_.on_node(node).contains(job->id);
  bool clean = attempt.phase == AttemptPhase::Clean;
  if (!current) {  // an attempt of the past, or of a job that this controller never had
    if (clean)
      forget.attempts.push_back(attempt.sluid);
    else
      out.orders.push_back({node, KillJob{.job = attempt.job, .sluid = attempt.sluid}});
    return;
  }
  JobId id = job->id;
  if (!job->completing() && leaves(*job, node)) {
    if (!clean) return order_kill(*job, node, config_.kill_wait, out);
    release_node(id, node, now, out);
    forget.attempts.push_back(attempt.sluid);
    return;
  }
  bool suspended = job->state == JobState::Suspended;
  bool runs = job->state == JobState::Running || suspended;
  // A restarted slurmd does not know what it had frozen, so a job that was suspended once is told
  // to go on with each complete report.
  bool doubtful = complete && !suspended && job->suspended_for > Duration(0);
  if (runs && !clean && (attempt.suspended != suspended || doubtful))
    order_suspension(*job, node, out);
  if (attempt.prolog_failed)
    prolog_failed(id, node, now, out);
  else if (attempt.prepared && !preparing_.empty())
    node_prepared(id, node, now, out);
  const Job& present = state_.jobs.at(id.value);
  if ((present.state == JobState::Running || present.state == JobState::Suspended) &&
      attempt.batch) {
    if (!present.launched) emit(JobLaunched{.job = id}, now, out);
    if (attempt.launch_failed) {  // the node says by itself whether it wants more work
      fail_start(id, Reason::LaunchFailedRequeuedHeld, true, now, out);
    } else if (attempt.batch_ended) {
      bool ok = attempt.exit.ok() && attempt.error.empty();
      Ending ending{.state = ok ? JobState::Completed : JobState::Failed, .exit = attempt.exit};
      end_batch_step(id, attempt, now, out);
      if (!ok) ending.reason = attempt.exit.signal ? Reason::RaisedSignal : Reason::NonZeroExitCode;
      if (!attempt.error.empty()) ending.reason = Reason::JobLaunchFailure;
      if (attempt.out_of_memory)
        ending = {
            .state = JobState::OutOfMemory, .reason = Reason::OutOfMemory, .exit = attempt.exit};
      ending.grace = config_.kill_wait;
      finish(id, ending, now, out);
    }
  }
  const Job& after = state_.jobs.at(id.value);
  if (!after.completing()) return;
  auto kills_it = [&](const Order& order) {
    const auto* kill = std::get_if<KillJob>(&order.message);
    return kill && order.node == node && kill->sluid == attempt.sluid;
  };
  if (clean) {
    // Unless the job ended because its script did: then it was told above.
    bool ended_from_outside = after.state != JobState::Completed &&
                              after.state != JobState::Failed &&
                              after.state != JobState::OutOfMemory;
    if (ended_from_outside) end_batch_step(id, attempt, now, out);
    std::erase_if(out.orders, kills_it);  // finish() asked for what this report already says
    release_node(id, node, now, out);
    forget.attempts.push_back(attempt.sluid);
  } else if (!std::ranges::any_of(out.orders, kills_it)) {
    order_kill(after, node, config_.kill_wait, out);
  }
}

// A complete report lacks jobs that should be there: launch what never arrived, give up what was
// there and is gone.
void Controller::note_missing(NodeId node, const std::set<Sluid>& reported, bool rebooted,
                              Instant now, Outbox& out) {
  std::set<JobId> expected = indexes_.on_node(node);
  for (JobId id : expected) {
    const Job* job = state_.find(id);
    if (!job || reported.contains(job->sluid)) continue;
    if (job->completing() || leaves(*job, node)) {
      // An epilog runs on every node, whether or not the job was seen there.
      if (config_.epilog.empty() || rebooted)
        release_node(id, node, now, out);
      else
        order_kill(*job, node, config_.kill_wait, out);
      continue;
    }
    // It has booted for this job, which has not begun.
    if (auto at = waking_.find(id); at != waking_.end() && at->second.contains(node)) continue;
    bool batch_host = job->runs_script() && job->allocation->batch_share().node == node;
    if (!batch_host) continue;
    // After a reboot nobody can say whether an unconfirmed launch had arrived: it may have run, so
    // this attempt is over.
    if (!job->launched && !rebooted) {
      bool sent = std::ranges::any_of(out.orders, [&](const Order& order) {
        const auto* launch = std::get_if<LaunchJob>(&order.message);
        return launch && launch->sluid == job->sluid;
      });
      if (!sent && batch_may_launch(*job)) send_launch(*job, out);
    } else {
      // A node that is up and has lost it is not to blame, its software is.
      Reason reason = rebooted ? Reason::NodeDown : Reason::SystemFailure;
      finish(id, {.state = JobState::NodeFail, .reason = reason, .requeue = job->spec->requeue},
             now, out);
      release_node(id, node, now, out);
    }
  }
}

void Controller::note_step(NodeId node, const StepReport& report, Instant now, Outbox& out,
                           ForgetAttempts& forget) {
  forget.steps.push_back(
      {.job = report.job, .sluid = report.sluid, .step = report.step, .exit = report.exit});
  const Job* job = state_.find(report.job);
  if (!job || job->sluid != report.sluid) return;
  end_step_on(job->id, report.step,
              {.job = job->id,
               .step = report.step,
               .node = node,
               .exit = report.exit,
               .usage = report.usage,
               .out_of_memory = report.out_of_memory},
              now, out);
}

}  // namespace ym
