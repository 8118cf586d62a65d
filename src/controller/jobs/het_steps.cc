// SPDX-License-Identifier: Apache-2.0
// One srun for several components: a step in each of them, all or none. Two parts of the same job
// are two steps of it.
#include <algorithm>
#include <map>

#include "controller/controller.h"
#include "model/errc.h"

namespace ym {
namespace {

// The ranks that the step's tasks have among those of all parts.
void number_from(Step& step, std::uint32_t first) {
  for (StepShare& share : step.shares) {
    share.first_task += first;
    for (std::uint32_t& rank : share.ranks) rank += first;
  }
}

// The steps that the same request has made before; empty if it has not, or not all of them are
// alive.
std::vector<const Step*> made_before(const State& state, const CreateHetStep& create) {
  std::vector<const Step*> found;
  for (const CreateStep& part : create.parts) {
    const Job* job = state.find(part.job);
    auto step = std::ranges::find_if(
        *job->steps, [&](const Step& one) { return !part.key.empty() && one.key == part.key; });
    if (step == job->steps->end()) return {};
    found.push_back(&*step);
  }
  return found;
}

}  // namespace

Result<HetStepCreated> Controller::plan_het_step(const CreateHetStep& create, const Caller& caller,
                                                 Instant now) const {
  if (create.parts.empty() || create.parts.size() > kHetComponentsMax)
    return refuse(Errc::InvalidJobId);
  std::map<JobId, Job> drafts;
  std::uint32_t number = 0;
  for (const CreateStep& part : create.parts) {
    const Job* job = state_.find(part.job);
    if (Status allowed = step_allowed(job, caller); !allowed)
      return std::unexpected(allowed.error());
    number = std::max(number, job->next_step);
    drafts.emplace(part.job, *job);
  }
  HetStepCreated created;
  if (auto before = made_before(state_, create); !before.empty()) {
    for (std::size_t i = 0; i < before.size(); ++i)
      created.parts.push_back(step_created(create.parts[i].job, *before[i]));
    return created;
  }
  for (auto& [id, draft] : drafts) draft.next_step = number;
  std::uint32_t tasks = 0;
  for (const CreateStep& part : create.parts) {
    Job& draft = drafts.at(part.job);
    Result<Step> step = plan_step(draft, part, now);
    if (!step) return std::unexpected(step.error());
    number_from(*step, tasks);
    tasks += step->tasks;
    ++draft.next_step;
    std::vector<Step> steps = *draft.steps;
    steps.push_back(*step);
    draft.steps = Ref(std::move(steps));
    created.parts.push_back(step_created(part.job, *step));
  }
  return created;
}

void Controller::create_het_step(RequestId request, const CreateHetStep& create,
                                 const Caller& caller, Instant now, Outbox& out) {
  Result<HetStepCreated> created = plan_het_step(create, caller, now);
  if (!created) return refuse_request(request, created.error(), out);
  for (const StepCreated& part : created->parts) {
    const Job& job = state_.jobs.at(part.job.value);
    bool made =
        std::ranges::any_of(*job.steps, [&](const Step& s) { return s.id == part.step.id; });
    if (!made) emit(StepStarted{.job = part.job, .step = part.step}, now, out);
  }
  answer(request, std::move(*created), out);
}

}  // namespace ym
