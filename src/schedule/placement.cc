// SPDX-License-Identifier: Apache-2.0
#include "schedule/placement.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "model/partition_access.h"
#include "notation/features.h"
#include "notation/hostlist.h"
#include "schedule/choose.h"
#include "schedule/memory_limit.h"
#include "schedule/place_gres.h"
#include "schedule/shape.h"

namespace ym {
namespace {

TaskNeeds needs_of(const JobSpec& spec) {
  return needs_of(spec.cpus_per_task, spec.tasks_per_node, spec.extras->binding);
}

// CPUs that the job leaves to the system, above those that the node withholds anyway: --core-spec.
std::uint32_t spared(const JobSpec& spec, const Free& node) {
  const JobExtras& extras = *spec.extras;
  if (extras.core_spec == kNoCoreSpec) return 0;
  std::uint32_t wanted = extras.core_spec * (extras.thread_spec ? 1 : node.shape.threads);
  return wanted - std::min(wanted, node.cpus_withheld);
}

std::uint64_t number_of(const std::string& label) { return label.empty() ? 0 : shape_hash(label); }

bool label_admits(const JobSpec& spec, const Free& node) {
  if (!node.for_mcs && !keeps_labels_off(spec)) return true;
  bool same = node.mcs == mcs_of(spec);
  return same && !(keeps_labels_off(spec) && node.several_mcs);
}

// One task each first, so that no node stays empty; then node by node, unless the job wants them
// dealt out. REQUIRES: they fit.
std::vector<std::uint32_t> tasks_by_node(const JobSpec& spec,
                                         const std::vector<Candidate>& chosen) {
  auto wish = Distribution::parse(spec.extras->binding.distribution).value_or(Distribution{});
  if (wish.packing == Packing::Default)
    wish.packing = spec.extras->specials->spread ? Packing::NoPack : Packing::Pack;
  std::vector<std::uint32_t> rooms;
  for (const Candidate& candidate : chosen) rooms.push_back(candidate.capacity);
  auto tasks = std::max(tasks_on(spec, chosen.size()), static_cast<std::uint32_t>(chosen.size()));
  return *task_counts(wish, rooms, tasks);
}

// What the job gets on the nodes that were chosen; nothing if there are none, or if their generic
// resources do not suffice.
std::optional<Allocation> place_on(const JobSpec& spec, std::vector<Candidate> chosen,
                                   const PlacementRules& rules) {
  if (chosen.empty()) return std::nullopt;
  std::ranges::sort(chosen, {}, [](const Candidate& c) { return c.free.node; });
  std::vector<std::uint32_t> tasks = tasks_by_node(spec, chosen);
  Allocation allocation;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    allocation.nodes.push_back(share_for(spec, chosen[i].free, tasks[i], rules));
  if (!add_gres(spec, chosen, tasks, rules, allocation)) return std::nullopt;
  allocation.topo_alone = wants_blocks_alone(spec, rules);
  return allocation;
}

// An allocation out of nodes that are all as good, if they suffice.
std::optional<Allocation> place_among(const JobSpec& spec, std::vector<Free> candidates,
                                      const PlacementRules& rules) {
  std::vector<Candidate> able;
  able.reserve(candidates.size());
  Capacity capacity(spec, rules);
  for (Free& free : candidates)
    if (std::uint32_t tasks = capacity.of(free)) able.push_back({std::move(free), tasks});
  if (const GresRequest* request = gres_request(spec))
    for (Candidate& one : able) one.gres = gres_room(*request, one.free, one.free.cpus, rules);
  if (!gres_request(spec) || !has_several_totals(*gres_request(spec)))
    return place_on(spec, choose(spec, std::move(able), rules), rules);
  // Nodes that have enough of one kind may have too little of another: then it takes more of them.
  JobSpec wider = spec;
  for (;;) {
    std::vector<Candidate> chosen = choose(wider, able, rules);
    auto nodes = static_cast<std::uint32_t>(chosen.size());
    auto allocation = place_on(wider, std::move(chosen), rules);
    bool last = nodes == 0 || nodes >= able.size() || nodes == wider.max_nodes;
    if (allocation || last) return allocation;
    wider.min_nodes = nodes + 1;
  }
}

// What there is while no CPU has more than so many users, the newcomer among them: of each node in
// the first of the rows that have most.
struct Uncrowded {
  std::vector<Free> nodes;
  std::uint32_t more_with = 0;  // users; 0: there is no more
};
Uncrowded uncrowded(const std::vector<Free>& candidates, std::uint32_t users,
                    const Capacity& capacity) {
  Uncrowded out;
  for (const Free& free : candidates) {
    if (free.cpus == 0) continue;
    std::uint64_t most = std::uint64_t{users} * free.cpus_total;
    std::uint64_t cpus = most - std::min<std::uint64_t>(most, free.cpus_shared);
    if (cpus < free.cpus) {
      std::uint32_t needed = std::max(users, free.cpus_shared / free.cpus_total) + 1;
      out.more_with = out.more_with ? std::min(out.more_with, needed) : needed;
    }
    if (cpus == 0) continue;
    Free part = free;
    part.cpus = static_cast<std::uint32_t>(std::min<std::uint64_t>(cpus, free.cpus));
    if (out.nodes.empty() || out.nodes.back().node != part.node)
      out.nodes.push_back(std::move(part));
    else if (capacity.of(part) > capacity.of(out.nodes.back()))
      out.nodes.back() = std::move(part);
  }
  return out;
}

// --extra-node-info: at least so many sockets, cores in each and threads in each of these; --tmp.
bool is_built_as(const NodeSpec& node, const JobExtras& wanted) {
  return node.tmp_mb >= wanted.tmp_mb && node.sockets >= wanted.sockets_per_node &&
         node.cores_per_socket >= wanted.cores_per_socket &&
         node.threads_per_core >= wanted.binding.threads_per_core;
}

// Have the nodes the features that the job asks for, or those that it would like? They may have
// changed since.
bool have_features(const State& state, const JobSpec& spec, const Allocation& allocation) {
  if (spec.extras->features.empty()) return true;
  auto wanted = FeatureExpression::parse(spec.extras->features);
  const std::string& wish = spec.extras->specials->prefer;
  auto preferred = FeatureExpression::parse(wish);
  return std::ranges::all_of(allocation.nodes, [&](const NodeShare& share) {
    const Node* node = state.find(share.node);
    if (!node) return false;
    return (wanted && wanted->admits(node->features_now())) ||
           (!wish.empty() && preferred && preferred->admits(node->features_now()));
  });
}

}  // namespace

JobSpec with_fewest_nodes(const JobSpec& spec) {
  JobSpec other = spec;
  JobExtras extras = *spec.extras;
  JobSpecials specials = *extras.specials;
  specials.use_min_nodes = true;
  extras.specials = Ref(std::move(specials));
  other.extras = Ref(std::move(extras));
  return other;
}

// --exclusive=user: the jobs of a node are one user's; --exclusive=mcs: they have one label.
bool owner_admits(const JobSpec& spec, const Free& node, const PlacementRules& rules) {
  if (node.idle) return true;
  if (!label_admits(spec, node)) return false;
  bool alone = rules.user_alone || spec.extras->specials->exclusive_kind == kExclusiveUser;
  if (alone && (node.several_owners || node.owner != spec.uid)) return false;
  return !node.for_user || node.owner == spec.uid;
}

PlacementRules rules_in(const PartitionSpec& partition, PlacementRules cluster) {
  cluster.whole_nodes = cluster.whole_nodes || partition.exclusive || partition.exclusive_topo;
  cluster.topo_alone = partition.exclusive_topo;
  cluster.max_cpus_per_node = partition.max_cpus_per_node;
  cluster.max_nodes = partition.max_nodes;
  cluster.user_alone = partition.exclusive_user;
  cluster.least_loaded = partition.lln;
  if (!cluster.takes_turns && partition.oversubscribe.size() > 2) {  // not NO
    cluster.sharers = sharers_in(partition);
    cluster.shares_by_force = shares_cpus(partition, {});
  }
  auto groups = cluster.topologies->find(partition.topology);
  if (groups != cluster.topologies->end()) cluster.groups = groups->second;
  return cluster;
}

std::uint32_t rows_for(const JobSpec& spec, const PlacementRules& rules) {
  if (rules.sharers <= 1) return 0;
  return rules.shares_by_force || (spec.oversubscribe && !spec.exclusive) ? rules.sharers : 0;
}

std::vector<const Partition*> partitions_of(const JobSpec& spec, const State& state) {
  std::vector<const Partition*> found;
  for (std::string_view name : split_words(spec.partitions, ','))
    if (const Partition* partition = state.find_partition(name)) found.push_back(partition);
  return found;
}

std::vector<const Partition*> partitions_by_tier(const JobSpec& spec, const State& state) {
  std::vector<const Partition*> found = partitions_of(spec, state);
  if (found.size() < 2) return found;
  auto tier = [](const Partition* one) { return one->spec->priority_tier; };
  std::vector<const Partition*> sorted;
  for (const Partition* one : found)
    sorted.insert(std::ranges::upper_bound(sorted, tier(one), std::greater(), tier), one);
  return sorted;
}

std::uint64_t mcs_of(const JobSpec& spec) { return number_of(spec.extras->specials->mcs_label); }

bool keeps_labels_off(const JobSpec& spec) {
  return spec.extras->specials->exclusive_kind == kExclusiveMcs;
}

bool wants_blocks_alone(const JobSpec& spec, const PlacementRules& rules) {
  return rules.topo_alone || spec.extras->specials->exclusive_kind == kExclusiveTopo;
}

bool blocks_admit(const State& state, const JobSpec& spec, const Allocation& allocation,
                  const PlacementRules& rules) {
  if (!rules.groups) return true;
  bool alone = wants_blocks_alone(spec, rules);
  std::vector<NodeId> around = blocks_around(*rules.groups, allocation.nodes);
  return std::ranges::all_of(around, [&](NodeId id) {
    const Node* node = state.find(id);
    return !node || (node->for_topo == 0 && (!alone || node->jobs == node->parked));
  });
}

Capacity::Capacity(const JobSpec& spec, const PlacementRules& rules)
    : spec_(spec),
      rules_(rules),
      needs_(needs_of(spec)),
      rows_(rows_for(spec, rules)),
      whole_(spec.exclusive || rules.whole_nodes),
      alone_(rules.user_alone || spec.extras->specials->exclusive_kind == kExclusiveUser),
      keeps_labels_off_(keeps_labels_off(spec)),
      all_memory_(spec.extras->specials->all_memory),
      spares_(spec.extras->core_spec != kNoCoreSpec),
      gres_(gres_request(spec) != nullptr) {}

std::uint32_t Capacity::count(const Free& node, const Room& room, bool with_gres) const {
  if (whole_ && !(rows_ ? room.cpus >= node.cpus_total : room.idle)) return 0;
  bool has_owner = alone_ || keeps_labels_off_ || node.for_user || node.for_mcs;
  if (has_owner && !owner_admits(spec_, node, rules_)) return 0;
  std::uint32_t withheld = spares_ ? std::min(room.cpus, spared(spec_, node)) : 0;
  std::uint32_t cpus = std::min(room.cpus - withheld, rules_.max_cpus_per_node);
  if (!whole_) cpus = whole_units_in(cpus, rules_.unit, node.shape);
  if (cpus < std::max(1u, spec_.min_cpus_per_node)) return 0;
  std::uint32_t tasks = spec_.overcommit ? spec_.tasks : tasks_that_fit(needs_, node.shape, cpus);
  if (spec_.tasks_per_node) tasks = std::min(tasks, spec_.tasks_per_node);
  if (tasks > 0 && with_gres) tasks = gres_capacity(spec_, node, tasks, cpus, rules_);
  if (!rules_.memory_counts || tasks == 0) return tasks;
  if (all_memory_) return node.spec && room.memory_mb >= node.spec->memory_for_jobs() ? tasks : 0;
  if (spec_.memory_per_node_mb) return room.memory_mb >= spec_.memory_per_node_mb ? tasks : 0;
  if (spec_.memory_per_cpu_mb) {
    // It pays for all CPUs that it is given, those that its tasks leave unused among them.
    auto paid = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(room.memory_mb / spec_.memory_per_cpu_mb, 0xffffffff));
    if (!whole_) paid = whole_units_in(paid, rules_.unit, node.shape);
    tasks = std::min(tasks, tasks_that_fit(needs_, node.shape, paid));
  }
  return tasks;
}

NodeShare share_for(const JobSpec& spec, const Free& node, std::uint32_t tasks,
                    const PlacementRules& rules) {
  bool whole = spec.exclusive || rules.whole_nodes;
  if (spec.overcommit) tasks = 1;  // on each node, whatever their number
  std::uint32_t wanted =
      std::max({1u, cpus_for(needs_of(spec), node.shape, tasks), spec.min_cpus_per_node});
  NodeShare share{.node = node.node,
                  .cpus = whole ? node.cpus_total - std::min(node.cpus_total, spared(spec, node))
                                : std::min(whole_units_for(wanted, rules.unit, node.shape),
                                           whole_units_in(node.cpus, rules.unit, node.shape)),
                  .memory_mb = 0,
                  .row = node.row};
  if (rules.memory_counts) {
    if (spec.extras->specials->all_memory)
      share.memory_mb = node.memory_mb;
    else if (spec.memory_per_node_mb)
      share.memory_mb = spec.memory_per_node_mb;
    else if (spec.memory_per_cpu_mb)  // it may get more CPUs than its tasks need
      share.memory_mb = std::min(spec.memory_per_cpu_mb * share.cpus, node.memory_mb);
    else if (whole || (spec.extras && spec.extras->specials->all_memory))
      share.memory_mb = node.memory_mb;
  }
  return share;
}

std::optional<Allocation> place(const JobSpec& spec, std::vector<Free> candidates,
                                const PlacementRules& rules) {
  if (rows_for(spec, rules) == 0) return place_among(spec, std::move(candidates), rules);
  // Which of a node's CPUs a job gets is the node's choice: those with the fewest users.
  Capacity capacity(spec, rules);
  for (std::uint32_t users = 1;;) {
    Uncrowded some = uncrowded(candidates, users, capacity);
    auto allocation = place_among(spec, std::move(some.nodes), rules);
    if (allocation || some.more_with == 0) return allocation;
    users = some.more_with;
  }
}

Free free_now(const Node& node, std::uint32_t row) {
  std::uint64_t memory = node.spec->memory_for_jobs();
  return {.node = node.id,
          .cpus = node.cpus_free(row),
          .cpus_total = node.spec->cpus_for_jobs(),
          .row = row,
          .memory_mb = memory - std::min(memory, node.memory_used_mb),
          .weight = node.spec->weight,
          .asleep = node.must_wake(),
          .idle = node.jobs == node.parked,
          .shape = shape_of(*node.spec),
          .cpus_withheld = node.spec->system_cpus,
          .spec = &*node.spec,
          .features_chosen = node.features_chosen ? &node.active_features : nullptr,
          .owner = node.owner,
          .several_owners = node.several_owners,
          .for_user = node.for_user > 0,
          .gres = node.gres,
          .mcs = number_of(node.mcs_label),
          .several_mcs = node.several_mcs,
          .for_mcs = node.for_mcs > 0};
}

Free free_when_empty(const Node& node) {
  return {.node = node.id,
          .cpus = node.spec->cpus_for_jobs(),
          .cpus_total = node.spec->cpus_for_jobs(),
          .memory_mb = node.spec->memory_for_jobs(),
          .weight = node.spec->weight,
          .idle = true,
          .shape = shape_of(*node.spec),
          .cpus_withheld = node.spec->system_cpus,
          .spec = &*node.spec,
          .features_chosen = node.features_chosen ? &node.active_features : nullptr,
          .gres = unused_gres(node)};
}

std::vector<const Node*> admitted_nodes(const State& state, const Partition& partition,
                                        const JobSpec& spec) {
  auto required = Hostlist::parse(spec.extras->required_nodes);
  auto excluded = Hostlist::parse(spec.extras->excluded_nodes);
  bool some_required = required && !required->empty(),
       some_excluded = excluded && !excluded->empty();
  auto features = FeatureExpression::parse(spec.extras->features);
  std::vector<const Node*> nodes;
  if (!features) return nodes;  // admission has refused it
  for (NodeId id : *partition.nodes) {
    const Node* node = state.find(id);
    if (!node) continue;
    if (some_excluded && excluded->contains(node->spec->name)) continue;
    // Others may be taken besides, unless it wants no more than it names.
    if (some_required && spec.max_nodes && required->count() >= spec.max_nodes &&
        !required->contains(node->spec->name))
      continue;
    if (!is_built_as(*node->spec, *spec.extras)) continue;
    if (!features->admits(node->features_now())) continue;
    nodes.push_back(node);
  }
  return nodes;
}

bool admits_every_node(const JobSpec& spec) {
  const JobExtras& extras = *spec.extras;
  return extras.required_nodes.empty() && extras.excluded_nodes.empty() &&
         extras.features.empty() && extras.tmp_mb == 0 && extras.sockets_per_node <= 1 &&
         extras.cores_per_socket <= 1 && extras.binding.threads_per_core <= 1;
}

Reason refusal_of(const PartitionSpec& partition, const JobSpec& spec) {
  if (partition.state == PartitionState::Down) return Reason::PartitionDown;
  if (partition.state == PartitionState::Inactive) return Reason::PartitionInactive;
  if (!admits_account(partition, spec.account)) return Reason::AccountNotAllowed;
  if (!admits_qos(partition, spec.qos, spec.uid)) return Reason::QosNotAllowed;
  if (spec.time_limit_s > partition.max_time_s) return Reason::PartitionTimeLimit;
  if (spec.min_nodes > partition.max_nodes) return Reason::PartitionNodeLimit;
  if (spec.max_nodes && spec.max_nodes < partition.min_nodes) return Reason::PartitionNodeLimit;
  if (exceeds_memory(partition, spec)) return Reason::MaxMemPerLimit;
  return Reason::None;
}

bool still_fits(const State& state, const JobSpec& spec, const Allocation& allocation,
                const PlacementRules& rules) {
  bool whole = spec.exclusive || rules.whole_nodes;
  std::uint32_t rows = rows_for(spec, rules);
  return !allocation.nodes.empty() && blocks_admit(state, spec, allocation, rules) &&
         have_features(state, spec, allocation) &&
         std::ranges::all_of(allocation.nodes, [&](const NodeShare& share) {
           const Node* node = state.find(share.node);
           if (!node || !node->usable()) return false;
           if (node->kept_for && node->kept_for.value != spec.extras->specials->keeps) return false;
           if (share.row > rows || (rows > 0 && share.row == 0)) return false;
           Free free = free_now(*node, share.row);
           if (!owner_admits(spec, free, rules)) return false;
           bool empty = rows ? free.cpus >= free.cpus_total : free.idle;
           return free.cpus >= share.cpus && free.memory_mb >= share.memory_mb &&
                  (!whole || empty) && still_has_gres(*node, allocation);
         });
}

}  // namespace ym
