// SPDX-License-Identifier: Apache-2.0
// A configuration becomes state: the difference to what is there, as events. All of it or nothing.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

NodeStateChanged configured_state(NodeId id, const std::string& state, const std::string& reason) {
  NodeStateChanged change{.node = id, .condition = NodeCondition::Unknown, .reason = reason};
  if (same_ignoring_case(state, "DOWN")) {
    change.condition = NodeCondition::Down;
    change.down_by_admin = true;
  }
  if (same_ignoring_case(state, "CLOUD")) change.condition = NodeCondition::Up;
  if (same_ignoring_case(state, "FUTURE")) change.condition = NodeCondition::Future;
  if (same_ignoring_case(state, "DRAIN")) change.drain = true;
  if (same_ignoring_case(state, "FAIL")) change.fail = true;
  return change;
}

bool has_word(std::string_view list, std::string_view word) {
  return std::ranges::any_of(split_words(list, ','),
                             [&](std::string_view one) { return same_ignoring_case(one, word); });
}

}  // namespace

Status Controller::configure(const ClusterConfig& config, Instant now, Outbox& out) {
  std::set<std::string, std::less<>> wanted;
  for (const NodeSpec& node : config.nodes) wanted.insert(node.name);
  std::vector<NodeId> gone;
  Status status;
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (wanted.contains(node.spec->name) || node.spec->dynamic) return;
    gone.push_back(node.id);
    if (node.jobs > 0)
      status = fail("node " + node.spec->name +
                    " is not in the new configuration, but jobs hold it; drain it first");
  });
  if (!status) return status;
  if (!state_.cluster_name.empty() && state_.cluster_name != config.cluster_name)
    return fail("ClusterName is " + config.cluster_name + ", but the state saved here belongs to " +
                state_.cluster_name);

  if (state_.cluster_name.empty())
    emit(ClusterFounded{.name = config.cluster_name, .first_job_id = config.first_job_id}, now,
         out);
  define_nodes(config, now, out);
  define_partitions(config, now, out);
  define_licenses(config, now, out);
  for (NodeId node : gone) emit(NodeRemoved{.node = node}, now, out);
  for (const ClusterConfig::DownNodes& down : config.down_nodes) {
    auto hosts = Hostlist::parse(down.nodes);
    if (!hosts) continue;
    hosts->for_each([&](std::string_view host) {
      const Node* node = state_.find_node(host);
      if (node && node->condition == NodeCondition::Unknown)
        change_node(*node, configured_state(node->id, down.state, down.reason), now, out);
    });
  }
  if (!(config_ == config) && !state_.triggers.empty()) noticed(TriggerEvent::Reconfig, now);
  config_ = config;
  can_ever_run_.clear();
  make_topologies();
  return {};
}

// For the partitions that name one, and for all the others.
void Controller::make_topologies() {
  Topologies made;
  bool on_request = has_word(config_.topology_param, "TopoOptional");
  auto make = [&](const std::string& name) {
    const Topology* topology = choose_topology(*config_.topologies, name);
    if (!topology || made.contains(name)) return;
    NodeGroups groups = make_groups(*topology, state_);
    groups.only_on_request = on_request;
    made[name] = Ref(std::move(groups));
  };
  make("");
  for (const PartitionSpec& partition : config_.partitions) make(partition.topology);
  topologies_ = Ref(std::move(made));
}

// Nodes that are new or changed; new ones in the state that the file gives them.
void Controller::define_nodes(const ClusterConfig& config, Instant now, Outbox& out) {
  NodesDefined defined;
  std::vector<NodeStateChanged> states;
  std::uint32_t next_id = state_.next_node_id;
  for (const NodeSpec& spec : config.nodes) {
    const Node* node = state_.find_node(spec.name);
    if (node && *node->spec == spec) continue;
    NodeId id = node ? node->id : NodeId{next_id++};
    defined.nodes.push_back({id, Ref(spec)});
    if (!node) states.push_back(configured_state(id, spec.state, spec.reason));
  }
  if (!defined.nodes.empty()) emit(std::move(defined), now, out);
  for (const NodeStateChanged& state : states) {
    change_node(state_.nodes.at(state.node.value), state, now, out);
    if (state_.nodes.at(state.node.value).cloud()) set_power(state.node, PowerPhase::Off, now, out);
  }
}

// Partitions that are new, changed or gone.
void Controller::define_partitions(const ClusterConfig& config, Instant now, Outbox& out) {
  std::set<std::string, std::less<>> partitions;
  for (const PartitionSpec& spec : config.partitions) {
    partitions.insert(spec.name);
    std::vector<NodeId> ids;
    auto hosts = Hostlist::parse(spec.nodes);
    if (hosts)
      hosts->for_each([&](std::string_view host) {
        if (const Node* node = state_.find_node(host)) ids.push_back(node->id);
      });
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    const Partition* known = state_.find_partition(spec.name);
    if (known && *known->spec == spec && *known->nodes == ids) continue;
    emit(PartitionDefined{.partition = known ? known->id : PartitionId{state_.next_partition_id},
                          .spec = Ref(spec),
                          .nodes = Ref(std::move(ids))},
         now, out);
  }
  std::vector<PartitionId> dropped;
  state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    if (!partitions.contains(partition.spec->name)) dropped.push_back(partition.id);
  });
  for (PartitionId partition : dropped) emit(PartitionRemoved{.partition = partition}, now, out);
}

}  // namespace ym
