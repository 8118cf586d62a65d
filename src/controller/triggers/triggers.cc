// SPDX-License-Identifier: Apache-2.0
// Triggers: set, taken back, and pulled when what they wait for has happened.
#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

// Of all users together.
constexpr std::size_t kTriggersMax = 10'000;
constexpr std::size_t kProgramMax = 4096;
// Triggers that wait to be pulled; beyond that nothing more is noticed.
constexpr std::size_t kPullsMax = 100'000;

bool of_job(TriggerEvent event) {
  return event == TriggerEvent::JobTime || event == TriggerEvent::JobFini;
}

bool same(const Trigger& a, const Trigger& b) {
  return a.uid == b.uid && a.event == b.event && a.job == b.job && a.nodes == b.nodes &&
         a.offset_s == b.offset_s && a.program == b.program;
}

bool means(const Trigger& trigger, std::string_view node) {
  if (trigger.nodes.empty()) return true;
  auto hosts = Hostlist::parse(trigger.nodes);
  bool found = false;
  if (hosts) hosts->for_each([&](std::string_view host) { found = found || host == node; });
  return found;
}

bool is_idle(const Node& node) {
  return node.condition == NodeCondition::Up && !node.drain && node.jobs == 0;
}

}  // namespace

// Whoever may alter a job may wait for it; the rest is the administrators' business.
void Controller::set_trigger(RequestId request, const SetTrigger& set, const Caller& caller,
                             Instant now, Outbox& out) {
  auto deny = [&](Errc code, std::string_view detail = {}) {
    refuse_request(request, refuse(code, detail).error(), out);
  };
  Trigger trigger = set.trigger;
  trigger.uid = caller.uid;
  trigger.gid = caller.gid;
  trigger.user_name = caller.user_name;
  trigger.set = now;
  if (of_job(trigger.event)) {
    const Job* job = state_.find(trigger.job);
    if (!job) return deny(Errc::InvalidJobId);
    if (!may_alter(*job, caller)) return deny(Errc::AccessDenied);
    if (is_terminal(job->state)) return deny(Errc::AlreadyDone);
  } else if (!caller.administrator) {
    return deny(Errc::AccessDenied);
  }
  if (trigger.program.empty() || trigger.program.size() > kProgramMax)
    return deny(Errc::BadMessage, "a trigger's program");
  auto hosts = Hostlist::parse(trigger.nodes);
  bool there = hosts.has_value();
  if (hosts)
    hosts->for_each([&](std::string_view host) { there = there && state_.find_node(host); });
  if (!there) return deny(Errc::InvalidNodeName);
  bool known = false;
  state_.triggers.for_each(
      [&](std::uint64_t, const Trigger& other) { known = known || same(other, trigger); });
  if (known) return deny(Errc::TriggerDup);
  if (state_.triggers.size() >= kTriggersMax) return deny(Errc::QueueFull);
  trigger.id = TriggerId{state_.next_trigger_id};
  emit(TriggerSet{trigger}, now, out);
  answer(request, TriggerAdded{trigger.id}, out);
  if (trigger.event != TriggerEvent::NodeIdle) return;
  // Nodes that are idle already have been so for a while.
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (is_idle(node) && means(trigger, node.spec->name))
      pulls_.push_back({.trigger = trigger.id,
                        .node = node.id,
                        .job = {},
                        .due = node.last_busy + std::chrono::seconds(trigger.offset_s)});
  });
}

void Controller::clear_triggers(RequestId request, const ClearTriggers& clear, const Caller& caller,
                                Instant now, Outbox& out) {
  std::vector<TriggerId> chosen;
  bool denied = false;
  state_.triggers.for_each([&](std::uint64_t, const Trigger& one) {
    if (clear.trigger && clear.trigger != one.id) return;
    if (clear.job && clear.job != one.job) return;
    if (!clear.user.empty() && clear.user != one.user_name &&
        parse_unsigned<std::uint32_t>(clear.user) != one.uid.value)
      return;
    bool own = caller.administrator || caller.uid == one.uid;
    denied = denied || !own;
    if (own) chosen.push_back(one.id);
  });
  if (chosen.empty())
    return refuse_request(request,
                          refuse(denied ? Errc::AccessDenied : Errc::InvalidTrigger).error(), out);
  for (TriggerId id : chosen) emit(TriggerCleared{.trigger = id}, now, out);
  answer(request, Done{}, out);
}

void Controller::notice(TriggerEvent event, NodeId node, JobId job, Instant now) {
  const Node* record = node ? state_.find(node) : nullptr;
  state_.triggers.for_each([&](std::uint64_t, const Trigger& trigger) {
    if (trigger.event != event || trigger.job != job) return;
    if (record && !means(trigger, record->spec->name)) return;
    if (pulls_.size() >= kPullsMax) return;
    pulls_.push_back({.trigger = trigger.id,
                      .node = node,
                      .job = job,
                      .due = now + std::chrono::seconds(trigger.offset_s)});
  });
}

void Controller::notice(const EventBody& body, Instant now) {
  if (const auto* changed = std::get_if<NodeStateChanged>(&body)) {
    const Node* node = state_.find(changed->node);
    if (!node) return;
    auto tell = [&](bool happens, TriggerEvent event) {
      if (happens) notice(event, node->id, {}, now);
    };
    bool was_down = node->condition == NodeCondition::Down;
    bool is_down = changed->condition == NodeCondition::Down;
    tell(is_down && !was_down, TriggerEvent::NodeDown);
    tell(was_down && changed->condition == NodeCondition::Up, TriggerEvent::NodeUp);
    tell(changed->drain && !node->drain, TriggerEvent::NodeDraining);
    tell(changed->drain && !node->drain && node->jobs == 0, TriggerEvent::NodeDrained);
    tell(!changed->drain && node->drain, TriggerEvent::NodeResumed);
    tell(changed->fail && !node->fail, TriggerEvent::NodeFail);
  } else if (const auto* released = std::get_if<JobNodeReleased>(&body)) {
    const Node* node = state_.find(released->node);
    if (!node || node->jobs != 1) return;  // others are left on it
    notice(node->drain ? TriggerEvent::NodeDrained : TriggerEvent::NodeIdle, node->id, {}, now);
  } else if (const auto* finished = std::get_if<JobFinished>(&body)) {
    notice(TriggerEvent::JobFini, {}, finished->job, now);
  }
}

// After a restart: what had happened and was not told. A trigger that is pulled leaves, unless it
// is permanent: of those only what was not due before the last event is still owed. That a node
// came up or was resumed leaves no trace, so it is not known.
void Controller::recall_triggers() {
  auto recall = [&](const Trigger& trigger, NodeId node, JobId job, Instant at) {
    Instant due = at + std::chrono::seconds(trigger.offset_s);
    bool told = trigger.permanent ? due <= state_.time : at < trigger.set;
    if (!told && pulls_.size() < kPullsMax)
      pulls_.push_back({.trigger = trigger.id, .node = node, .job = job, .due = due});
  };
  state_.triggers.for_each([&](std::uint64_t, const Trigger& trigger) {
    if (trigger.event == TriggerEvent::JobFini) {
      const Job* job = state_.find(trigger.job);
      if (job && is_terminal(job->state)) recall(trigger, {}, job->id, job->end);
      return;
    }
    state_.nodes.for_each([&](std::uint64_t, const Node& node) {
      bool is =
          (trigger.event == TriggerEvent::NodeDown && node.condition == NodeCondition::Down) ||
          (trigger.event == TriggerEvent::NodeFail && node.fail) ||
          (trigger.event == TriggerEvent::NodeDraining && node.drain) ||
          (trigger.event == TriggerEvent::NodeDrained && node.drain && node.jobs == 0);
      if (is && means(trigger, node.spec->name)) recall(trigger, node.id, {}, node.reason_time);
      if (trigger.event == TriggerEvent::NodeIdle && is_idle(node) &&
          means(trigger, node.spec->name))
        recall(trigger, node.id, {}, std::max(node.last_busy, trigger.set));
    });
  });
}

// Runs the program of each trigger whose time has come, once for all its nodes.
void Controller::pull_triggers(Instant now, Outbox& out) {
  if (state_.triggers.empty()) return pulls_.clear();
  pull_for_jobs(now, out);
  std::map<TriggerId, std::vector<std::string>> nodes;
  std::map<TriggerId, std::string> others;
  std::erase_if(pulls_, [&](const Pull& one) {
    if (one.due > now) return false;
    const Trigger* trigger = state_.triggers.find(one.trigger.value);
    const Node* node = one.node ? state_.find(one.node) : nullptr;
    if (!trigger || (one.node && !node)) return true;
    if (trigger->event == TriggerEvent::NodeIdle && !is_idle(*node)) return true;
    if (node)
      nodes[one.trigger].push_back(node->spec->name);
    else
      others[one.trigger] = one.job ? fmt::format("{}", one.job.value) : "";
    return true;
  });
  for (const auto& [id, names] : nodes) others[id] = Hostlist::of(names).str();
  for (const auto& [id, argument] : others)
    pull(Trigger(state_.triggers.at(id.value)), argument, now, out);
}

// The end of a time limit comes near without an event; a job that is gone needs no trigger.
void Controller::pull_for_jobs(Instant now, Outbox& out) {
  std::vector<Trigger> due;
  std::vector<TriggerId> idle;
  state_.triggers.for_each([&](std::uint64_t, const Trigger& trigger) {
    if (!of_job(trigger.event)) return;
    const Job* job = state_.find(trigger.job);
    if (!job) return idle.push_back(trigger.id);
    bool near = trigger.event == TriggerEvent::JobTime && job->state == JobState::Running &&
                job->limit_end < kNever &&
                now >= job->limit_end + std::chrono::seconds(trigger.offset_s);
    if (near) due.push_back(trigger);
  });
  for (TriggerId id : idle) emit(TriggerCleared{.trigger = id}, now, out);
  for (const Trigger& trigger : due) pull(trigger, fmt::format("{}", trigger.job.value), now, out);
}

// What a job does it does once; the others stay if they are permanent.
void Controller::pull(const Trigger& trigger, const std::string& argument, Instant now,
                      Outbox& out) {
  if (!trigger.permanent || of_job(trigger.event))
    emit(TriggerCleared{.trigger = trigger.id, .pulled = true}, now, out);
  SideProgram program{.uid = trigger.uid, .gid = trigger.gid, .user_name = trigger.user_name};
  for (std::string_view word : split_words(trigger.program, ' ')) {
    if (program.program.empty())
      program.program = word;
    else
      program.arguments.emplace_back(word);
  }
  if (!argument.empty()) program.arguments.push_back(argument);
  out.side_programs.push_back(std::move(program));
}

}  // namespace ym
