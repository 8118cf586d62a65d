// SPDX-License-Identifier: Apache-2.0
// Mail about jobs whose users asked for it: MailProg is run with a subject and an address, and the
// facts in its environment. It leaves with the batch that has the event, and nobody waits for it.
#include <algorithm>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/mail/endings.h"
#include "controller/queries/rows.h"
#include "notation/time_limit.h"

namespace ym {
namespace {

// Slurm's numbers; JobExtras::mail_types.
constexpr std::uint32_t kBegin = 0x1, kEnd = 0x2, kFail = 0x4, kRequeue = 0x8, kLimit = 0x10,
                        kLimit90 = 0x20, kLimit80 = 0x40, kLimit50 = 0x80, kEachTask = 0x200;
constexpr std::uint32_t kAnyLimit = kLimit | kLimit90 | kLimit80 | kLimit50;
// Of larger arrays nobody is told when all of it has ended.
constexpr std::size_t kArrayMax = 10'000;

struct Share {
  std::uint32_t type, percent;
  const char* text;
};
constexpr Share kShares[] = {{kLimit, 100, "Reached time limit"},
                             {kLimit90, 90, "Reached 90% of time limit"},
                             {kLimit80, 80, "Reached 80% of time limit"},
                             {kLimit50, 50, "Reached 50% of time limit"}};

std::string run_time(const Job& job) {
  Duration span = job.end && job.start ? job.end - job.start : Duration(0);
  return print_span_long(span);
}

// How much of its time limit has passed, in percent.
std::uint32_t share_of_limit(const Job& job, Instant now) {
  if (!job.start || job.limit_end >= kNever) return 0;
  std::int64_t whole = std::max<std::int64_t>(1, (job.limit_end - job.start).count());
  std::int64_t passed = std::clamp<std::int64_t>((now - job.start).count(), 0, whole);
  return static_cast<std::uint32_t>(100 * passed / whole);
}

}  // namespace

// One mail for an array, unless each element is asked for: at its first begin and its last end.
bool Controller::mails_of(const Job& job, std::uint32_t type) const {
  std::uint32_t types = job.spec->extras->mail_types;
  if (!(types & type)) return false;
  if (!job.array_job || (types & kEachTask)) return true;
  const auto& elements = indexes_.elements_of(job.array_job);
  if (elements.size() > kArrayMax) return false;
  const Job* common = state_.find(job.array_job);
  auto others = [&](auto&& is) {
    if (common && common->id != job.id && is(*common)) return true;
    for (JobId id : elements)
      if (id != job.id && is(state_.jobs.at(id.value))) return true;
    return false;
  };
  if (type == kBegin) return !others([](const Job& one) { return static_cast<bool>(one.start); });
  return !others([](const Job& one) { return !is_terminal(one.state); });
}

void Controller::mail(const EventBody& body, Outbox& out) {
  if (const auto* started = std::get_if<JobStarted>(&body)) {
    const Job& job = state_.jobs.at(started->job.value);
    if (job.spec->extras->mail_types & kAnyLimit) limit_mails_[job.id] = 0;
    if (!mails_of(job, kBegin)) return;
    Duration queued = job.start - std::max(job.eligible, job.submit);
    bool summary = job.array_job && !(job.spec->extras->mail_types & kEachTask);
    send_mail(job, "BEGIN",
              summary ? "Began"
                      : fmt::format("Began, Queued time {}",
                                    print_span_long(std::max(Duration(0), queued))),
              out);
  } else if (const auto* finished = std::get_if<JobFinished>(&body)) {
    const Job& job = state_.jobs.at(finished->job.value);
    limit_mails_.erase(job.id);
    if (finished->requeue) return;
    bool well = job.state == JobState::Completed;
    bool wanted = mails_of(job, kEnd) || (!well && mails_of(job, kFail));
    if (!wanted) return;
    bool summary = job.array_job && !(job.spec->extras->mail_types & kEachTask);
    std::vector<const Job*> elements;
    if (summary)
      for (JobId id : indexes_.elements_of(job.array_job))
        if (id != job.id) elements.push_back(&state_.jobs.at(id.value));
    elements.push_back(&job);
    std::string how = summary ? endings_text(elements)
                              : fmt::format("Run time {}, {}", run_time(job), ending_text(job));
    send_mail(job, well ? "END" : "FAIL", fmt::format("{}, {}", well ? "Ended" : "Failed", how),
              out);
  } else if (const auto* requeued = std::get_if<JobRequeued>(&body)) {
    const Job& job = state_.jobs.at(requeued->job.value);
    if (mails_of(job, kRequeue) && !comes_back(job)) send_mail(job, "REQUEUE", "Requeued", out);
  }
}

// After a restart: what was reached before has been mailed of.
void Controller::begin_mail(Instant now) {
  for (const auto& [limit, id] : indexes_.by_limit())
    if (state_.jobs.at(id.value).spec->extras->mail_types & kAnyLimit)
      limit_mails_[id] = share_of_limit(state_.jobs.at(id.value), now);
}

// O(jobs that ask for it).
void Controller::mail_limits(Instant now, Outbox& out) {
  for (auto& [id, told] : limit_mails_) {
    const Job* job = state_.find(id);
    if (!job || job->state != JobState::Running) continue;
    std::uint32_t percent = share_of_limit(*job, now);
    for (const Share& share : kShares) {
      if (percent < share.percent || told >= share.percent) continue;
      told = share.percent;
      if (job->spec->extras->mail_types & share.type)
        send_mail(*job, "TIME_LIMIT", share.text, out);
      break;
    }
  }
}

void Controller::send_mail(const Job& job, const std::string& type, const std::string& what,
                           Outbox& out) const {
  const JobSpec& spec = *job.spec;
  std::string id = fmt::format("Job_id={}", job.id.value);
  bool each = spec.extras->mail_types & kEachTask;
  if (job.array_job)
    id = each ? fmt::format("Array Task Job_id={}_{} ({})", job.array_job.value, job.array_task,
                            job.id.value)
              : fmt::format("Array Summary Job_id={}_* ({})", job.array_job.value, job.id.value);
  const Partition* partition = state_.find(job.partition);
  auto set = [](const char* name, const auto& value) { return fmt::format("{}={}", name, value); };
  SideProgram program{.program = config_.mail_program.empty() ? "/bin/mail" : config_.mail_program};
  program.arguments = {"-s", fmt::format("Slurm {} Name={} {}", id, spec.name, what),
                       spec.extras->mail_user.empty() ? spec.user_name : spec.extras->mail_user};
  program.environment = {
      set("SLURM_CLUSTER_NAME", state_.cluster_name),
      set("SLURM_JOB_ID", job.id.value),
      set("SLURM_JOBID", job.id.value),
      set("SLURM_JOB_NAME", spec.name),
      set("SLURM_JOB_MAIL_TYPE", type),
      set("SLURM_JOB_STATE", name_of(job.state)),
      set("SLURM_JOB_USER", spec.user_name),
      set("SLURM_JOB_UID", spec.uid.value),
      set("SLURM_JOB_ACCOUNT", spec.account),
      set("SLURM_JOB_PARTITION", partition ? partition->spec->name : spec.partitions),
      set("SLURM_JOB_NODELIST", nodes_text(state_, *job.allocation)),
      set("SLURM_JOB_WORK_DIR", spec.work_dir),
      set("SLURM_JOB_RUN_TIME", run_time(job)),
      set("SLURM_JOB_EXIT_CODE", fmt::format("{}:{}", job.exit.code, job.exit.signal)),
  };
  if (job.array_job) {
    program.environment.push_back(set("SLURM_ARRAY_JOB_ID", job.array_job.value));
    program.environment.push_back(set("SLURM_ARRAY_TASK_ID", job.array_task));
  }
  out.side_programs.push_back(std::move(program));
}

}  // namespace ym
