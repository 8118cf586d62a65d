// SPDX-License-Identifier: Apache-2.0
// Admission: what is refused at once, what is filled in, and the event that makes a job.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "model/core_spec.h"
#include "controller/queries/rows.h"
#include "model/errc.h"
#include "model/partition_access.h"
#include "notation/features.h"
#include "notation/hostlist.h"
#include "schedule/diagnose.h"
#include "schedule/het.h"
#include "schedule/memory_limit.h"
#include "schedule/outlook.h"
#include "schedule/place_gres.h"
#include "schedule/placement.h"
#include "schedule/queue.h"
#include "schedule/shape.h"

namespace ym {
namespace {

bool admits(const PartitionSpec& partition, const Caller& caller) {
  if (partition.root_only && !caller.administrator) return false;
  if (partition.disable_root && caller.uid == Uid{0}) return false;
  return caller.administrator || admits_groups(partition, caller.groups);
}

bool takes_jobs(const PartitionSpec& partition) {
  return partition.state != PartitionState::Drain && partition.state != PartitionState::Inactive;
}

bool is_one_of(std::string_view names, std::string_view name) {
  std::vector<std::string_view> all = split_words(names, ',');
  return std::ranges::find(all, name) != all.end();
}

// AllowAccounts, AllowQos and their opposites; Slurm's numbers and texts.
Status check_account(const PartitionSpec& partition, const JobSpec& spec) {
  if (!admits_account(partition, spec.account))
    return fail(2045, "Invalid account or account/partition combination specified");
  if (!admits_qos(partition, spec.qos, spec.uid)) return fail(2066, "Invalid qos specification");
  return {};
}

void fill_memory(JobSpec& spec, const PartitionSpec& partition, const ClusterConfig& config) {
  if (spec.memory_per_cpu_mb || spec.memory_per_node_mb) return;
  if (spec.extras && spec.extras->specials && spec.extras->specials->all_memory) return;
  if (spec.extras->specials->gres->memory_per_gpu_mb) return;
  spec.memory_per_cpu_mb = partition.default_memory_per_cpu_mb;
  if (!spec.memory_per_cpu_mb) spec.memory_per_node_mb = partition.default_memory_per_node_mb;
  if (spec.memory_per_cpu_mb || spec.memory_per_node_mb) return;
  spec.memory_per_cpu_mb = config.default_memory_per_cpu_mb;
  if (!spec.memory_per_cpu_mb) spec.memory_per_node_mb = config.default_memory_per_node_mb;
}

// The caller's, unless root submits for somebody else (--uid) or in another group (--gid).
void take_identity(JobSpec& spec, const Caller& caller) {
  bool root = caller.uid == Uid{0};
  if (root && !spec.user_name.empty()) return;
  spec.uid = caller.uid;
  if (!root || spec.gid == Gid{0}) spec.gid = caller.gid;
  spec.user_name = caller.user_name;
}

// --core-spec means whole nodes; without AllowSpecResourcesUsage it means nothing.
void obey_core_spec(JobSpec& spec, const ClusterConfig& config) {
  if (!spec.extras || spec.extras->core_spec == kNoCoreSpec) return;
  if (may_spare_cores(config)) {
    spec.exclusive = true;
    return;
  }
  JobExtras extras = *spec.extras;
  extras.core_spec = kNoCoreSpec;
  extras.thread_spec = false;
  spec.extras = Ref(std::move(extras));
}

// --nodelist: all of these nodes are wanted.
void count_required(JobSpec& spec) {
  if (!spec.extras || spec.extras->required_nodes.empty()) return;
  auto required = Hostlist::parse(spec.extras->required_nodes);
  if (!required) return;
  auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(required->count(), 0xffffffff));
  bool all = !spec.max_nodes || spec.max_nodes >= count;
  if (all) spec.min_nodes = std::max(spec.min_nodes, count);
}

// Is there a node that could take one task?
bool any_node_takes(const State& state, const Partition& partition, JobSpec one_task,
                    const PlacementRules& rules) {
  JobExtras extras = *one_task.extras;
  extras.required_nodes.clear();
  extras.features.clear();
  auto nodes = admitted_nodes(state, partition, one_task);
  one_task.extras = Ref(std::move(extras));
  PlacementRules within = rules_in(*partition.spec, rules);
  within.groups = {};  // what a node could take does not depend on its neighbours
  return std::ranges::any_of(nodes, [&](const Node* node) {
    return place(one_task, {free_when_empty(*node)}, within).has_value();
  });
}

}  // namespace

void Controller::submit(RequestId request, const SubmitJob& submit, const Caller& caller,
                        Instant now, Outbox& out) {
  if (const Job* job = made_by(submit, caller)) {
    SubmitAnswer again{.job = job->id, .sluid = job->sluid};
    if (job->het_count) again.components = job->het_count;
    return answer(request, std::move(again), out);
  }
  if (state_.jobs.size() >= config_.max_job_count) {
    auto error = refuse(Errc::QueueFull);
    return refuse_request(request, error.error(), out);
  }
  Result<std::vector<JobSubmitted>> admitted = admit_all(submit, caller, now);
  if (!admitted) return refuse_request(request, admitted.error(), out);
  if (submit.test_only) return answer_test(request, *admitted, now, out);
  SubmitAnswer told{.components = static_cast<std::uint32_t>(admitted->size())};
  for (JobSubmitted& one : *admitted) {
    one.sluid = next_sluid(state_, now);
    one.submission = submit.submission;
    if (!told.job) {
      submissions_.note(one.spec->uid, submit.submission, one.job, now);
      told.job = one.job;
      told.sluid = one.sluid;
    }
    emit(one, now, out);
  }
  for (const JobSubmitted& one : *admitted) {
    if (one.dependency->empty()) continue;
    follow_counterparts(one.job, now, out);
    review_dependency(one.job, now, out);
  }
  answer(request, std::move(told), out);
}

// The job that this very request made before: its answer was lost, and is asked for again.
const Job* Controller::made_by(const SubmitJob& submit, const Caller& caller) const {
  if (submit.test_only) return nullptr;
  JobId job = submissions_.find(caller.uid, submit.submission);
  if (!job && caller.administrator) job = submissions_.find(submit.spec.uid, submit.submission);
  return job ? state_.find(job) : nullptr;
}

Result<JobSubmitted> Controller::admit(const SubmitJob& submit, const Caller& caller, Instant now) {
  JobSpec spec = submit.spec;
  take_identity(spec, caller);
  if (spec.submit_line.size() > kSubmitLineMax) spec.submit_line.resize(kSubmitLineMax);
  if (spec.batch && submit.spec.script_blob.empty()) return refuse(Errc::JobScriptMissing);
  if (spec.tasks == 0 || spec.cpus_per_task == 0) return refuse(Errc::TooManyRequestedCpus);
  if (spec.max_nodes && spec.max_nodes < spec.min_nodes) return refuse(Errc::InvalidNodeCount);
  if (const std::string& counts = spec.extras->specials->node_counts; !counts.empty())
    if (auto parsed = ArrayExpression::parse(counts); !parsed || parsed->max_running)
      return refuse(Errc::InvalidNodeCount);
  if (spec.nice < 0 && !caller.administrator) return refuse(Errc::InvalidNice);
  obey_core_spec(spec, config_);
  count_required(spec);
  if (Status ok = check_batch_features(spec); !ok) return std::unexpected(ok.error());
  if (Status ok = check_container(spec.extras->container); !ok) return std::unexpected(ok.error());
  if (Status ok = obey_reboot(spec, caller); !ok) return std::unexpected(ok.error());
  if (Status ok = label_job(spec, caller); !ok) return std::unexpected(ok.error());
  if (Status ok = understand_gres(spec); !ok) return std::unexpected(ok.error());
  if (Status ok = check_reservation(spec, caller, now); !ok) return std::unexpected(ok.error());
  if (Status ok = check_partitions(spec, caller); !ok) return std::unexpected(ok.error());
  if (Status ok = check_times(spec, now); !ok) return std::unexpected(ok.error());
  bool strictly = submit.test_only || config_.enforce_partition_limits;
  if (Status ok = check_can_ever_run(spec, strictly); !ok) return std::unexpected(ok.error());

  JobSubmitted event{.job = fresh_job_id(1)};
  if (!submit.array.empty()) {
    auto array = ArrayExpression::parse(submit.array);
    if (!array) return refuse(Errc::BadJobArray, array.error().text);
    if (array->indices.max() >= config_.max_array_size) return refuse(Errc::BadJobArray);
    event.array = Ref(ArrayTasks{.waiting = array->indices, .max_running = array->max_running});
  }
  if (!submit.dependency.empty()) {
    auto dependency = Dependency::parse(submit.dependency);
    if (!dependency) return refuse(Errc::DependencyInvalid, dependency.error().text);
    mark_arrays(*dependency);
    event.dependency = Ref(std::move(*dependency));
  }
  bool explicit_priority = submit.priority != kNoPriority && caller.administrator;
  event.priority = explicit_priority ? submit.priority : automatic_priority(event.job, spec.nice);
  // A priority of zero is a hold, and so is --hold.
  if (submit.hold || submit.priority == 0)
    (caller.administrator && submit.priority == 0 ? event.holds.admin : event.holds.user) = true;
  event.spec = Ref(std::move(spec));
  return event;
}

// What the partition itself has against the job, where EnforcePartLimits asks.
Status Controller::check_partition(const PartitionSpec& rules, const JobSpec& spec) const {
  if (spec.time_limit_s > rules.max_time_s) return refuse(Errc::InvalidTimeLimit);
  if (spec.min_nodes > rules.max_nodes) return refuse(Errc::InvalidNodeCount);
  if (spec.max_nodes && spec.max_nodes < rules.min_nodes) return refuse(Errc::InvalidNodeCount);
  if (exceeds_memory(rules, spec)) return refuse(Errc::InvalidTaskMemory);
  return {};
}

namespace {

// The partition, or where it takes no jobs its alternate, if that is one that does.
const Partition* partition_or_alternate(const State& state, const Partition* partition) {
  constexpr int kHopsMax = 16;  // alternates may go round in a circle
  const Partition* now = partition;
  for (int hops = 0; now && hops < kHopsMax; ++hops) {
    if (takes_jobs(*now->spec)) return now;
    now = state.find_partition(now->spec->alternate);
  }
  return partition;
}

}  // namespace

// Alternate: where jobs for a partition that takes none go. Names that a job had stay.
void Controller::use_alternates(JobSpec& spec, std::string_view had) const {
  if (spec.partitions.find(',') == std::string::npos) {  // as of most jobs
    const Partition* only = state_.find_partition(spec.partitions);
    if (!only || only->spec->alternate.empty()) return;
  }
  std::vector<std::string> names;
  for (std::string_view name : split_words(spec.partitions, ',')) {
    const Partition* partition = state_.find_partition(name);
    if (partition && !is_one_of(had, name)) {
      partition = partition_or_alternate(state_, partition);
      name = partition->spec->name;
    }
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  spec.partitions = join(names, ",");
}

// Resolves the partition list, applies defaults of the first one, and permission of all. Limits
// count as EnforcePartLimits says: not here (the job then waits), in one of them or in all.
Status Controller::check_partitions(JobSpec& spec, const Caller& caller,
                                    std::string_view had) const {
  if (spec.partitions.empty()) {
    const Partition* standard = state_.default_partition();
    if (!standard) return refuse(Errc::DefaultPartitionNotSet);
    spec.partitions = standard->spec->name;
  }
  use_alternates(spec, had);
  bool first = true, some = false;
  Status limits;
  for (std::string_view name : split_words(spec.partitions, ',')) {
    const Partition* partition = state_.find_partition(name);
    if (!partition) return refuse(Errc::InvalidPartition);
    const PartitionSpec& rules = *partition->spec;
    if (!is_one_of(had, name) && !admits(rules, caller))
      return refuse(Errc::JobMissingRequiredPartitionGroup);
    if (!is_one_of(had, name) && !admits_host(rules, spec.submit_host))
      return refuse(Errc::AccessDenied);
    if (Status ok = check_account(rules, spec); !ok) return ok;
    bool reserved = spec.extras && !spec.extras->reservation.empty();
    if (rules.req_resv && !reserved) return refuse(Errc::AccessDenied);
    if (!takes_jobs(rules)) return refuse(Errc::PartitionUnavailable);
    if (first) {
      if (spec.time_limit_s == 0)
        spec.time_limit_s = rules.default_time_s ? rules.default_time_s : rules.max_time_s;
      fill_gpu_defaults(spec, rules);
      fill_memory(spec, rules, config_);
      first = false;
    }
    spread_memory(rules, spec);
    Status within = check_partition(rules, spec);
    some = some || within;
    if (!within) limits = within;
  }
  if (!config_.enforce_partition_limits || (config_.any_partition_suffices && some)) return {};
  return limits;
}

Status Controller::check_times(const JobSpec& spec, Instant now) const {
  if (spec.time_min_s > spec.time_limit_s) return refuse(Errc::InvalidTimeMin);
  if (!spec.deadline) return {};
  std::uint32_t time_s = spec.time_min_s ? spec.time_min_s : spec.time_limit_s;
  if (time_s == JobSpec::kUnlimited) time_s = 0;
  Instant earliest = std::max(now, spec.begin);
  if (earliest + std::chrono::seconds(time_s) > spec.deadline)
    return refuse(Errc::InvalidTimeLimit);
  return {};
}

// Nodes and features that it names must exist.
Status Controller::check_nodes(const JobSpec& spec) const {
  if (!spec.extras) return {};
  for (const std::string* list : {&spec.extras->required_nodes, &spec.extras->excluded_nodes}) {
    auto hosts = Hostlist::parse(*list);
    if (!hosts) return refuse(Errc::InvalidNodeName, hosts.error().text);
    Status known;
    hosts->for_each([&](std::string_view host) {
      if (known && !state_.find_node(host)) known = refuse(Errc::InvalidNodeName, host);
    });
    if (!known) return known;
  }
  auto required = Hostlist::parse(spec.extras->required_nodes);
  auto excluded = Hostlist::parse(spec.extras->excluded_nodes);
  bool both = false;
  required->for_each([&](std::string_view host) { both = both || excluded->contains(host); });
  if (both) return refuse(Errc::InvalidNodeName);
  std::vector<std::string> missing;
  for (const std::string* text : {&spec.extras->features, &spec.extras->specials->prefer}) {
    if (text->empty()) continue;
    auto features = FeatureExpression::parse(*text);
    if (!features) return refuse(Errc::InvalidFeature);
    missing.insert(missing.end(), features->names.begin(), features->names.end());
  }
  if (missing.empty()) return {};
  state_.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (missing.empty()) return;
    std::vector<std::string_view> have = split_words(node.spec->features, ',');
    std::erase_if(missing, [&](const std::string& name) {
      return std::ranges::find(have, name) != have.end();
    });
  });
  if (!missing.empty()) return refuse(Errc::InvalidFeature);
  return {};
}

// Does it not fit because of --exclude alone? Then it is refused, as in Slurm, rather than left to
// wait.
bool Controller::exclusion_is_to_blame(const JobSpec& spec) const {
  if (spec.extras->excluded_nodes.empty()) return false;
  JobSpec other = spec;
  JobExtras extras = *spec.extras;
  extras.excluded_nodes.clear();
  other.extras = Ref(std::move(extras));
  return std::ranges::any_of(partitions_of(other, state_), [&](const Partition* partition) {
    return fits_when_empty(state_, *partition, other, placement_rules());
  });
}

namespace {

// Does it want more nodes or CPUs than the partition has, or allows? Such a job waits for the
// partition to grow, as in Slurm; one that would fit by its numbers, but not in the shape that it
// wants, never will.
bool is_too_large(const State& state, const Partition& partition, const JobSpec& spec) {
  if (spec.min_nodes > partition.nodes->size() || spec.min_nodes > partition.spec->max_nodes)
    return true;
  std::uint64_t wanted = std::uint64_t{spec.tasks} * std::max(1u, spec.cpus_per_task), cpus = 0;
  for (NodeId id : *partition.nodes) cpus += state.nodes.at(id.value).spec->cpus;
  return wanted > cpus;
}

}  // namespace

// Could it start if every node of its partitions were up and empty? Asked once for each shape. What
// no node could take any part of is refused, and so is what could be divided among the nodes, but
// not as it wants to be; what is only too much waits, unless EnforcePartLimits.
Status Controller::check_can_ever_run(const JobSpec& spec, bool strictly) {
  if (Status ok = check_nodes(spec); !ok) return ok;
  // Resources of the whole job are refused as such: no node has a part that could be judged.
  bool of_job = gres_total(*spec.extras->specials->gres) > 0;
  std::string key = shape_key(spec);
  auto known = can_ever_run_.find(key);
  if (known == can_ever_run_.end()) {
    JobSpec least = spec;
    // --ntasks-per-node: each node must have CPUs for so many.
    least.tasks = std::max(1u, spec.tasks_per_node);
    least.min_nodes = 1;
    least.max_nodes = 0;
    Fit room = Fit::None;
    for (const Partition* partition : partitions_of(spec, state_)) {
      if (!of_job && !any_node_takes(state_, *partition, least, placement_rules())) continue;
      bool all = fits_when_empty(state_, *partition, spec, placement_rules());
      // There is no box of that size, and there never will be.
      TopologyKind network = rules_in(*partition->spec, placement_rules()).groups->kind;
      if (!all && (network == TopologyKind::Torus || !is_too_large(state_, *partition, spec)))
        continue;
      if (all || room == Fit::None) room = all ? Fit::All : Fit::SomeTasks;
    }
    if (room == Fit::SomeTasks && exclusion_is_to_blame(spec)) room = Fit::None;
    constexpr std::size_t kShapesRemembered = 100'000;
    if (can_ever_run_.size() >= kShapesRemembered) can_ever_run_.clear();
    known = can_ever_run_.emplace(std::move(key), room).first;
  }
  if (known->second == Fit::None || ((strictly || of_job) && known->second != Fit::All))
    return refuse(Errc::RequestedNodeConfigUnavailable);
  return {};
}

// --test-only: as if it stood at the head of the queue.
void Controller::answer_test(RequestId request, const std::vector<JobSubmitted>& admitted,
                             Instant now, Outbox& out) {
  SubmitAnswer told{.job = admitted.front().job,
                    .components = static_cast<std::uint32_t>(admitted.size())};
  Outlook outlook(state_, placement_rules(), now);
  std::vector<const JobSpec*> specs;
  for (const JobSubmitted& one : admitted) specs.push_back(&*one.spec);
  Allocation all;
  for (const Booking& booking : outlook.earliest_together(specs)) {
    told.expected_start = booking.start;
    if (told.partition.empty()) told.partition = state_.find(booking.partition)->spec->name;
    told.cpus += booking.allocation.cpus();
    for (const NodeShare& share : booking.allocation.nodes)
      if (std::ranges::find(all.nodes, share.node, &NodeShare::node) == all.nodes.end())
        all.nodes.push_back(share);
  }
  told.nodes = nodes_text(state_, all);
  answer(request, std::move(told), out);
}

}  // namespace ym
