// SPDX-License-Identifier: Apache-2.0
#include "cli/common/targets.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "notation/job_id.h"

namespace ym::cli {
namespace {

constexpr JobState kStates[] = {
    JobState::Pending,   JobState::Running,  JobState::Suspended, JobState::Completed,
    JobState::Cancelled, JobState::Failed,   JobState::Timeout,   JobState::NodeFail,
    JobState::Preempted, JobState::BootFail, JobState::Deadline,  JobState::OutOfMemory,
};
// States that Slurm has and that no job of ours is ever in.
constexpr std::string_view kForeignStates[] = {
    "RV", "REVOKED",  "RH", "REQUEUE_HOLD",  "RQ", "REQUEUED",
    "RS", "RESIZING", "SI", "SIGNALING",     "SO", "STAGE_OUT",
    "ST", "STOPPED",  "RD", "RESV_DEL_HOLD", "RF", "REQUEUE_FED",
};

StepId step_id(const StepRef& step) {
  switch (step.kind) {
    case StepRef::Kind::Batch: return kBatchStep;
    case StepRef::Kind::Extern: return kExternStep;
    case StepRef::Kind::Interactive: return kInteractiveStep;
    case StepRef::Kind::Number: break;
  }
  return StepId{step.number};
}

std::string known_states() {
  std::string out;
  for (JobState state : kStates) out += fmt::format("{},", name_of(state));
  return out +
         "COMPLETING,CONFIGURING,RESIZING,RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,REVOKED,"
         "SIGNALING,SPECIAL_EXIT,STAGE_OUT,STOPPED";
}

// Its nodes are not clean, or its epilog has to run before it goes back to the queue.
bool ends_still(const Job& job) {
  return job.completing() || (is_terminal(job.state) && job.requeue_wanted);
}

}  // namespace

Result<std::vector<JobTarget>> parse_targets(std::string_view text) {
  auto refs = JobRef::parse_list(text);
  if (!refs) return fail(fmt::format("Invalid job id: {}: {}", printable(text), refs.error().text));
  std::vector<JobTarget> out;
  for (const JobRef& ref : *refs) {
    JobTarget target{.job = JobId{ref.job}, .sluid = Sluid{ref.sluid}};
    target.component = ref.component;
    if (ref.task) target.tasks = IndexSet::range(*ref.task, *ref.task);
    if (ref.tasks) target.tasks = ref.tasks->indices;
    if (ref.step) target.step = step_id(*ref.step);
    out.push_back(std::move(target));
  }
  return out;
}

bool StateChoice::holds(const Job& job) const {
  if (all) return true;
  if (!given()) return !is_terminal(job.state) || ends_still(job);
  if (completing && ends_still(job)) return true;
  if (configuring && job.configuring) return true;
  if (special_exit && job.special_exit) return true;
  return std::find(states.begin(), states.end(), job.state) != states.end();
}

void StateChoice::put_into(JobFilter& filter) const {
  filter.all_states = all || completing || configuring || special_exit;
  if (!filter.all_states) filter.states = states;
}

Result<StateChoice> parse_states(std::string_view text) {
  StateChoice out;
  for (std::string_view word : split_words(text, ',')) {
    bool known = false;
    if (same_ignoring_case(word, "all")) {
      out.all = known = true;
    } else if (same_ignoring_case(word, "CG") || same_ignoring_case(word, "COMPLETING")) {
      out.completing = known = true;
    } else if (same_ignoring_case(word, "CF") || same_ignoring_case(word, "CONFIGURING")) {
      out.configuring = known = true;
    } else if (same_ignoring_case(word, "SE") || same_ignoring_case(word, "SPECIAL_EXIT")) {
      out.special_exit = known = true;
    }
    for (JobState state : kStates) {
      if (!same_ignoring_case(word, name_of(state)) &&
          !same_ignoring_case(word, short_name_of(state)))
        continue;
      out.states.push_back(state);
      known = true;
    }
    for (std::string_view foreign : kForeignStates)
      known = known || same_ignoring_case(word, foreign);
    if (!known)
      return fail(fmt::format("Invalid job state specified: {}\nValid job states include: {}",
                              printable(word), known_states()));
  }
  // Only states that nothing is ever in: nothing is to be shown, rather than everything.
  if (!out.given() && !text.empty()) out.completing = true;
  return out;
}

void append_list(std::vector<std::string>& out, std::string_view text) {
  for (std::string_view word : split_words(text, ',')) out.emplace_back(word);
}

std::string step_name(StepId step) {
  if (step == kBatchStep) return "batch";
  if (step == kExternStep) return "extern";
  if (step == kInteractiveStep) return "interactive";
  return fmt::format("{}", step.value);
}

std::string shown_step(const StepRow& row) {
  std::string job = fmt::format("{}", row.job.value);
  if (row.array_task != kNoTask) job = fmt::format("{}_{}", row.array_job.value, row.array_task);
  if (row.het_job) job = fmt::format("{}+{}", row.het_job.value, row.het_offset);
  return fmt::format("{}.{}", job, step_name(row.step.id));
}

std::string shown_state(const Job& job) {
  if (job.configuring) return "CONFIGURING";
  if (job.special_exit && job.state == JobState::Pending) return "SPECIAL_EXIT";
  return ends_still(job) ? "COMPLETING" : std::string(name_of(job.state));
}
std::string shown_state_compact(const Job& job) {
  if (job.configuring) return "CF";
  if (job.special_exit && job.state == JobState::Pending) return "SE";
  return ends_still(job) ? "CG" : std::string(short_name_of(job.state));
}

}  // namespace ym::cli
