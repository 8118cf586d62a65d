// SPDX-License-Identifier: Apache-2.0
// What a job waits for. Terms are struck off as facts come in; the log keeps the open ones
// (JobUpdated).
#include "controller/controller.h"
#include "model/errc.h"

namespace ym {
namespace {

enum class Outcome { Open, Satisfied, Impossible };

// Has the job begun, been cancelled before, or gone?
Outcome after_start(const Job& job, std::uint32_t delay_minutes, Instant now) {
  bool began = job.start || is_terminal(job.state);
  if (!began) return Outcome::Open;
  Instant since = job.start ? job.start : job.end;
  return since + std::chrono::minutes(delay_minutes) <= now ? Outcome::Satisfied : Outcome::Open;
}

Outcome after_end(const Job& job, Dependency::Kind kind) {
  if (!is_terminal(job.state) || job.requeue_wanted) return Outcome::Open;
  bool ok = job.state == JobState::Completed;
  switch (kind) {
    case Dependency::Kind::AfterOk:
    case Dependency::Kind::AfterCorr: return ok ? Outcome::Satisfied : Outcome::Impossible;
    case Dependency::Kind::AfterNotOk: return ok ? Outcome::Impossible : Outcome::Satisfied;
    default: return Outcome::Satisfied;
  }
}

Outcome of_one(const Job& job, const Dependency::Term& term, Instant now) {
  return term.kind == Dependency::Kind::After ? after_start(job, term.delay_minutes, now)
                                              : after_end(job, term.kind);
}

// All of several: impossible if one is, satisfied if all are.
Outcome both(Outcome a, Outcome b) {
  if (a == Outcome::Impossible || b == Outcome::Impossible) return Outcome::Impossible;
  return a == Outcome::Satisfied && b == Outcome::Satisfied ? Outcome::Satisfied : Outcome::Open;
}

class Judge {
 public:
  Judge(const State& state, const Indexes& indexes, const Job& waiting, Instant now)
      : state_(state), indexes_(indexes), waiting_(waiting), now_(now) {}

  Outcome operator()(const Dependency::Term& term) const {
    if (term.kind == Dependency::Kind::Singleton) return singleton();
    if (term.kind == Dependency::Kind::Expand) return Outcome::Satisfied;
    JobId id{term.job};
    bool one_task =
        term.task || (term.kind == Dependency::Kind::AfterCorr && waiting_.array_task != kNoTask);
    if (one_task) return of_task(id, term, term.task.value_or(waiting_.array_task));
    // A job, or every element of an array.
    Outcome outcome = Outcome::Satisfied;
    if (const Job* job = state_.find(id))
      outcome = job->array ? Outcome::Open : of_one(*job, term, now_);
    else if (indexes_.elements_of(id).empty())
      return forgotten(term);
    for (JobId element : indexes_.elements_of(id))
      outcome = both(outcome, of_one(state_.jobs.at(element.value), term, now_));
    return outcome;
  }

 private:
  // A job that has left the memory of the cluster ended long ago, nobody knows how.
  static Outcome forgotten(const Dependency::Term& term) {
    bool needs_result = term.kind == Dependency::Kind::AfterOk ||
                        term.kind == Dependency::Kind::AfterNotOk ||
                        term.kind == Dependency::Kind::AfterCorr;
    return needs_result ? Outcome::Impossible : Outcome::Satisfied;
  }

  Outcome of_task(JobId array, const Dependency::Term& term, std::uint32_t task) const {
    const Job* common = state_.find(array);
    if (common && common->array && common->array->waiting.contains(task)) return Outcome::Open;
    if (common && common->array_task == task) return of_one(*common, term, now_);
    for (JobId element : indexes_.elements_of(array)) {
      const Job& job = state_.jobs.at(element.value);
      if (job.array_task == task) return of_one(job, term, now_);
    }
    return forgotten(term);
  }

  // Earlier jobs of the same name and user must have ended.
  Outcome singleton() const {
    for (JobId other : indexes_.namesakes(waiting_.spec->uid, waiting_.spec->name)) {
      const Job& job = state_.jobs.at(other.value);
      if (other != waiting_.id &&
          (job.submit < waiting_.submit || (job.submit == waiting_.submit && other < waiting_.id)))
        return Outcome::Open;
    }
    return Outcome::Satisfied;
  }

  const State& state_;
  const Indexes& indexes_;
  const Job& waiting_;
  Instant now_;
};

}  // namespace

// Looks at every open term of the job and writes down what has changed.
void Controller::review_dependency(JobId id, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  if (!job || job->state != JobState::Pending || job->dependency->empty()) return;
  Judge judge(state_, indexes_, *job, now);
  Dependency open{.any = job->dependency->any, .terms = {}};
  bool satisfied = false, failed = false;
  for (const Dependency::Term& term : job->dependency->terms) {
    Outcome outcome = judge(term);
    satisfied = satisfied || outcome == Outcome::Satisfied;
    failed = failed || outcome == Outcome::Impossible;
    bool keep = job->dependency->any ? outcome == Outcome::Open : outcome != Outcome::Satisfied;
    if (keep) open.terms.push_back(term);
  }
  if (open.any && satisfied) open.terms.clear();
  bool hopeless = open.any ? !satisfied && open.terms.empty() : failed;
  if (hopeless && open.terms.empty()) open.terms = job->dependency->terms;  // it stays on show
  if (open.terms == job->dependency->terms && hopeless == job->dependency_failed) return;
  if (open.terms.size() < 2) open.any = false;

  JobUpdated update{.job = id,
                    .spec = job->spec,
                    .holds = job->holds,
                    .priority = job->priority,
                    .dependency = open.terms.empty() ? Ref<Dependency>{} : Ref(std::move(open)),
                    .dependency_failed = hopeless,
                    .array_max_running = job->array_max_running,
                    .limit_end = job->limit_end};
  bool kill =
      hopeless && (job->spec->kill_on_invalid_dependency || config_.kill_on_invalid_dependency);
  emit(std::move(update), now, out);
  if (kill)
    finish(id, {.state = JobState::Cancelled, .reason = Reason::DependencyNeverSatisfied}, now,
           out);
}

// The job began, ended or went away: whoever waits for it is looked at. O(those).
void Controller::job_moved_on(JobId id, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  std::set<JobId> waiting = indexes_.waiting_for(id);
  if (job && job->array_job)
    waiting.insert(indexes_.waiting_for(job->array_job).begin(),
                   indexes_.waiting_for(job->array_job).end());
  if (job && is_terminal(job->state)) {
    const Indexes::JobSet& namesakes = indexes_.namesakes(job->spec->uid, job->spec->name);
    for (JobId other : namesakes)
      if (indexes_.singletons().contains(other)) waiting.insert(other);
  }
  for (JobId other : waiting) review_dependency(other, now, out);
}

}  // namespace ym
