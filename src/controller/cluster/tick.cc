// SPDX-License-Identifier: Apache-2.0
// What happens because time passes.
#include "base/format.h"
#include "controller/controller.h"

namespace ym {
namespace {

// How long a lost order stays lost: orders that were not answered are repeated this often.
constexpr Duration kRepeatOrders = std::chrono::seconds(5);
// How long an interactive allocation outlives its client unless InactiveLimit says it; long enough
// for a restart of the controller.
constexpr Duration kOwnerGrace = std::chrono::seconds(60);
// At most so many records leave in one tick, so that a tick stays short.
constexpr std::size_t kForgetMax = 1000;

}  // namespace

void Controller::begin_watch(Instant now, Outbox& out, std::size_t place) {
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    contacts_[node.id] = {.connected = false, .last_heard = now};
    if (node.resume_after) resume_at_[node.id] = node.resume_after;
  });
  for (JobId job : indexes_.interactive()) owners_gone_[job] = now;
  // A warning that was due before the last event was given then.
  for (const auto& [at, job] : indexes_.by_warning())
    if (at <= state_.time) warned_[job] = state_.jobs.at(job.value).limit_end;
  std::vector<JobId> configuring;
  state_.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.configuring) configuring.push_back(job.id);
    bool runs = job.state == JobState::Running || job.state == JobState::Suspended;
    if (runs && job.memory->wanted_mb) ask_nodes(job, job.memory->wanted_mb, out);
  });
  mend_het_jobs(now, out);
  for (JobId job : configuring)
    if (state_.jobs.at(job.value).configuring) begin_configuring(job, now, out);
  go_on_after_ends(now, out);
  begin_mail(now);
  recall_triggers();
  notice_lead(place, now);
}

void Controller::notice_lead(std::size_t place, Instant now) {
  if (state_.triggers.empty()) return;
  if (place > 0) {
    noticed(TriggerEvent::PrimaryFailed, now);
    noticed(TriggerEvent::BackupLeads, now);
    return;
  }
  noticed(TriggerEvent::ControllerRestarted, now);
  if (config_.controllers.size() > 1) noticed(TriggerEvent::PrimaryLeads, now);
}

void Controller::owner_present(JobId job) { owners_gone_.erase(job); }

void Controller::owner_gone(JobId job, Instant now) {
  if (indexes_.interactive().contains(job)) owners_gone_.emplace(job, now);
}

void Controller::clock_moved(Duration by) {
  for (auto& [node, contact] : contacts_) contact.last_heard = contact.last_heard + by;
  for (auto& [job, since] : owners_gone_) since = since + by;
  for (auto& [step, kill_at] : step_kill_at_) kill_at = kill_at + by;
  for (auto& [job, at] : freezing_) at = at + by;
  last_repeat_ = last_repeat_ + by;
}

void Controller::tick(Instant now, Outbox& out) {
  warn_of_limits(now, out);
  enforce_limits(now, out);
  enforce_deadlines(now, out);
  enforce_step_limits(now, out);
  resume_preempted(now, out);
  take_turns(now, out);
  watch_freezing(now, out);
  look_at_memory(now, out);
  watch_reservations(now, out);
  watch_reboots(now, out);
  watch_nodes(now, out);
  watch_power(now, out);
  resume_nodes(now, out);
  watch_owners(now, out);
  repeat_orders(now, out);
  forget_old(now, out);
  pull_triggers(now, out);
  mail_limits(now, out);
  std::set<JobId> delayed = indexes_.delayed();
  for (JobId job : delayed) review_dependency(job, now, out);
}

void Controller::watch_nodes(Instant now, Outbox& out) {
  std::vector<NodeId> silent, lost;
  for (const auto& [id, contact] : contacts_) {
    const Node* node = state_.find(id);
    if (!node || node->condition == NodeCondition::Future) continue;
    if (node->switched_off() || node->must_wake()) continue;  // watch_power()
    Duration quiet = now - contact.last_heard;
    if (node->responding && quiet >= config_.slurmd_timeout / 3) silent.push_back(id);
    bool gone = quiet >= config_.slurmd_timeout && config_.slurmd_timeout.count() > 0 &&
                node->reboot.phase != RebootPhase::Issued;  // it has ResumeTimeout
    if (gone && node->condition != NodeCondition::Down) lost.push_back(id);
  }
  for (NodeId node : silent) emit(NodeStoppedResponding{.node = node}, now, out);
  for (NodeId node : lost) lose_node(node, "Not responding", now, out);
}

void Controller::watch_owners(Instant now, Outbox& out) {
  std::vector<JobId> abandoned;
  Duration grace = config_.inactive_limit.count() > 0 ? config_.inactive_limit : kOwnerGrace;
  for (const auto& [job, since] : owners_gone_)
    if (now - since >= grace && indexes_.interactive().contains(job)) abandoned.push_back(job);
  for (JobId job : abandoned)
    finish(job,
           {.state = JobState::Cancelled,
            .reason = Reason::InactiveLimit,
            .by = state_.jobs.at(job.value).spec->uid,
            .grace = config_.kill_wait},
           now, out);
}

// Orders are wishes: until a node has confirmed, they are said again.
void Controller::repeat_orders(Instant now, Outbox& out) {
  if (now - last_repeat_ < kRepeatOrders) return;
  last_repeat_ = now;
  // Not what is by a clock that has been set back since.
  auto just = [&](Instant at) { return at <= now && now - at < kRepeatOrders; };
  for (JobId id : indexes_.completing()) {
    const Job& job = state_.jobs.at(id.value);
    if (just(job.end)) continue;
    for (NodeId node : job.nodes_left)
      if (contacts_[node].connected) order_kill(job, node, config_.kill_wait, out);
  }
  for (JobId id : indexes_.shrinking()) {
    const Job& job = state_.jobs.at(id.value);
    for (const NodeShare& share : job.leaving->nodes)
      if (contacts_[share.node].connected) order_kill(job, share.node, config_.kill_wait, out);
  }
  for (JobId id : indexes_.suspended()) {
    const Job& job = state_.jobs.at(id.value);
    for (const NodeShare& share : job.allocation->nodes)
      if (contacts_[share.node].connected) order_suspension(job, share.node, out);
  }
  repeat_memory(now, out);
  for (JobId id : indexes_.unlaunched()) {
    const Job& job = state_.jobs.at(id.value);
    if (!just(job.start) && batch_may_launch(job) &&
        contacts_[job.allocation->batch_share().node].connected)
      send_launch(job, out);
  }
  for (const auto& [id, nodes] : preparing_) {
    const Job& job = state_.jobs.at(id.value);
    if (just(job.start)) continue;
    bool script = job.runs_script() && !job.launched && batch_may_launch(job);
    for (NodeId node : nodes)
      if (contacts_[node].connected && !(script && node == job.allocation->batch_share().node))
        send_prepare(job, node, out);
  }
}

void Controller::forget_old(Instant now, Outbox& out) {
  std::vector<JobId> old;
  for (const auto& [end, job] : indexes_.by_end()) {
    if (end + config_.min_job_age > now || old.size() >= kForgetMax) break;
    const Job& record = state_.jobs.at(job.value);
    if (!record.epilog_due && !outlives_its_age(record)) old.push_back(job);
  }
  for (JobId job : old) emit(JobForgotten{.job = job}, now, out);
}

}  // namespace ym
