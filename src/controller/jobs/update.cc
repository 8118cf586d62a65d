// SPDX-License-Identifier: Apache-2.0
// `scontrol update job`: which changes are allowed when, and by whom.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "model/core_spec.h"
#include "model/errc.h"
#include "schedule/priority.h"

namespace ym {
namespace {

template <class T>
void set_if(T& field, const std::optional<T>& value) {
  if (value) field = *value;
}

// Fields that decide where and when a job runs: they are fixed once it does.
bool touches_placement(const JobPatch& patch) {
  return patch.partitions || patch.min_nodes || patch.max_nodes || patch.tasks ||
         patch.cpus_per_task || patch.begin || patch.dependency || patch.features ||
         patch.required_nodes || patch.excluded_nodes || patch.work_dir || patch.std_out ||
         patch.reservation || patch.licenses || patch.gres || patch.prefer || patch.tres_per_node ||
         patch.cluster_features || patch.std_err || patch.std_in || patch.time_min_s ||
         patch.tasks_per_node || patch.min_cpus_per_node || patch.switches || patch.core_spec ||
         patch.memory_per_node_mb || patch.memory_per_cpu_mb || patch.tmp_mb || patch.contiguous ||
         patch.exclusive || patch.oversubscribe || patch.network || patch.min_cpus ||
         patch.sockets_per_node || patch.cores_per_socket || patch.threads_per_core ||
         patch.thread_spec || patch.reboot;
}

// But nodes and memory can be given back.
bool gives_back(const JobPatch& patch) {
  return patch.min_nodes || patch.required_nodes || patch.memory_per_node_mb;
}

JobSpecials patched(JobSpecials specials, const JobPatch& patch) {
  set_if(specials.prefer, patch.prefer);
  set_if(specials.mcs_label, patch.mcs_label);
  set_if(specials.tres_per_node, patch.tres_per_node);
  set_if(specials.cluster_features, patch.cluster_features);
  set_if(specials.switches, patch.switches);
  set_if(specials.switch_wait_s, patch.switch_wait_s);
  set_if(specials.delay_boot_s, patch.delay_boot_s);
  set_if(specials.container_id, patch.container_id);
  set_if(specials.reboot, patch.reboot);
  if (patch.min_nodes || patch.max_nodes) specials.node_counts.clear();
  if (patch.memory_per_node_mb) specials.all_memory = *patch.memory_per_node_mb == 0;
  return specials;
}

JobExtras patched(JobExtras extras, const JobPatch& patch) {
  set_if(extras.reservation, patch.reservation);
  set_if(extras.licenses, patch.licenses);
  set_if(extras.wckey, patch.wckey);
  set_if(extras.mail_user, patch.mail_user);
  set_if(extras.mail_types, patch.mail_types);
  set_if(extras.std_err, patch.std_err);
  set_if(extras.std_in, patch.std_in);
  set_if(extras.gres, patch.gres);
  set_if(extras.burst_buffer, patch.burst_buffer);
  set_if(extras.tmp_mb, patch.tmp_mb);
  set_if(extras.core_spec, patch.core_spec);
  set_if(extras.network, patch.network);
  set_if(extras.sockets_per_node, patch.sockets_per_node);
  set_if(extras.cores_per_socket, patch.cores_per_socket);
  set_if(extras.binding.threads_per_core, patch.threads_per_core);
  if (patch.core_spec) extras.thread_spec = false;
  if (patch.thread_spec) {
    extras.core_spec = *patch.thread_spec;
    extras.thread_spec = true;
  }
  JobSpecials specials = patched(*extras.specials, patch);
  if (!(specials == *extras.specials)) extras.specials = Ref(std::move(specials));
  set_if(extras.comment, patch.comment);
  set_if(extras.site_factor, patch.site_factor);
  set_if(extras.admin_comment, patch.admin_comment);
  set_if(extras.system_comment, patch.system_comment);
  set_if(extras.extra, patch.extra);
  set_if(extras.features, patch.features);
  set_if(extras.required_nodes, patch.required_nodes);
  set_if(extras.excluded_nodes, patch.excluded_nodes);
  return extras;
}

JobSpec patched(JobSpec spec, const JobPatch& patch) {
  set_if(spec.name, patch.name);
  set_if(spec.partitions, patch.partitions);
  set_if(spec.account, patch.account);
  set_if(spec.qos, patch.qos);
  set_if(spec.work_dir, patch.work_dir);
  set_if(spec.std_out, patch.std_out);
  set_if(spec.time_limit_s, patch.time_limit_s);
  set_if(spec.min_nodes, patch.min_nodes);
  set_if(spec.max_nodes, patch.max_nodes);
  set_if(spec.tasks, patch.tasks);
  set_if(spec.cpus_per_task, patch.cpus_per_task);
  // A number that somebody gives counts as it is.
  if (patch.priority.value_or(0) > 0) spec.nice = 0;
  set_if(spec.nice, patch.nice);
  set_if(spec.begin, patch.begin);
  set_if(spec.deadline, patch.deadline);
  set_if(spec.requeue, patch.requeue);
  set_if(spec.time_min_s, patch.time_min_s);
  set_if(spec.tasks_per_node, patch.tasks_per_node);
  set_if(spec.min_cpus_per_node, patch.min_cpus_per_node);
  set_if(spec.contiguous, patch.contiguous);
  set_if(spec.exclusive, patch.exclusive);
  set_if(spec.oversubscribe, patch.oversubscribe);
  // So many CPUs: as many tasks as take them.
  if (patch.min_cpus)
    spec.tasks = (*patch.min_cpus + spec.cpus_per_task - 1) / std::max(1u, spec.cpus_per_task);
  if (patch.memory_per_node_mb) spec.memory_per_cpu_mb = 0;
  if (patch.memory_per_cpu_mb) spec.memory_per_node_mb = 0;
  set_if(spec.memory_per_node_mb, patch.memory_per_node_mb);
  set_if(spec.memory_per_cpu_mb, patch.memory_per_cpu_mb);
  JobExtras extras = patched(*spec.extras, patch);
  if (!(extras == *spec.extras)) spec.extras = Ref(std::move(extras));
  return spec;
}

// EndTime is a limit, counted from the start; "+5" and "-10" are relative to what the limit is.
Result<JobPatch> with_time_limit(JobPatch patch, const Job& job, Instant now) {
  const JobSpec& spec = *job.spec;
  if (patch.end) {
    bool runs = job.state == JobState::Running || job.state == JobState::Suspended;
    if (!runs) return refuse(Errc::JobNotRunning);
    if (*patch.end <= now) return refuse(Errc::InvalidTime);
    patch.time_limit_s = static_cast<std::uint32_t>((*patch.end - job.start).count() / 1000);
    return patch;
  }
  if (!patch.time_limit_change_s) return patch;
  if (spec.time_limit_s == JobSpec::kUnlimited) return refuse(Errc::InvalidTimeLimit);
  std::int64_t limit = std::int64_t{spec.time_limit_s} + *patch.time_limit_change_s;
  if (limit <= 0 || limit >= JobSpec::kUnlimited) return refuse(Errc::InvalidTimeLimit);
  patch.time_limit_s = static_cast<std::uint32_t>(limit);
  return patch;
}

// A new count of nodes must be possible somewhere, unlike that of a submission, which may wait for
// a partition to grow.
bool some_partition_takes(const State& state, const JobSpec& spec) {
  for (std::string_view name : split_words(spec.partitions, ',')) {
    const Partition* partition = state.find_partition(name);
    if (partition && spec.min_nodes <= partition->spec->max_nodes &&
        spec.min_nodes <= partition->nodes->size())
      return true;
  }
  return false;
}

}  // namespace

// What the job counts now, by factors where the site has given them weights. 0 of a held one.
std::uint32_t Controller::priority_now(const Job& job, Instant now) const {
  if (!config_.priority.counts()) return job.priority;
  return priority_at(job, state_, now, scale_of(config_, state_));
}

// Takes what the patch leaves out from a job that runs, and that out of the patch.
Status Controller::take_back(const Job& job, JobPatch& patch, Instant now, Outbox& out) {
  JobId id = job.id;
  bool nodes = patch.min_nodes || patch.required_nodes;
  if (nodes && job.state != JobState::Running) return refuse(Errc::JobNotPending);
  if (patch.memory_per_node_mb)
    if (Status ok = lower_memory(job, *patch.memory_per_node_mb, now, out); !ok) return ok;
  patch.memory_per_node_mb = {};
  if (!nodes) return {};
  if (Status ok = shrink(id, patch, now, out); !ok) return ok;
  patch.min_nodes = patch.max_nodes = {};
  patch.required_nodes = {};
  return {};
}

Status Controller::update(const Job& job, const JobPatch& asked, const Caller& caller, Instant now,
                          Outbox& out) {
  if (is_terminal(job.state)) return refuse(Errc::JobFinished);
  Result<JobPatch> resolved = with_time_limit(asked, job, now);
  if (!resolved) return std::unexpected(resolved.error());
  JobPatch& patch = *resolved;
  bool pending = job.state == JobState::Pending;
  if (!pending && gives_back(patch)) {
    if (Status ok = take_back(job, patch, now, out); !ok) return ok;
    return update(state_.jobs.at(job.id.value), patch, caller, now, out);
  }
  if (!pending && touches_placement(patch)) return refuse(Errc::JobNotPending);
  if ((patch.core_spec || patch.thread_spec) && !may_spare_cores(config_))
    return refuse(Errc::AccessDenied);
  bool raises_limit = patch.time_limit_s && *patch.time_limit_s > job.spec->time_limit_s;
  bool raises_priority = (patch.priority && *patch.priority > priority_now(job, now)) ||
                         (patch.nice && *patch.nice < job.spec->nice);
  bool for_operators = patch.admin_comment || patch.system_comment || patch.site_factor;
  if ((raises_limit && !pending) || raises_priority || for_operators)
    if (!caller.operates()) return refuse(Errc::AccessDenied);

  JobSpec spec = patched(*job.spec, patch);
  if (pending) {
    Caller owner{.uid = spec.uid,
                 .gid = spec.gid,
                 .user_name = spec.user_name,
                 .groups = caller.groups,
                 .administrator = caller.administrator};
    if (Status ok = understand_gres(spec); !ok) return ok;
    if (Status ok = check_specials(spec, patch, caller, owner); !ok) return ok;
    if (Status ok = check_reservation(spec, owner, now); !ok) return ok;
    if (Status ok = check_partitions(spec, owner, job.spec->partitions); !ok) return ok;
    if (patch.min_nodes && !some_partition_takes(state_, spec))
      return refuse(Errc::PartitionConfigUnavailable);
    if (Status ok = check_times(spec, now); !ok) return ok;
    if (Status ok = check_can_ever_run(spec, config_.enforce_partition_limits); !ok) return ok;
  }
  JobUpdated event = unchanged(job);
  set_if(event.priority, patch.priority);
  set_if(event.array_max_running, patch.array_max_running);
  if (patch.dependency) {
    auto dependency = Dependency::parse(*patch.dependency);
    if (!dependency) return refuse(Errc::DependencyInvalid, dependency.error().text);
    if (closes_circle(job.id, *dependency)) return refuse(Errc::CircularDependency);
    mark_arrays(*dependency);
    event.dependency = dependency->empty() ? Ref<Dependency>{} : Ref(std::move(*dependency));
    event.dependency_failed = false;
  }
  if (patch.priority == 0u) (caller.operates() ? event.holds.admin : event.holds.user) = true;
  if (patch.priority.value_or(0) > 0 && (caller.operates() || !job.holds.admin)) {
    event.holds = {};
    event.special_exit = false;
  }
  if (patch.nice && !patch.priority)
    event.priority =
        static_cast<std::uint32_t>(std::int64_t{job.priority} - (*patch.nice - job.spec->nice));
  if (!pending && patch.time_limit_s) {
    bool unlimited = *patch.time_limit_s == JobSpec::kUnlimited;
    event.limit_end = unlimited ? kNever : job.start + std::chrono::seconds(*patch.time_limit_s);
  }
  JobId id = job.id;
  event.spec = Ref(std::move(spec));
  emit(std::move(event), now, out);
  if (patch.dependency) {
    follow_counterparts(id, now, out);
    review_dependency(id, now, out);
  }
  return {};
}

}  // namespace ym
