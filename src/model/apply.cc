// SPDX-License-Identifier: Apache-2.0
#include "model/apply.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "model/node_gres.h"
#include "notation/licenses.h"

namespace ym {
namespace {

using NodeNames = std::map<std::string, NodeId, std::less<>>;
using PartitionNames = std::map<std::string, PartitionId, std::less<>>;

class Fold {
 public:
  Fold(State& state, const Event& event) : state_(state), at_(event.at), seq_(event.seq) {}

  void operator()(const UnknownEvent&) { YM_CHECK(!"an event of a later release"); }

  void operator()(const ClusterFounded& e) {
    state_.cluster_name = e.name;
    state_.next_job_id = e.first_job_id;
  }

  void operator()(const NodesDefined& e) {
    NodeNames names = *state_.node_names;
    for (const NodeDefinition& definition : e.nodes) {
      Node& node = state_.nodes.edit(definition.node.value);
      node.id = definition.node;
      node.spec = definition.spec;
      renew_gres(node);
      names[definition.spec->name] = definition.node;
      state_.next_node_id = std::max(state_.next_node_id, definition.node.value + 1);
    }
    state_.node_names = Ref(std::move(names));
  }

  void operator()(const NodeRemoved& e) {
    NodeNames names = *state_.node_names;
    names.erase(state_.nodes.at(e.node.value).spec->name);
    state_.node_names = Ref(std::move(names));
    state_.nodes.erase(e.node.value);
  }

  void operator()(const PartitionDefined& e) {
    Partition& partition = state_.partitions.edit(e.partition.value);
    partition = Partition{.id = e.partition, .spec = e.spec, .nodes = e.nodes};
    state_.next_partition_id = std::max(state_.next_partition_id, e.partition.value + 1);
    PartitionNames names = *state_.partition_names;
    names[e.spec->name] = e.partition;
    state_.partition_names = Ref(std::move(names));
  }

  void operator()(const PartitionRemoved& e) {
    PartitionNames names = *state_.partition_names;
    names.erase(state_.partitions.at(e.partition.value).spec->name);
    state_.partition_names = Ref(std::move(names));
    state_.partitions.erase(e.partition.value);
  }

  void operator()(const NodeRegistered& e) {
    Node& node = known(e.node);
    bool same_gres = node.registration->gres == e.registration->gres;
    node.registration = e.registration;
    node.responding = true;
    if (!same_gres) renew_gres(node);
  }
  void operator()(const NodeResponded& e) { known(e.node).responding = true; }
  void operator()(const NodeStoppedResponding& e) { known(e.node).responding = false; }

  void operator()(const NodeStateChanged& e) {
    Node& node = known(e.node);
    node.condition = e.condition;
    node.drain = e.drain;
    node.fail = e.fail;
    node.down_by_admin = e.down_by_admin;
    if (node.reason == e.reason) return;
    node.reason = e.reason;
    node.reason_uid = e.by;
    node.reason_time = e.reason.empty() ? Instant{} : at_;
  }

  void operator()(const NodeRebootChanged& e) { known(e.node).reboot = e.reboot; }

  void operator()(const NodePowerChanged& e) {
    Node& node = known(e.node);
    node.power = e.power;
    if (node.switched_off()) node.responding = false;
  }

  void operator()(const NodeNoted& e) {
    Node& node = known(e.node);
    node.comment = e.comment;
    node.extra = e.extra;
    node.instance_id = e.instance_id;
    node.instance_type = e.instance_type;
    node.cpu_bind = e.cpu_bind;
    node.active_features = e.active_features;
    node.features_chosen = e.features_chosen;
    node.resume_after = e.resume_after;
  }

  void operator()(const ReservationDefined& e) {
    std::uint32_t id = e.reservation.id.value;
    state_.reservations.put(id, e.reservation);
    state_.next_reservation_id = std::max(state_.next_reservation_id, id + 1);
  }
  void operator()(const ReservationRemoved& e) { state_.reservations.erase(e.reservation.value); }

  void operator()(const LicensesDefined& e) {
    Licenses licenses = *state_.licenses;
    for (auto& [name, license] : licenses) license.total = 0;
    for (const License& one : e.licenses) {
      License& license = licenses[one.name];
      license.name = one.name;
      license.total = one.total;
    }
    std::erase_if(licenses, [](const auto& one) { return !one.second.total && !one.second.used; });
    state_.licenses = Ref(std::move(licenses));
  }

  void operator()(const TriggerSet& e) {
    state_.triggers.put(e.trigger.id.value, e.trigger);
    state_.next_trigger_id = std::max(state_.next_trigger_id, e.trigger.id.value + 1);
  }
  void operator()(const TriggerCleared& e) { state_.triggers.erase(e.trigger.value); }
  void operator()(const CrontabSet& e) {
    std::map<Uid, Crontab> crontabs = *state_.crontabs;
    if (e.crontab.text.empty())
      crontabs.erase(e.crontab.uid);
    else
      crontabs[e.crontab.uid] = e.crontab;
    state_.crontabs = Ref(std::move(crontabs));
  }

  void operator()(const JobSubmitted& e) {
    YM_CHECK(!state_.find(e.job));
    Job& job = state_.jobs.edit(e.job.value);
    job.id = e.job;
    job.sluid = e.sluid;
    job.spec = e.spec;
    job.array = e.array;
    if (e.array) {
      job.array_job = e.job;
      job.array_max_running = e.array->max_running;
    }
    job.dependency = e.dependency;
    job.holds = e.holds;
    job.priority = e.priority;
    job.het_job = e.het_job;
    job.submission = e.submission;
    job.het_offset = e.het_offset;
    job.het_count = e.het_count;
    job.submit = at_;
    job.eligible = eligible_time(job);
    use_id(e.job);
    use_sluid(e.sluid);
  }

  void operator()(const ArrayTaskSplit& e) {
    const Job& common = state_.jobs.at(e.array_job.value);
    YM_CHECK(common.array && common.array->waiting.contains(e.task));
    ArrayTasks rest = *common.array;
    rest.waiting.erase(e.task);
    Job element = common;
    element.id = e.job;
    element.array_task = e.task;
    element.sluid = e.sluid;
    element.array = {};
    if (e.job == e.array_job) {
      YM_CHECK(rest.waiting.empty());  // invariant (3) of Job
    } else {
      YM_CHECK(!rest.waiting.empty());
      state_.jobs.edit(e.array_job.value).array = Ref(std::move(rest));
      use_id(e.job);
    }
    state_.note_element(element);
    state_.jobs.put(e.job.value, std::move(element));
    use_sluid(e.sluid);
  }

  void operator()(const JobUpdated& e) {
    Job& job = known(e.job);
    bool was_held = job.held();
    bool kept = keeps_nodes(job);
    job.spec = e.spec;
    job.holds = e.holds;
    bool waits = job.state == JobState::Pending;
    if (was_held && !job.held()) job.failed_launches = 0;
    if (kept && (!keeps_nodes(job) || (waits && job.held()))) free_nodes_kept_for(job.id);
    // It was to come back only if its nodes were to blame.
    if (kept && !keeps_nodes(job) && is_terminal(job.state)) job.requeue_wanted = false;
    job.priority = e.priority;
    job.dependency = e.dependency;
    job.dependency_failed = e.dependency_failed;
    job.array_max_running = e.array_max_running;
    job.special_exit = e.special_exit && job.held();
    if (job.array) job.array = Ref(ArrayTasks{job.array->waiting, e.array_max_running});
    if (waits)
      job.eligible = eligible_time(job);
    else
      job.limit_end = e.limit_end;
  }

  void operator()(const ArrayTasksCancelled& e) {
    Job& job = known(e.array_job);
    YM_CHECK(static_cast<bool>(job.array));
    ArrayTasks rest = *job.array;
    rest.waiting = rest.waiting.minus(e.tasks);
    YM_CHECK(
        !rest.waiting
             .empty());  // invariant (3): the last ones end as JobFinished of the common record
    job.array = Ref(std::move(rest));
  }

  void operator()(const JobStarted& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Pending);
    YM_CHECK(!job.array);
    job.state = JobState::Running;
    job.end_reason = Reason::None;
    job.start = at_;
    job.limit_end = e.limit_end;
    job.partition = e.partition;
    job.allocation = e.allocation;
    job.configuring = e.configuring;
    job.preemption = {};
    job.resumed = job.resized = {};
    job.memory = {};
    give_up_kept(job);
    charge(job);
    count_licenses(*job.allocation, true);
  }

  void operator()(const JobConfigured& e) {
    Job& job = known(e.job);
    job.configuring = false;
    if (!e.limit_end) return;
    job.start = at_;
    job.limit_end = e.limit_end;
  }
  void operator()(const JobLaunched& e) { known(e.job).launched = true; }

  void operator()(const JobShrunk& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Running);
    for (const NodeShare& share : job.allocation->nodes)
      if (!find_share(*e.allocation, share.node)) ++known(share.node).completing;
    job.spec = e.spec;
    job.allocation = e.allocation;
    job.leaving = e.leaving;
    job.resized = at_;
  }

  void operator()(const JobMemoryWanted& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Running || job.state == JobState::Suspended);
    JobMemory memory = *job.memory;
    memory.wanted_mb = e.memory_mb;
    memory.looked = memory.looked || e.looked;
    job.memory = Ref(memory);
  }

  void operator()(const JobMemoryLowered& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Running || job.state == JobState::Suspended);
    JobMemory memory = *job.memory;
    memory.wanted_mb = memory.lowered_mb = 0;
    for (const NodeShare& before : job.allocation->nodes) {
      const NodeShare* after = find_share(*e.allocation, before.node);
      YM_CHECK(after && after->memory_mb <= before.memory_mb);
      known(before.node).memory_used_mb -= before.memory_mb - after->memory_mb;
      memory.lowered_mb = std::max(memory.lowered_mb, after->memory_mb);
    }
    job.memory = Ref(memory);
    job.allocation = e.allocation;
    std::vector<Step> steps = *job.steps;
    for (Step& step : steps)
      for (StepShare& share : step.shares)
        if (const NodeShare* whole = find_share(*e.allocation, share.node))
          share.memory_mb = std::min(share.memory_mb, whole->memory_mb);
    if (!steps.empty()) job.steps = Ref(std::move(steps));
  }

  void operator()(const AllocationChanged& e) {
    Job& job = known(e.job);
    discharge(job);
    job.allocation = e.allocation;
    charge(job);
  }

  void operator()(const JobFinished& e) {
    Job& job = known(e.job);
    YM_CHECK(!is_terminal(job.state));
    bool was_placed = job.holds_resources();
    if (was_placed) count_licenses(*job.allocation, false);
    // Its processes run again until they are killed.
    if (job.state == JobState::Suspended) go_on(job);
    job.state = e.state;
    job.end_reason = e.reason;
    job.exit = e.exit;
    job.end = at_;
    job.killed_by = e.by;
    job.requeue_wanted = e.requeue;
    job.configuring = false;
    job.epilog_due = e.epilog;
    give_up_kept(job);
    if (!was_placed) return;
    if (keeps_nodes(job)) keep_nodes_for(job);
    for (const NodeShare& share : job.allocation->nodes) {
      job.nodes_left.push_back(share.node);
      ++state_.nodes.edit(share.node.value).completing;
    }
    for (const NodeShare& share : job.leaving->nodes) job.nodes_left.push_back(share.node);
  }

  void operator()(const JobEpilogEnded& e) { known(e.job).epilog_due = false; }

  void operator()(const JobNodeReleased& e) {
    Job& job = known(e.job);
    auto at = std::ranges::find(job.nodes_left, e.node);
    const NodeShare* left = find_share(*job.leaving, e.node);
    YM_CHECK(left || at != job.nodes_left.end());
    if (at != job.nodes_left.end()) job.nodes_left.erase(at);
    --state_.nodes.edit(e.node.value).completing;
    if (left) {
      give_back(*left, job, *job.leaving);
      Allocation rest = *job.leaving;
      std::erase_if(rest.nodes, [&](const NodeShare& share) { return share.node == e.node; });
      job.leaving = rest.nodes.empty() ? Ref<Allocation>() : Ref(std::move(rest));
    } else if (const NodeShare* share = find_share(*job.allocation, e.node)) {
      give_back(*share, job, *job.allocation);
    }
  }

  void operator()(const JobRequeued& e) {
    Job& job = known(e.job);
    YM_CHECK(!job.completing());
    job.sluid = e.sluid;
    job.state = JobState::Pending;
    job.end_reason = e.reason;
    job.requeue_wanted = false;
    job.launched = false;
    job.holds = e.holds;
    if (job.held()) give_up_kept(job);
    job.special_exit = e.special_exit;
    job.allocation = {};
    job.partition = {};
    job.start = job.end = job.limit_end = {};
    job.suspended_for = {};
    job.resumed = job.resized = {};
    job.memory = {};
    job.exit = job.derived_exit = {};
    job.steps = {};
    job.ended_steps = {};
    job.next_step = 0;
    job.eligible = std::max(e.begin, at_);
    bool never_began = e.reason == Reason::JobLaunchFailure || e.reason == Reason::MaxRequeue ||
                       e.reason == Reason::LaunchFailedRequeuedHeld;
    job.failed_launches = never_began && job.failed_launches < 0xff
                              ? static_cast<std::uint8_t>(job.failed_launches + 1)
                              : 0;
    ++job.restarts;
    use_sluid(e.sluid);
  }

  // The cpus are free for others meanwhile, the memory is not.
  void operator()(const JobSuspended& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Running);
    discharge(job);
    job.state = JobState::Suspended;
    job.suspended_at = at_;
    charge(job);
  }
  void operator()(const JobResumed& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Suspended);
    Duration paused = go_on(job);
    if (job.preemption) {
      JobPreemption over = *job.preemption;
      over.mode = PreemptMode::Off;
      job.preemption = Ref(over);
    }
    if (job.limit_end < kNever) job.limit_end = job.limit_end + paused;
    std::vector<Step> steps = *job.steps;
    for (Step& step : steps)
      if (step.limit_end && step.limit_end < kNever) step.limit_end = step.limit_end + paused;
    if (!steps.empty()) job.steps = Ref(std::move(steps));
  }
  void operator()(const JobPreempted& e) {
    Job& job = known(e.job);
    YM_CHECK(job.state == JobState::Running);
    job.preemption = Ref(JobPreemption{.at = at_, .by = e.by, .mode = e.mode});
    if (e.limit_end) job.limit_end = e.limit_end;
  }
  void operator()(const RequestAnswered& e) {
    auto oldest = [this] {
      std::optional<std::uint64_t> key;
      state_.answers.visit_from(0, [&](std::uint64_t seq, const RememberedAnswer& one) {
        if (state_.answers.size() >= State::kAnswersMax || at_ - one.at > State::kAnswersKept)
          key = seq;
        return false;
      });
      return key;
    };
    while (auto key = oldest()) state_.answers.erase(*key);
    state_.answers.put(seq_.value, {.seq = seq_, .at = at_, .answered = e});
  }
  void operator()(const JobForgotten& e) {
    const Job& job = known(e.job);
    YM_CHECK(!job.holds_resources());
    if (job.array_job && job.array_task != kNoTask)
      state_.elements.erase(State::element_key(job.array_job, job.array_task));
    state_.jobs.erase(e.job.value);
  }

  void operator()(const StepStarted& e) {
    Job& job = known(e.job);
    std::vector<Step> steps = *job.steps;
    steps.push_back(e.step);
    job.steps = Ref(std::move(steps));
    if (e.step.id < kInteractiveStep) job.next_step = std::max(job.next_step, e.step.id.value + 1);
  }

  void operator()(const StepUpdated& e) {
    change_step(e.job, e.step, [&](Step& step) { step.limit_end = e.limit_end; });
  }

  void operator()(const StepNodeEnded& e) {
    change_step(e.job, e.step, [&](Step& step) {
      std::erase(step.nodes_left, e.node);
      step.worst = std::max(step.worst, e.exit);
      step.out_of_memory = step.out_of_memory || e.out_of_memory;
      merge(step.usage, e.usage);
    });
  }

  // The batch script's step has no record while it lives and does not count for the highest exit of
  // the steps.
  void operator()(const StepEnded& e) {
    Job& job = known(e.job);
    if (e.step == kBatchStep) return keep_ended(job, batch_step(job), e);
    std::vector<Step> steps = *job.steps;
    auto at = std::ranges::find(steps, e.step, &Step::id);
    if (at != steps.end()) {
      keep_ended(job, std::move(*at), e);
      steps.erase(at);
    }
    job.steps = Ref(std::move(steps));
    job.derived_exit = std::max(job.derived_exit, e.exit);
  }

 private:
  static bool keeps_nodes(const Job& job) { return job.spec->extras->specials->keeps != 0; }
  void keep_nodes_for(const Job& job) {
    for (const NodeShare& share : job.allocation->nodes)
      state_.nodes.edit(share.node.value).kept_for = job.id;
    ++state_.kept_changes;
  }
  void give_up_kept(const Job& job) {
    if (keeps_nodes(job)) free_nodes_kept_for(job.id);
  }
  // O(nodes); hardly ever asked.
  void free_nodes_kept_for(JobId job) {
    std::vector<std::uint64_t> kept;
    state_.nodes.for_each([&](std::uint64_t id, const Node& node) {
      if (node.kept_for == job) kept.push_back(id);
    });
    for (std::uint64_t id : kept) state_.nodes.edit(id).kept_for = {};
    if (!kept.empty()) ++state_.kept_changes;
  }
  Job& known(JobId id) {
    YM_CHECK(state_.find(id));
    return state_.jobs.edit(id.value);
  }
  Node& known(NodeId id) {
    YM_CHECK(state_.find(id));
    return state_.nodes.edit(id.value);
  }

  Instant eligible_time(const Job& job) const { return std::max(job.submit, job.spec->begin); }

  // A number was given out: counting goes on behind it. After MaxJobId it starts again, so "behind"
  // is not "above".
  void use_id(JobId job) { state_.next_job_id = (job.value & kJobIdLocalMax) + 1; }
  void use_sluid(Sluid sluid) { state_.last_sluid = std::max(state_.last_sluid, sluid); }

  // Back from Suspended to Running; how long it was.
  Duration go_on(Job& job) {
    Duration paused = std::max(Duration(0), at_ - job.suspended_at);
    discharge(job);
    job.state = JobState::Running;
    job.suspended_for += paused;
    job.suspended_at = {};
    job.resumed = at_;
    charge(job);
    return paused;
  }
  static const NodeShare* find_share(const Allocation& allocation, NodeId node) {
    auto at = std::ranges::find(allocation.nodes, node, &NodeShare::node);
    return at == allocation.nodes.end() ? nullptr : &*at;
  }
  static std::uint32_t cpus_held(const Job& job, const NodeShare& share) {
    return job.state == JobState::Suspended ? 0 : share.cpus;
  }
  // A job that shares keeps nobody off, whatever it asked for.
  static bool has_all_of(const Job& job, const NodeShare& share) {
    return job.spec->exclusive && !share.row;
  }
  static void fill_row(Node& node, std::uint32_t row, std::uint32_t cpus) {
    if (cpus == 0) return;
    std::vector<std::uint32_t> rows = *node.rows;
    if (rows.size() < row) rows.resize(row);
    rows[row - 1] += cpus;
    node.rows = Ref(std::move(rows));
  }
  static void clear_row(Node& node, std::uint32_t row, std::uint32_t cpus) {
    if (cpus == 0) return;
    std::vector<std::uint32_t> rows = *node.rows;
    YM_CHECK(row <= rows.size() && rows[row - 1] >= cpus);
    rows[row - 1] -= cpus;
    while (!rows.empty() && rows.back() == 0) rows.pop_back();
    node.rows = rows.empty() ? Ref<std::vector<std::uint32_t>>() : Ref(std::move(rows));
  }
  static bool keeps_others_off(const Job& job) {
    return job.spec->extras->specials->exclusive_kind == kExclusiveUser;
  }
  static const std::string& label_of(const Job& job) {
    return job.spec->extras->specials->mcs_label;
  }
  static bool keeps_labels_off(const Job& job) {
    return job.spec->extras->specials->exclusive_kind == kExclusiveMcs;
  }
  void charge(const Job& job) {
    for (const NodeShare& share : job.allocation->nodes) {
      Node& node = known(share.node);
      node.cpus_used += cpus_held(job, share);
      if (share.row) fill_row(node, share.row, cpus_held(job, share));
      node.memory_used_mb += share.memory_mb;
      if (node.jobs == 0) {
        node.owner = job.spec->uid;
        node.several_owners = node.several_mcs = false;
        node.mcs_label = label_of(job);
      }
      node.several_mcs = node.several_mcs || node.mcs_label != label_of(job);
      node.several_owners = node.several_owners || node.owner != job.spec->uid;
      node.jobs += 1;
      if (job.is_parked()) {
        node.parked += 1;
        node.parked_cpus += share.cpus;
      } else {
        node.exclusive += has_all_of(job, share) ? 1 : 0;
        node.for_user += keeps_others_off(job) ? 1 : 0;
        node.for_mcs += keeps_labels_off(job) ? 1 : 0;
        node.for_topo += job.allocation->topo_alone ? 1 : 0;
      }
      change_gres(node, *job.allocation, hold_gres);
    }
  }
  void discharge(const Job& job) {
    for (NodeShare share : job.allocation->nodes) {
      if (job.is_parked()) known(share.node).parked_cpus -= share.cpus;
      share.cpus = cpus_held(job, share);
      give_back(share, job, *job.allocation);
    }
  }
  void give_back(const NodeShare& share, const Job& job, const Allocation& allocation) {
    Node& node = known(share.node);
    YM_CHECK(node.cpus_used >= share.cpus);
    YM_CHECK(node.memory_used_mb >= share.memory_mb);
    YM_CHECK(node.jobs > 0);
    node.cpus_used -= share.cpus;
    if (share.row) clear_row(node, share.row, share.cpus);
    node.memory_used_mb -= share.memory_mb;
    node.jobs -= 1;
    if (job.is_parked()) {
      node.parked -= 1;
    } else {
      node.exclusive -= has_all_of(job, share) ? 1 : 0;
      node.for_user -= keeps_others_off(job) ? 1 : 0;
      node.for_mcs -= keeps_labels_off(job) ? 1 : 0;
      node.for_topo -= allocation.topo_alone ? 1 : 0;
    }
    if (node.jobs == 0) node.mcs_label.clear();
    node.last_busy = at_;
    change_gres(node, allocation, release_gres);
  }

  static void change_gres(Node& node, const Allocation& allocation,
                          void (*change)(GresKinds&, const GresShare&)) {
    if (!allocation.gres || !node.gres) return;
    GresKinds kinds = *node.gres;
    for (const GresShare& share : *allocation.gres)
      if (share.node == node.id) change(kinds, share);
    node.gres = Ref(std::move(kinds));
  }

  // What the node has, from what is known of it now. Whoever holds something of it goes on to:
  // O(jobs) if anybody does and there is now something else than before, which is rare.
  void renew_gres(Node& node) {
    GresKinds kinds = gres_of(*node.spec, *node.registration);
    GresKinds before = *node.gres;
    for (GresKind& kind : before) {
      kind.used = 0;
      for (GresDevice& device : kind.devices) device.used = 0;
    }
    if (kinds == before) return;
    if (node.jobs > 0)
      state_.jobs.for_each([&](std::uint64_t, const Job& job) {
        if (!job.holds_resources()) return;
        bool left =
            job.completing() && std::ranges::find(job.nodes_left, node.id) == job.nodes_left.end();
        for (const Allocation* held : {&*job.allocation, &*job.leaving}) {
          if (left || !held->gres) continue;
          for (const GresShare& share : *held->gres)
            if (share.node == node.id) hold_gres(kinds, share);
        }
      });
    node.gres = kinds.empty() ? Ref<GresKinds>() : Ref(std::move(kinds));
  }

  // They are the job's from its start to its end: nodes that are still to be cleaned hold none.
  void count_licenses(const Allocation& allocation, bool taken) {
    if (allocation.licenses.empty()) return;
    auto held = LicenseList::parse(allocation.licenses);
    YM_CHECK(held.has_value());
    Licenses licenses = *state_.licenses;
    for (const LicenseList::Term& term : held->terms) {
      License& license = licenses[term.name];
      license.name = term.name;
      YM_CHECK(taken || license.used >= term.count);
      license.used = taken ? license.used + term.count : license.used - term.count;
    }
    std::erase_if(licenses, [](const auto& one) { return !one.second.total && !one.second.used; });
    state_.licenses = Ref(std::move(licenses));
  }

  static Step batch_step(const Job& job) {
    Step step{.id = kBatchStep, .name = "batch", .tasks = 1, .start = job.start};
    if (!job.allocation->nodes.empty()) {
      const NodeShare& host = job.allocation->batch_share();
      step.shares = {{.node = host.node, .tasks = 1, .cpus = host.cpus}};
    }
    return step;
  }
  void keep_ended(Job& job, Step step, const StepEnded& e) const {
    step.worst = e.exit;
    step.usage = e.usage;
    step.out_of_memory = e.out_of_memory;
    step.nodes_left.clear();
    step.key.clear();
    std::vector<EndedStep> ended = *job.ended_steps;
    if (ended.size() >= kEndedStepsMax) ended.erase(ended.begin());
    ended.push_back({.step = std::move(step), .end = at_});
    job.ended_steps = Ref(std::move(ended));
  }

  template <class Change>
  void change_step(JobId id, StepId step_id, Change change) {
    Job& job = known(id);
    std::vector<Step> steps = *job.steps;
    for (Step& step : steps)
      if (step.id == step_id) change(step);
    job.steps = Ref(std::move(steps));
  }

  State& state_;
  Instant at_;
  Seq seq_;
};

}  // namespace

void apply(State& state, const Event& event) {
  YM_CHECK(event.seq.value == state.seq.value + 1);
  std::visit(Fold(state, event), event.body);
  state.seq = event.seq;
  state.time = std::max(state.time, event.at);
}

}  // namespace ym
