// SPDX-License-Identifier: Apache-2.0
// Nodes and partitions by the administrator's hand.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {

void Controller::change_node(const Node& node, const NodeStateChanged& change, Instant now,
                             Outbox& out) {
  bool same = node.condition == change.condition && node.drain == change.drain &&
              node.fail == change.fail && node.down_by_admin == change.down_by_admin &&
              node.reason == change.reason;
  if (!same) emit(change, now, out);
}

namespace {

constexpr std::uint32_t kNeverMind = 0xffffffff;
constexpr std::uint32_t kInvalidNodeState = 2028, kInvalidActiveFeatures = 2030;  // Slurm's

// Is each of the first list in the second?
bool is_subset(std::string_view some, std::string_view all) {
  for (std::string_view one : split_words(some, ',')) {
    bool found = false;
    for (std::string_view other : split_words(all, ',')) found = found || one == other;
    if (!found) return false;
  }
  return true;
}

// "gpu:a100:2(S:0-1),tool:3": is each of them among GresTypes?
bool are_known_gres(std::string_view gres, std::string_view types) {
  std::string names;
  int depth = 0;
  for (char c : gres) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && c != ')') names += c;
  }
  for (std::string_view one : split_words(names, ','))
    if (!is_subset(one.substr(0, one.find(':')), types)) return false;
  return true;
}

// The nodes of a list, or all there are; ascending, each once.
Result<std::vector<NodeId>> nodes_listed(const State& state, std::string_view list) {
  std::vector<NodeId> out;
  if (same_ignoring_case(list, "ALL")) {
    state.nodes.for_each([&](std::uint64_t, const Node& node) { out.push_back(node.id); });
    return out;
  }
  auto hosts = Hostlist::parse(list);
  if (!hosts) return std::unexpected(hosts.error());
  Status known;
  hosts->for_each([&](std::string_view host) {
    if (const Node* node = state.find_node(host))
      out.push_back(node->id);
    else
      known = refuse(Errc::InvalidNodeName, host);
  });
  if (!known) return std::unexpected(known.error());
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Does a state that an administrator typed end a reboot that is under way?
bool ends_reboot(std::string_view state) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"RESUME", "IDLE", "DOWN", "CANCEL_REBOOT"},
      [&](std::string_view one) { return same_ignoring_case(state, one); });
}

// The node's new condition and flags for a state that an administrator typed; refused if there is
// no such.
Result<NodeStateChanged> wanted_state(const Node& node, std::string_view state) {
  NodeStateChanged change{.node = node.id,
                          .condition = node.condition,
                          .drain = node.drain,
                          .fail = node.fail,
                          .down_by_admin = node.down_by_admin,
                          .reason = node.reason,
                          .by = node.reason_uid};
  if (state.empty()) return change;
  if (same_ignoring_case(state, "DRAIN")) {
    change.drain = true;
  } else if (same_ignoring_case(state, "FAIL")) {
    change.fail = true;
  } else if (same_ignoring_case(state, "DOWN")) {
    change.condition = NodeCondition::Down;
    change.down_by_admin = true;
  } else if (same_ignoring_case(state, "UNDRAIN")) {
    change.drain = false;
    change.reason.clear();
  } else if (same_ignoring_case(state, "RESUME") || same_ignoring_case(state, "IDLE")) {
    bool known = node.responding || node.switched_off() || node.must_wake();
    change = {.node = node.id, .condition = known ? NodeCondition::Up : NodeCondition::Unknown};
  } else if (same_ignoring_case(state, "FUTURE")) {
    if (node.jobs > 0) return refuse(Errc::NodesBusy);
    change.condition = NodeCondition::Future;
  } else if (!to_upper(state).starts_with("POWER_") &&
             !same_ignoring_case(state, "CANCEL_REBOOT") && !same_ignoring_case(state, "NORESP")) {
    return fail(kInvalidNodeState, "Invalid node state specified");
  }
  return change;
}

}  // namespace

void Controller::note_update(const Node& node, const UpdateNodes& update, Instant now,
                             Outbox& out) {
  NodeNoted note = noted(node);
  note.comment = update.comment.value_or(node.comment);
  note.extra = update.extra.value_or(node.extra);
  note.instance_id = update.instance_id.value_or(node.instance_id);
  note.instance_type = update.instance_type.value_or(node.instance_type);
  note.cpu_bind = update.cpu_bind.value_or(node.cpu_bind);
  if (update.active_features) {
    note.active_features = *update.active_features;
    note.features_chosen = *update.active_features != node.spec->features;
  } else if (update.features) {
    note.active_features.clear();
    note.features_chosen = false;
  }
  bool comes_back = same_ignoring_case(update.state, "RESUME") ||
                    same_ignoring_case(update.state, "IDLE") ||
                    same_ignoring_case(update.state, "UNDRAIN");
  if (comes_back) note.resume_after = {};
  if (update.resume_after_s)
    note.resume_after = *update.resume_after_s == kNeverMind
                            ? Instant{}
                            : now + std::chrono::seconds(*update.resume_after_s);
  resume_at_.erase(node.id);
  if (note.resume_after) resume_at_[node.id] = note.resume_after;
  NodeNoted before = noted(node);
  bool same =
      note.comment == before.comment && note.extra == before.extra &&
      note.instance_id == before.instance_id && note.instance_type == before.instance_type &&
      note.cpu_bind == before.cpu_bind && note.active_features == before.active_features &&
      note.features_chosen == before.features_chosen && note.resume_after == before.resume_after;
  if (!same) emit(std::move(note), now, out);
}

void Controller::update_nodes(RequestId request, const UpdateNodes& update, const Caller& caller,
                              Instant now, Outbox& out) {
  if (!caller.administrator)
    return refuse_request(request, refuse(Errc::InvalidUserId).error(), out);
  auto ids = nodes_listed(state_, update.nodes);
  if (!ids) return refuse_request(request, ids.error(), out);
  if (ids->empty()) return refuse_request(request, refuse(Errc::InvalidNodeName).error(), out);
  std::vector<std::pair<NodeId, NodeStateChanged>> changes;
  NodesDefined redefined;
  Status status;
  for (NodeId id : *ids) {
    if (!status) break;
    const Node* node = state_.find(id);
    if (is_power_verb(update.state)) status = check_power(*node, update.state);
    if (!status) break;
    auto change = wanted_state(*node, update.state);
    if (!change) {
      status = std::unexpected(change.error());
      break;
    }
    if (update.reason) change->reason = *update.reason;
    change->by = caller.uid;
    bool needs_reason = change->drain && !node->drain && change->reason.empty();
    if (needs_reason) status = fail("You must specify a reason when DRAINING a node");
    changes.emplace_back(node->id, std::move(*change));
    if (update.active_features &&
        !is_subset(*update.active_features, update.features.value_or(node->spec->features)))
      status = fail(kInvalidActiveFeatures, "Active features not subset of available features");
    if (update.weight || update.features || update.gres || update.address || update.hostname) {
      NodeSpec spec = *node->spec;
      spec.weight = update.weight.value_or(spec.weight);
      spec.features = update.features.value_or(spec.features);
      spec.gres = update.gres.value_or(spec.gres);
      if (update.gres && !are_known_gres(spec.gres, config_.gres_types))
        status = refuse(Errc::InvalidGres);
      spec.address = update.address.value_or(spec.address);
      spec.hostname = update.hostname.value_or(spec.hostname);
      redefined.nodes.push_back({node->id, Ref(std::move(spec))});
    }
  }
  if (!status) return refuse_request(request, status.error(), out);
  if (!redefined.nodes.empty()) {
    emit(std::move(redefined), now, out);
    can_ever_run_.clear();
  }
  for (const auto& [id, change] : changes) {
    note_update(state_.nodes.at(id.value), update, now, out);
    if (same_ignoring_case(update.state, "NORESP") && state_.nodes.at(id.value).responding)
      emit(NodeStoppedResponding{.node = id}, now, out);
    if (ends_reboot(update.state) && state_.nodes.at(id.value).reboot.phase != RebootPhase::None)
      emit(NodeRebootChanged{.node = id}, now, out);
    bool goes_down = change.condition == NodeCondition::Down &&
                     state_.nodes.at(id.value).condition != NodeCondition::Down;
    change_node(state_.nodes.at(id.value), change, now, out);
    if (goes_down) lose_node(id, change.reason, now, out);
    if (is_power_verb(update.state)) request_power(id, update.state, caller, now, out);
    if (same_ignoring_case(update.state, "RESUME")) stop_powering_down(id, now, out);
  }
  answer(request, Done{}, out);
}

namespace {

template <auto Member>
void copy(PartitionSpec& to, const PartitionSpec& from) {
  to.*Member = from.*Member;
}

struct PartitionField {
  std::string_view name;
  void (*copy)(PartitionSpec& to, const PartitionSpec& from);
};
constexpr PartitionField kPartitionFields[] = {
    {"nodes", copy<&PartitionSpec::nodes>},
    {"state", copy<&PartitionSpec::state>},
    {"is_default", copy<&PartitionSpec::is_default>},
    {"hidden", copy<&PartitionSpec::hidden>},
    {"root_only", copy<&PartitionSpec::root_only>},
    {"disable_root", copy<&PartitionSpec::disable_root>},
    {"exclusive", copy<&PartitionSpec::exclusive>},
    {"exclusive_user", copy<&PartitionSpec::exclusive_user>},
    {"max_time_s", copy<&PartitionSpec::max_time_s>},
    {"default_time_s", copy<&PartitionSpec::default_time_s>},
    {"min_nodes", copy<&PartitionSpec::min_nodes>},
    {"max_nodes", copy<&PartitionSpec::max_nodes>},
    {"max_cpus_per_node", copy<&PartitionSpec::max_cpus_per_node>},
    {"max_cpus_per_socket", copy<&PartitionSpec::max_cpus_per_socket>},
    {"priority_tier", copy<&PartitionSpec::priority_tier>},
    {"priority_job_factor", copy<&PartitionSpec::priority_job_factor>},
    {"default_memory_per_node_mb", copy<&PartitionSpec::default_memory_per_node_mb>},
    {"default_memory_per_cpu_mb", copy<&PartitionSpec::default_memory_per_cpu_mb>},
    {"max_memory_per_node_mb", copy<&PartitionSpec::max_memory_per_node_mb>},
    {"max_memory_per_cpu_mb", copy<&PartitionSpec::max_memory_per_cpu_mb>},
    {"grace_time_s", copy<&PartitionSpec::grace_time_s>},
    {"allow_groups", copy<&PartitionSpec::allow_groups>},
    {"allow_accounts", copy<&PartitionSpec::allow_accounts>},
    {"deny_accounts", copy<&PartitionSpec::deny_accounts>},
    {"allow_qos", copy<&PartitionSpec::allow_qos>},
    {"deny_qos", copy<&PartitionSpec::deny_qos>},
    {"qos", copy<&PartitionSpec::qos>},
    {"alternate", copy<&PartitionSpec::alternate>},
    {"oversubscribe", copy<&PartitionSpec::oversubscribe>},
    {"preempt_mode", copy<&PartitionSpec::preempt_mode>},
    {"over_time_limit_min", copy<&PartitionSpec::over_time_limit_min>},
    {"lln", copy<&PartitionSpec::lln>},
    {"req_resv", copy<&PartitionSpec::req_resv>},
    {"alloc_nodes", copy<&PartitionSpec::alloc_nodes>},
    {"cpu_bind", copy<&PartitionSpec::cpu_bind>},
    {"exclusive_topo", copy<&PartitionSpec::exclusive_topo>},
    {"job_defaults", copy<&PartitionSpec::job_defaults>},
    {"default_cpus_per_gpu", copy<&PartitionSpec::default_cpus_per_gpu>},
    {"default_memory_per_gpu_mb", copy<&PartitionSpec::default_memory_per_gpu_mb>},
    {"power_down_on_idle", copy<&PartitionSpec::power_down_on_idle>},
    {"topology", copy<&PartitionSpec::topology>},
    {"tres_billing_weights", copy<&PartitionSpec::tres_billing_weights>},
    {"suspend_time_s", copy<&PartitionSpec::suspend_time_s>},
    {"suspend_timeout_s", copy<&PartitionSpec::suspend_timeout_s>},
    {"resume_timeout_s", copy<&PartitionSpec::resume_timeout_s>},
};

// Copies the members named in `changed`.
Status patch_partition(PartitionSpec& spec, const PartitionSpec& from,
                       const std::vector<std::string>& changed) {
  for (const std::string& name : changed) {
    const auto* field = std::ranges::find(kPartitionFields, name, &PartitionField::name);
    if (field == std::end(kPartitionFields))
      return fail("partition field cannot be changed: " + name);
    field->copy(spec, from);
  }
  return {};
}

std::string names_of(const State& state, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  for (NodeId id : nodes) names.push_back(state.nodes.at(id.value).spec->name);
  return Hostlist::of(names).str();
}

}  // namespace

// Jobs that name no partition go to one: whoever becomes the default takes the place of another.
void Controller::end_other_defaults(std::string_view kept, Instant now, Outbox& out) {
  std::vector<Partition> ended;
  state_.partitions.for_each([&](std::uint64_t, const Partition& one) {
    if (one.spec->is_default && one.spec->name != kept) ended.push_back(one);
  });
  for (const Partition& one : ended) {
    PartitionSpec spec = *one.spec;
    spec.is_default = false;
    emit(PartitionDefined{.partition = one.id, .spec = Ref(std::move(spec)), .nodes = one.nodes},
         now, out);
  }
}

void Controller::update_partition(RequestId request, const UpdatePartition& update,
                                  const Caller& caller, Instant now, Outbox& out) {
  if (!caller.administrator)
    return refuse_request(request, refuse(Errc::InvalidUserId).error(), out);
  const Partition* partition = state_.find_partition(update.spec.name);
  if (update.create == (partition != nullptr))
    return refuse_request(request, refuse(Errc::InvalidPartition).error(), out);
  if (update.remove) {
    bool used = false;
    state_.jobs.visit_from(0, [&](std::uint64_t, const Job& job) {
      for (std::string_view name : split_words(job.spec->partitions, ','))
        used = used || (name == update.spec.name && (!is_terminal(job.state) || job.completing()));
      return !used;
    });
    if (used) return refuse_request(request, Error{.code = 0, .text = "Partition is in use"}, out);
    emit(PartitionRemoved{.partition = partition->id}, now, out);
    return answer(request, Done{}, out);
  }
  PartitionSpec spec{.name = update.spec.name};
  spec.preempt_mode = config_.preempt.mode_text;  // unless it is given another
  if (partition) spec = *partition->spec;
  if (Status ok = patch_partition(spec, update.spec, update.changed); !ok)
    return refuse_request(request, ok.error(), out);
  auto ids = nodes_listed(state_, spec.nodes);
  if (!ids) return refuse_request(request, ids.error(), out);
  spec.nodes = names_of(state_, *ids);
  if (spec.is_default) end_other_defaults(spec.name, now, out);
  PartitionId id = partition ? partition->id : PartitionId{state_.next_partition_id};
  emit(
      PartitionDefined{
          .partition = id, .spec = Ref(std::move(spec)), .nodes = Ref(std::move(*ids))},
      now, out);
  can_ever_run_.clear();
  answer(request, Done{}, out);
}

}  // namespace ym
