// SPDX-License-Identifier: Apache-2.0
// Nodes beside those of slurm.conf (`scontrol create node`), and nodes that come back by themselves
// (ResumeAfter).
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

NodeStateChanged first_state(NodeId id, std::string_view state) {
  std::string_view base = state.substr(0, state.find('+'));
  NodeCondition condition = same_ignoring_case(base, "FUTURE")  ? NodeCondition::Future
                            : same_ignoring_case(base, "CLOUD") ? NodeCondition::Up
                                                                : NodeCondition::Unknown;
  return {.node = id, .condition = condition, .drain = to_upper(state).ends_with("+DRAIN")};
}

}  // namespace

void Controller::create_nodes(RequestId request, const CreateNodes& create, const Caller& caller,
                              Instant now, Outbox& out) {
  auto refused = [&](const Error& error) { refuse_request(request, error, out); };
  if (!caller.administrator) return refused(refuse(Errc::InvalidUserId).error());
  if (create.nodes.empty()) return refused(refuse(Errc::InvalidNodeName).error());
  std::uint64_t room = config_.nodes.size();
  for (const auto& [key, value] : config_.shown)
    if (key == "MaxNodeCount") room = parse_unsigned<std::uint64_t>(value).value_or(room);
  if (state_.nodes.size() + create.nodes.size() > room)
    return refused(
        Error{.code = static_cast<std::uint32_t>(Errc::InvalidNodeCount),
              .text = "Node count specification invalid: MaxNodeCount in slurm.conf is " +
                      std::to_string(room)});
  NodesDefined defined;
  std::vector<NodeStateChanged> states;
  std::uint32_t next_id = state_.next_node_id;
  std::set<std::string> names;
  for (const NodeSpec& asked : create.nodes) {
    if (!Hostlist::valid_name(asked.name) || state_.find_node(asked.name) ||
        !names.insert(asked.name).second)
      return refused(refuse(Errc::InvalidNodeName, asked.name).error());
    NodeSpec spec = asked;
    spec.dynamic = true;
    if (spec.cpus == 0 || spec.memory_mb == 0)
      return refused(refuse(Errc::RequestedNodeConfigUnavailable, asked.name).error());
    states.push_back(first_state(NodeId{next_id}, spec.state));
    if (states.back().condition == NodeCondition::Up) spec.state = "CLOUD";
    defined.nodes.push_back({NodeId{next_id++}, Ref(std::move(spec))});
  }
  emit(std::move(defined), now, out);
  for (const NodeStateChanged& state : states) {
    change_node(state_.nodes.at(state.node.value), state, now, out);
    if (state_.nodes.at(state.node.value).cloud()) set_power(state.node, PowerPhase::Off, now, out);
  }
  can_ever_run_.clear();
  make_topologies();
  answer(request, Done{}, out);
}

void Controller::delete_nodes(RequestId request, const DeleteNodes& remove, const Caller& caller,
                              Instant now, Outbox& out) {
  auto refused = [&](const Error& error) { refuse_request(request, error, out); };
  if (!caller.administrator) return refused(refuse(Errc::InvalidUserId).error());
  auto hosts = Hostlist::parse(remove.nodes);
  if (!hosts || hosts->empty()) return refused(refuse(Errc::InvalidNodeName).error());
  std::vector<NodeId> ids;
  Status status;
  hosts->for_each([&](std::string_view host) {
    const Node* node = state_.find_node(host);
    if (!node)
      status = refuse(Errc::InvalidNodeName, host);
    else if (!node->spec->dynamic)
      status = fail(std::string(host) + " is a node of slurm.conf: take it out there");
    else if (node->jobs > 0)
      status = fail(static_cast<std::uint32_t>(Errc::NodesBusy),
                    "Requested nodes are busy: " + std::string(host));
    else
      ids.push_back(node->id);
  });
  if (!status) return refused(status.error());
  std::vector<PartitionDefined> shrunk;
  state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    std::vector<NodeId> left;
    std::vector<std::string> names;
    for (NodeId id : *partition.nodes)
      if (std::ranges::find(ids, id) == ids.end()) {
        left.push_back(id);
        names.push_back(state_.nodes.at(id.value).spec->name);
      }
    if (left.size() == partition.nodes->size()) return;
    PartitionSpec spec = *partition.spec;
    spec.nodes = Hostlist::of(names).str();
    shrunk.push_back(
        {.partition = partition.id, .spec = Ref(std::move(spec)), .nodes = Ref(std::move(left))});
  });
  for (PartitionDefined& partition : shrunk) emit(std::move(partition), now, out);
  for (NodeId id : ids) emit(NodeRemoved{.node = id}, now, out);
  can_ever_run_.clear();
  make_topologies();
  answer(request, Done{}, out);
}

// O(nodes that are to come back).
void Controller::resume_nodes(Instant now, Outbox& out) {
  std::vector<NodeId> due;
  for (const auto& [id, at] : resume_at_)
    if (at <= now) due.push_back(id);
  for (NodeId id : due) {
    resume_at_.erase(id);
    const Node* node = state_.find(id);
    if (!node || node->resume_after > now) continue;
    NodeNoted note = noted(*node);
    note.resume_after = {};
    NodeStateChanged change{.node = id,
                            .condition = node->responding || node->must_wake()
                                             ? NodeCondition::Up
                                             : NodeCondition::Unknown};
    emit(std::move(note), now, out);
    change_node(state_.nodes.at(id.value), change, now, out);
  }
}

NodeNoted Controller::noted(const Node& node) {
  return {.node = node.id,
          .comment = node.comment,
          .extra = node.extra,
          .instance_id = node.instance_id,
          .instance_type = node.instance_type,
          .cpu_bind = node.cpu_bind,
          .active_features = node.active_features,
          .features_chosen = node.features_chosen,
          .resume_after = node.resume_after};
}

}  // namespace ym
