// SPDX-License-Identifier: Apache-2.0
// What a job waits for. Terms are struck off as facts come in; the log keeps the open ones
// (JobUpdated).
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"
#include "schedule/het.h"

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

Outcome after_end(const Job& job, const Dependency::Term& term, Instant now) {
  if (!is_terminal(job.state) || job.requeue_wanted) return Outcome::Open;
  bool ok = job.state == JobState::Completed;
  bool wants_failure = term.kind == Dependency::Kind::AfterNotOk;
  bool wants_success =
      term.kind == Dependency::Kind::AfterOk || term.kind == Dependency::Kind::AfterCorr;
  if (ok ? wants_failure : wants_success) return Outcome::Impossible;
  Instant due = job.end + std::chrono::minutes(term.delay_minutes);
  return due <= now ? Outcome::Satisfied : Outcome::Open;
}

Outcome of_one(const Job& job, const Dependency::Term& term, Instant now) {
  return term.kind == Dependency::Kind::After ? after_start(job, term.delay_minutes, now)
                                              : after_end(job, term, now);
}

// All of several: impossible if one is, satisfied if all are.
Outcome both(Outcome a, Outcome b) {
  if (a == Outcome::Impossible || b == Outcome::Impossible) return Outcome::Impossible;
  return a == Outcome::Satisfied && b == Outcome::Satisfied ? Outcome::Satisfied : Outcome::Open;
}

bool waits_as_array(const Job& job) { return job.array && !is_terminal(job.state); }

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
    if (one_task && is_array(id)) return of_task(id, term, term.task.value_or(waiting_.array_task));
    if (term.kind == Dependency::Kind::AfterCorr && waiting_.array && is_array(id))
      return of_counterparts(id);
    // A job, or every element of an array.
    Outcome outcome = Outcome::Satisfied;
    if (const Job* job = state_.find(id))
      outcome = of_one(*job, term, now_);
    else if (indexes_.elements_of(id).empty())
      return forgotten(term);
    for (JobId element : indexes_.elements_of(id))
      outcome = both(outcome, of_one(state_.jobs.at(element.value), term, now_));
    // A heterogeneous job is over when all of its components are.
    if (const Job* job = state_.find(id); job && job->het_job == id)
      for (const Job* one : components_of(state_, *job))
        outcome = both(outcome, of_one(*one, term, now_));
    return outcome;
  }

 private:
  // Also if all of its elements are forgotten: then nothing is known of the id at all.
  bool is_array(JobId id) const {
    const Job* job = state_.find(id);
    return !job || job->array_job == id;
  }

  // Elements that wait together have not been let go one by one as their counterparts ended
  // (follow_counterpart): while there are any to come they may be.
  Outcome of_counterparts(JobId array) const {
    const Job* common = state_.find(array);
    bool to_come = common && !is_terminal(common->state);
    for (JobId element : indexes_.elements_of(array))
      to_come = to_come || !is_terminal(state_.jobs.at(element.value).state);
    return to_come ? Outcome::Open : Outcome::Impossible;
  }

  // A job that has left the memory of the cluster ended long ago, nobody knows how.
  static Outcome forgotten(const Dependency::Term& term) {
    bool needs_result = term.kind == Dependency::Kind::AfterOk ||
                        term.kind == Dependency::Kind::AfterNotOk ||
                        term.kind == Dependency::Kind::AfterCorr;
    return needs_result ? Outcome::Impossible : Outcome::Satisfied;
  }

  Outcome of_task(JobId array, const Dependency::Term& term, std::uint32_t task) const {
    const Job* common = state_.find(array);
    bool in_common = common && (common->array ? common->array->waiting.contains(task)
                                              : common->array_task == task);
    if (in_common) return of_one(*common, term, now_);
    if (const Job* element = state_.find_element(array, task)) return of_one(*element, term, now_);
    return forgotten(term);
  }

  // Earlier jobs of the same name and user must have ended. One that is held may be overtaken, so
  // nothing is settled before it is released.
  Outcome singleton() const {
    if (waiting_.held()) return Outcome::Open;
    for (JobId other : indexes_.namesakes(waiting_.spec->uid, waiting_.spec->name)) {
      const Job& job = state_.jobs.at(other.value);
      bool together = waiting_.het_job && job.het_job == waiting_.het_job;
      if (other != waiting_.id && !together &&
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
  bool satisfied = false;
  std::size_t failed = 0;
  for (Dependency::Term term : job->dependency->terms) {
    Outcome outcome = judge(term);
    satisfied = satisfied || outcome == Outcome::Satisfied;
    term.failed = outcome == Outcome::Impossible;  // it stays on show
    failed += term.failed;
    if (outcome != Outcome::Satisfied) open.terms.push_back(term);
  }
  bool hopeless = open.any ? !satisfied && failed == open.terms.size() : failed > 0;
  if (open.any && satisfied) open.terms.clear();
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
  bool news = hopeless && !job->dependency_failed;
  emit(std::move(update), now, out);
  constexpr std::uint32_t kMailInvalidDepend = 0x400;
  if (const Job& judged = state_.jobs.at(id.value);
      news && (judged.spec->extras->mail_types & kMailInvalidDepend))
    send_mail(judged, "INVALID_DEPEND", "Invalid dependency", out);
  if (kill)
    finish(id, {.state = JobState::Cancelled, .reason = Reason::DependencyNeverSatisfied}, now,
           out);
}

// aftercorr: elements that wait together part as their counterparts end.
void Controller::follow_counterpart(JobId waiting, JobId element, Instant now, Outbox& out) {
  const Job* job = state_.find(waiting);
  const Job& ended = state_.jobs.at(element.value);
  if (!job || !waits_as_array(*job) || !job->array->waiting.contains(ended.array_task)) return;
  bool corresponds = std::ranges::any_of(job->dependency->terms, [&](const auto& term) {
    return term.kind == Dependency::Kind::AfterCorr && !term.task &&
           JobId{term.job} == ended.array_job;
  });
  if (corresponds) review_dependency(split(waiting, ended.array_task, now, out), now, out);
}

void Controller::follow_counterparts(JobId waiting, Instant now, Outbox& out) {
  const Job* job = state_.find(waiting);
  if (!job || !waits_as_array(*job)) return;
  std::vector<JobId> ended;
  for (const Dependency::Term& term : job->dependency->terms) {
    if (term.kind != Dependency::Kind::AfterCorr || term.task) continue;
    state_.for_each_element(JobId{term.job}, job->array->waiting.min(), job->array->waiting.max(),
                            [&](const Job& one) {
                              if (is_terminal(one.state)) ended.push_back(one.id);
                            });
  }
  for (JobId element : ended) follow_counterpart(waiting, element, now, out);
}

// Would the job wait for itself? Follows what pending jobs wait for, to a certain number of them.
bool Controller::closes_circle(JobId job, const Dependency& dependency) const {
  constexpr std::size_t kVisitsMax = 10'000;
  std::set<JobId> seen;
  std::vector<const Dependency*> open{&dependency};
  while (!open.empty() && seen.size() < kVisitsMax) {
    const Dependency* next = open.back();
    open.pop_back();
    for (const Dependency::Term& term : next->terms) {
      JobId id{term.job};
      if (id == job && term.job) return true;
      const Job* other = state_.find(id);
      if (other && other->state == JobState::Pending && seen.insert(id).second)
        open.push_back(&*other->dependency);
    }
  }
  return false;
}

// An array that is waited for as a whole is shown as one: 7_*.
void Controller::mark_arrays(Dependency& dependency) const {
  for (Dependency::Term& term : dependency.terms) {
    term.failed = false;
    const Job* job = state_.find(JobId{term.job});
    bool array = job ? job->array_job == job->id : !indexes_.elements_of(JobId{term.job}).empty();
    if (term.job && !term.task) term.whole_array = array;
  }
}

// The job began, ended, came back to the queue or went away: whoever waits for it is looked at.
// O(those).
void Controller::job_moved_on(JobId id, Instant now, Outbox& out) {
  const Job* job = state_.find(id);
  std::set<JobId> waiting = indexes_.waiting_for(id);
  if (job && job->array_job)
    waiting.insert(indexes_.waiting_for(job->array_job).begin(),
                   indexes_.waiting_for(job->array_job).end());
  if (job && job->is_later_component())
    waiting.insert(indexes_.waiting_for(job->het_job).begin(),
                   indexes_.waiting_for(job->het_job).end());
  if (job && is_terminal(job->state)) {
    // Few wait as singletons; of one name and user there may be very many.
    const Indexes::JobSet& namesakes = indexes_.namesakes(job->spec->uid, job->spec->name);
    const Indexes::JobSet& singletons = indexes_.singletons();
    bool few = singletons.size() < namesakes.size();
    for (JobId other : few ? singletons : namesakes)
      if ((few ? namesakes : singletons).contains(other)) waiting.insert(other);
  }
  bool element_ended = job && job->array_task != kNoTask && is_terminal(job->state);
  for (JobId other : waiting) {
    if (element_ended) follow_counterpart(other, id, now, out);
    review_dependency(other, now, out);
  }
}

}  // namespace ym
