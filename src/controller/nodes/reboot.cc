// SPDX-License-Identifier: Apache-2.0
// scontrol reboot: asked for, ordered when no job is left, over when the machine has booted or has
// had its time.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "controller/nodes/state_of.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

constexpr std::string_view kAsapReason = "Reboot ASAP", kReason = "reboot requested";

// What has happened is added to the reason that people gave.
std::string with_note(const std::string& reason, std::string_view note) {
  return reason.empty() ? std::string(note) : reason + " : " + std::string(note);
}

// Nothing is wrong with it, so that a reason to be told would be of the past.
bool is_good(const NodeStateChanged& change) {
  return change.condition != NodeCondition::Down && !change.drain && !change.fail;
}

}  // namespace

// REQUIRES: `change` is the node as it is, which has just booted as it was told to.
void Controller::after_reboot(const Node& node, NodeStateChanged& change) {
  change.drain = change.drain && !node.reboot.drained && node.reboot.next != RebootNext::Resume;
  if (node.reboot.next == RebootNext::Down) {
    change.condition = NodeCondition::Down;
    change.down_by_admin = true;
    change.reason = with_note(change.reason, "reboot complete");
    return;
  }
  if (node.reboot.next == RebootNext::Resume) {
    change.condition = NodeCondition::Up;
    change.fail = change.down_by_admin = false;
  }
  if (is_good(change)) change.reason.clear();
}

void Controller::reboot_nodes(RequestId request, const RebootNodes& reboot, const Caller& caller,
                              Instant now, Outbox& out) {
  if (!caller.administrator)
    return refuse_request(request, refuse(Errc::InvalidUserId).error(), out);
  if (config_.reboot_program.empty() && !reboot.cancel)
    return refuse_request(
        request, Error{.code = 0, .text = "RebootProgram is not defined in slurm.conf"}, out);
  std::vector<NodeId> nodes;
  Status status;
  bool all = same_ignoring_case(reboot.nodes, "ALL");
  if (all) {
    state_.nodes.for_each([&](std::uint64_t, const Node& node) {
      bool wanted = reboot.cancel ? node.reboot.phase == RebootPhase::Requested
                                  : node.condition != NodeCondition::Future;
      if (wanted) nodes.push_back(node.id);
    });
  } else {
    auto hosts = Hostlist::parse(reboot.nodes);
    if (!hosts || hosts->empty())
      return refuse_request(request, refuse(Errc::InvalidNodeName).error(), out);
    hosts->for_each([&](std::string_view host) {
      const Node* node = state_.find_node(host);
      if (!node)
        status = refuse(Errc::InvalidNodeName, host);
      else if (reboot.cancel && node->reboot.phase != RebootPhase::Requested)
        status = fail("Invalid node state specified");
      else
        nodes.push_back(node->id);
    });
  }
  if (!status) return refuse_request(request, status.error(), out);
  for (NodeId id : nodes) {
    if (reboot.cancel)
      end_reboot(id, now, out);
    else
      request_reboot(id, reboot, caller, now, out);
  }
  answer(request, Done{}, out);
}

// What runs there is lost, what was ordered before is forgotten.
void Controller::clear_for_reboot(NodeId id, Instant now, Outbox& out) {
  if (state_.nodes.at(id.value).jobs > 0) {
    lose_node(id, "Reboot forced", now, out);
    NodeStateChanged idle = state_of(state_.nodes.at(id.value));
    idle.condition = NodeCondition::Up;
    change_node(state_.nodes.at(id.value), idle, now, out);
  }
  if (state_.nodes.at(id.value).power.phase != PowerPhase::On) {
    undo_asap(id, now, out);
    set_power(id, PowerPhase::On, now, out);
  }
  end_reboot(id, now, out);
}

void Controller::request_reboot(NodeId id, const RebootNodes& reboot, const Caller& caller,
                                Instant now, Outbox& out) {
  if (reboot.force) clear_for_reboot(id, now, out);
  const Node& node = state_.nodes.at(id.value);
  if (node.reboot.phase == RebootPhase::Issued) return;
  NodeReboot wish{.phase = RebootPhase::Requested,
                  .next = reboot.next,
                  .drained = node.reboot.drained || (reboot.asap && !node.drain)};
  NodeStateChanged change = state_of(node);
  change.drain = change.drain || reboot.asap;
  if (!reboot.reason.empty())
    change.reason = reboot.reason;
  else if (change.reason.empty())
    change.reason = reboot.asap ? kAsapReason : kReason;
  change.by = caller.uid;
  emit(NodeRebootChanged{.node = id, .reboot = wish}, now, out);
  change_node(state_.nodes.at(id.value), change, now, out);
  issue_reboot(id, now, out);
}

// Nothing is left of the wish, nor of what was done for its sake.
void Controller::end_reboot(NodeId id, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  if (node.reboot.phase == RebootPhase::None) return;
  NodeStateChanged change = state_of(node);
  change.drain = change.drain && !node.reboot.drained;
  if (is_good(change)) change.reason.clear();
  emit(NodeRebootChanged{.node = id}, now, out);
  change_node(state_.nodes.at(id.value), change, now, out);
}

// If its time has come: no job is left there.
void Controller::issue_reboot(NodeId id, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  if (node.reboot.phase != RebootPhase::Requested || node.jobs > 0) return;
  order_reboot(id, node.reboot, now, out);
}

// REQUIRES: nothing on the node minds.
void Controller::order_reboot(NodeId id, NodeReboot reboot, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  reboot.phase = RebootPhase::Issued;
  reboot.issued = now;
  NodeStateChanged change = state_of(node);
  change.reason = with_note(change.reason, "reboot issued");
  emit(NodeRebootChanged{.node = id, .reboot = reboot}, now, out);
  change_node(state_.nodes.at(id.value), change, now, out);
  out.orders.push_back({id, RebootNode{.asked = now}});
}

// --reboot: the job has its nodes for itself, and begins when they have booted. One that is on its
// way up anyway need not boot twice. After a restart of the controller: what was ordered is waited
// for, and what has booted since then has.
void Controller::reboot_for(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  bool just_started = job.start == now;
  for (const NodeShare& share : job.allocation->nodes) {
    const Node& node = state_.nodes.at(share.node.value);
    bool due = just_started && !node.must_wake();
    if (!due && node.reboot.phase != RebootPhase::Issued) continue;
    waking_[id].insert(share.node);
    late_.insert(id);
    if (due) order_reboot(share.node, {}, now, out);
  }
}

// The node has said everything, and it has not booted: the order may have been lost.
void Controller::repeat_reboot(NodeId id, Outbox& out) const {
  const Node& node = state_.nodes.at(id.value);
  if (node.reboot.phase == RebootPhase::Issued)
    out.orders.push_back({id, RebootNode{.asked = node.reboot.issued}});
}

void Controller::watch_reboots(Instant now, Outbox& out) {
  std::vector<NodeId> due, late;
  for (const auto& [id, contact] : contacts_) {
    const Node* node = state_.find(id);
    if (!node || node->reboot.phase == RebootPhase::None) continue;
    if (node->reboot.phase == RebootPhase::Requested)
      due.push_back(id);
    else if (now - node->reboot.issued >= config_.resume_timeout)
      late.push_back(id);
  }
  for (NodeId id : due) issue_reboot(id, now, out);
  for (NodeId id : late) {
    const Node& node = state_.nodes.at(id.value);
    NodeStateChanged change = state_of(node);
    change.drain = change.drain && !node.reboot.drained;
    change.condition = NodeCondition::Down;
    change.reason = with_note(change.reason, "reboot timed out");
    emit(NodeRebootChanged{.node = id}, now, out);
    change_node(state_.nodes.at(id.value), change, now, out);
    lose_node(id, change.reason, now, out);
  }
}

}  // namespace ym
