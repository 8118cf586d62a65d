// SPDX-License-Identifier: Apache-2.0
// `scontrol update job`: which changes are allowed when, and by whom.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"

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
         patch.required_nodes || patch.excluded_nodes || patch.work_dir || patch.std_out;
}

JobExtras patched(JobExtras extras, const JobPatch& patch) {
  set_if(extras.comment, patch.comment);
  set_if(extras.admin_comment, patch.admin_comment);
  set_if(extras.extra, patch.extra);
  set_if(extras.features, patch.features);
  set_if(extras.required_nodes, patch.required_nodes);
  set_if(extras.excluded_nodes, patch.excluded_nodes);
  set_if(extras.reservation, patch.reservation);
  set_if(extras.licenses, patch.licenses);
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
  set_if(spec.nice, patch.nice);
  set_if(spec.begin, patch.begin);
  set_if(spec.deadline, patch.deadline);
  set_if(spec.requeue, patch.requeue);
  JobExtras extras = patched(*spec.extras, patch);
  if (!(extras == *spec.extras)) spec.extras = Ref(std::move(extras));
  return spec;
}

}  // namespace

Status Controller::update(const Job& job, const JobPatch& patch, const Caller& caller, Instant now,
                          Outbox& out) {
  if (is_terminal(job.state)) return refuse(Errc::JobFinished);
  if (patch.time_limit_change_s) {
    // "+5" and "-10" are relative to what the limit is.
    std::int64_t limit = std::int64_t{job.spec->time_limit_s} + *patch.time_limit_change_s;
    if (job.spec->time_limit_s == JobSpec::kUnlimited || limit <= 0)
      return refuse(Errc::InvalidTimeLimit);
    JobPatch resolved = patch;
    resolved.time_limit_change_s.reset();
    resolved.time_limit_s = static_cast<std::uint32_t>(std::min<std::int64_t>(limit, 0xfffffffe));
    return update(job, resolved, caller, now, out);
  }
  bool pending = job.state == JobState::Pending;
  if (!pending && touches_placement(patch)) return refuse(Errc::JobNotPending);
  bool raises_limit = patch.time_limit_s && *patch.time_limit_s > job.spec->time_limit_s;
  bool raises_priority = patch.priority && *patch.priority > job.priority;
  bool negative_nice = patch.nice && *patch.nice < job.spec->nice;
  if ((raises_limit && !pending) || raises_priority || negative_nice || patch.admin_comment)
    if (!caller.administrator) return refuse(Errc::AccessDenied);

  JobSpec spec = patched(*job.spec, patch);
  if (pending) {
    Caller owner{.uid = spec.uid,
                 .gid = spec.gid,
                 .user_name = spec.user_name,
                 .groups = caller.groups,
                 .administrator = caller.administrator};
    if (Status ok = check_reservation(spec, owner, now); !ok) return ok;
    if (Status ok = check_partitions(spec, owner); !ok) return ok;
    if (Status ok = check_can_ever_run(spec); !ok) return ok;
  }
  JobUpdated event{.job = job.id,
                   .spec = {},
                   .holds = job.holds,
                   .priority = patch.priority.value_or(job.priority),
                   .dependency = job.dependency,
                   .dependency_failed = job.dependency_failed,
                   .array_max_running = patch.array_max_running.value_or(job.array_max_running),
                   .limit_end = job.limit_end};
  if (patch.dependency) {
    auto dependency = Dependency::parse(*patch.dependency);
    if (!dependency) return refuse(Errc::DependencyInvalid, dependency.error().text);
    event.dependency = dependency->empty() ? Ref<Dependency>{} : Ref(std::move(*dependency));
    event.dependency_failed = false;
  }
  if (patch.priority == 0u) event.holds.user = true;
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
  if (patch.dependency) review_dependency(id, now, out);
  return {};
}

}  // namespace ym
