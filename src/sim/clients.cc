// SPDX-License-Identifier: Apache-2.0
#include "sim/clients.h"

#include <algorithm>

#include "base/format.h"
#include "model/errc.h"

namespace ym::sim {
namespace {

Caller administrator() { return {.user_name = "root", .administrator = true}; }
Caller user() { return {.uid = {1000}, .gid = {1000}, .user_name = "ada"}; }

AlterJobs about(JobId job, JobVerb verb) {
  AlterJobs alter{.verb = verb};
  alter.filter.targets.push_back({.job = job});
  return alter;
}

bool all_agreed(const AlterAnswer& answer) {
  return !answer.outcomes.empty() &&
         std::ranges::all_of(answer.outcomes, [](const JobOutcome& outcome) {
           return outcome.code == 0 && outcome.text.empty();
         });
}

// Some jobs are only ever cancelled, the others only ever requeued: so the two never argue about
// what may start again.
bool may_requeue(JobId job) { return job.value % 4 == 0; }

}  // namespace

namespace {

// Chance of its own, so that what else happens under a seed stays as it was.
void ask_for_gres(JobSpec& spec) {
  Prng prng(std::uint64_t{spec.time_limit_s} << 32 | spec.tasks << 8 | spec.min_nodes);
  if (!prng.chance(1, 6)) return;
  static constexpr const char* kNode[] = {"gpu:1", "gpu:b:1", "tool:2", "shard:3", "gpu:2,tool"};
  JobExtras extras{.gres = kNode[prng.below(5)]};
  JobSpecials specials{.tres_per_job = "gpu:2"};
  if (prng.chance(1, 3)) {
    extras.gres.clear();
    if (prng.chance(1, 2)) std::swap(specials.tres_per_job, specials.tres_per_task);
    extras.specials = Ref(specials);
  }
  spec.extras = Ref(extras);
}

}  // namespace

void Clients::do_something() {
  std::uint64_t dice = in_.prng.below(100);
  if (dice < 45 || jobs_.empty()) return submit();
  if (dice < 55) return cancel();
  if (dice < 68) return hold_or_release();
  if (dice < 74) return requeue();
  if (dice < 82) return update();
  if (dice < 92) return create_step();
  administrate();
}

SubmitJob Clients::random_submission() {
  Prng& prng = in_.prng;
  SubmitJob submit;
  JobSpec& spec = submit.spec;
  spec.batch = prng.chance(9, 10);
  if (spec.batch) spec.script_blob = "script";
  spec.name = fmt::format("name{}", prng.below(6));
  spec.tasks = static_cast<std::uint32_t>(prng.between(1, in_.cpus_max));
  spec.cpus_per_task = prng.chance(1, 4) ? 2 : 1;
  spec.min_nodes = prng.chance(1, 4) ? static_cast<std::uint32_t>(prng.between(1, 3)) : 1;
  spec.tasks = std::max(spec.tasks, spec.min_nodes);
  spec.time_limit_s = static_cast<std::uint32_t>(prng.between(30, 1500));
  spec.exclusive = prng.chance(1, 10);
  spec.requeue = prng.chance(7, 10);
  if (prng.chance(1, 4)) spec.memory_per_node_mb = 100 * prng.below(12);
  if (prng.chance(1, 4)) spec.partitions = prng.chance(1, 2) ? "short" : "short,main";
  if (prng.chance(1, 10)) spec.begin = in_.time.now() + std::chrono::seconds(prng.below(300));
  if (prng.chance(1, 12)) submit.hold = true;
  ask_for_gres(spec);
  if (spec.batch && prng.chance(1, 5)) {
    std::uint32_t last = static_cast<std::uint32_t>(prng.between(0, 7));
    submit.array = fmt::format("0-{}", last);
    if (prng.chance(1, 2)) submit.array += fmt::format("%{}", prng.between(1, 3));
  }
  if (submit.array.empty() && prng.chance(1, 6)) add_components(submit);
  if (!jobs_.empty() && prng.chance(1, 4)) {
    static constexpr const char* kKinds[] = {"afterok", "afterany", "afternotok", "after"};
    auto term = [&] {
      const Known& target = jobs_[prng.below(jobs_.size())];
      std::uint64_t kind = target.array ? 3 : prng.below(4);
      return fmt::format("{}:{}", kKinds[kind], target.job.value);
    };
    submit.dependency = term();
    if (prng.chance(1, 3)) submit.dependency += (prng.chance(1, 2) ? "," : "?") + term();
    if (prng.chance(1, 8)) submit.dependency = "singleton";
  }
  return submit;
}

// Small ones, and not more than there are nodes: so all of them fit together, also as whole nodes.
void Clients::add_components(SubmitJob& submit) {
  submit.spec.exclusive = false;
  submit.spec.memory_per_node_mb = 0;
  submit.spec.tasks = submit.spec.min_nodes = submit.spec.cpus_per_task = 1;
  submit.spec.partitions.clear();
  std::uint64_t others = in_.prng.between(1, 2);
  others = std::min<std::uint64_t>(others, in_.nodes.size() - 1);
  JobSpec other = submit.spec;
  other.extras = {};  // what one of them asks for, all together may be too much
  for (std::uint64_t i = 0; i < others; ++i) submit.het.push_back(other);
}

void Clients::submit() {
  SubmitJob submit = random_submission();
  std::string asked = submit.dependency;
  Known known{.batch = submit.spec.batch, .alone = in_.prng.chance(1, 5)};
  known.array = !submit.array.empty();
  known.het = !submit.het.empty();
  Duration lasts = std::chrono::seconds(in_.prng.between(1, 120));
  if (in_.bug == Bug::SkipDependency) submit.dependency.clear();
  in_.ask(submit, user(), [=, this](const Answer* answer) {
    const auto* made = answer ? std::get_if<SubmitAnswer>(answer) : nullptr;
    if (!made) return;
    Known job = known;
    job.job = made->job;
    in_.ledger.acknowledged(job.job, asked);
    jobs_.push_back(job);
    if (!job.batch) attend(jobs_.size() - 1, lasts);
  });
}

// An interactive allocation lives for its client, who says so from time to time, and ends it.
void Clients::attend(std::size_t index, Duration left) {
  constexpr Duration kOften = std::chrono::seconds(5);
  const Known& known = jobs_[index];
  const Job* job = in_.ledger.state().find(known.job);
  if (!job || is_terminal(job->state)) return;
  if (known.alone && job->state == JobState::Running) return in_.tell(OwnerGone{known.job});
  in_.tell(OwnerPresent{known.job});
  if (job->state == JobState::Running) {
    left -= kOften;
    if (left.count() <= 0) alter(about(known.job, JobVerb::Complete), user());
  }
  in_.time.after(kOften, [=, this] { attend(index, left); });
}

Clients::Known* Clients::any_job() {
  // The young ones are more interesting.
  std::size_t recent = std::min<std::size_t>(jobs_.size(), 15);
  return &jobs_[jobs_.size() - 1 - in_.prng.below(recent)];
}

void Clients::alter(const AlterJobs& alter, const Caller& caller, Callback done) {
  in_.ask(alter, caller, done ? std::move(done) : [](const Answer*) {});
}

void Clients::cancel() {
  Known* known = any_job();
  if (may_requeue(known->job)) return;
  AlterJobs request = about(known->job, JobVerb::Cancel);
  std::optional<std::uint32_t> task;
  if (known->het && in_.prng.chance(1, 2)) {  // of one that waits that is refused
    request.filter.targets[0].component = 1;
    return alter(request, user());
  }
  if (known->array && in_.prng.chance(1, 2)) {
    task = static_cast<std::uint32_t>(in_.prng.below(5));
    request.filter.targets[0].tasks = IndexSet::range(*task, *task);
  }
  alter(request, user(), [this, task, job = known->job](const Answer* answer) {
    const auto* answers = answer ? std::get_if<AlterAnswer>(answer) : nullptr;
    if (!answers || !all_agreed(*answers)) return;
    if (task) return in_.ledger.cancelled(job, *task);
    for (const JobOutcome& outcome : answers->outcomes)
      if (!may_requeue(outcome.job)) in_.ledger.cancelled(outcome.job);
  });
}

void Clients::hold_or_release() {
  Known* known = any_job();
  if (known->array || known->asking || !known->batch) return;
  known->asking = true;
  bool hold = in_.prng.chance(1, 2);
  JobId job = known->job;
  std::uint64_t request = in_.ledger.maybe_released(job);
  std::size_t index = static_cast<std::size_t>(known - jobs_.data());
  Caller caller = hold && in_.prng.chance(1, 2) ? user() : administrator();
  alter(about(job, hold ? JobVerb::Hold : JobVerb::Release), caller,
        [=, this](const Answer* answer) {
          jobs_[index].asking = false;
          const auto* answers = answer ? std::get_if<AlterAnswer>(answer) : nullptr;
          if (hold && answers && all_agreed(*answers)) in_.ledger.held(job, request);
        });
}

void Clients::requeue() {
  Known* known = any_job();
  if (!may_requeue(known->job)) return;
  alter(about(known->job, in_.prng.chance(1, 4) ? JobVerb::RequeueHold : JobVerb::Requeue),
        administrator());
}

void Clients::update() {
  Known* known = any_job();
  AlterJobs request = about(known->job, JobVerb::Update);
  JobPatch& patch = request.patch;
  Prng& prng = in_.prng;
  // Components that are made larger might never fit beside each other.
  switch (prng.below(known->het ? 4 : 6)) {
    case 0: patch.time_limit_s = static_cast<std::uint32_t>(prng.between(30, 2000)); break;
    case 1:
      patch.priority = static_cast<std::uint32_t>(prng.between(1, 1000));
      in_.ledger.maybe_released(known->job);  // so Slurm: who gets a priority is not held
      break;
    case 2: patch.nice = static_cast<std::int32_t>(prng.between(-100, 100)); break;
    case 3: patch.name = fmt::format("name{}", prng.below(6)); break;
    case 4: patch.partitions = prng.chance(1, 2) ? "main" : "short"; break;
    default: patch.min_nodes = static_cast<std::uint32_t>(prng.between(1, 3)); break;
  }
  alter(request, administrator());
}

void Clients::create_step() {
  Known* known = any_job();
  CreateStep create{.job = known->job, .name = "step"};
  create.tasks = static_cast<std::uint32_t>(in_.prng.below(3));
  create.overlap = in_.prng.chance(1, 2);
  in_.ask(create, user(), [this, job = known->job](const Answer* answer) {
    const auto* created = answer ? std::get_if<StepCreated>(answer) : nullptr;
    if (created) in_.launch_step(*created, job);
  });
}

void Clients::administrate() {
  Prng& prng = in_.prng;
  if (prng.chance(1, 5)) {
    UpdatePartition update;
    update.spec.name = prng.chance(1, 3) ? "main" : "short";
    static constexpr PartitionState kStates[] = {PartitionState::Down, PartitionState::Inactive,
                                                 PartitionState::Drain, PartitionState::Up,
                                                 PartitionState::Up};
    update.spec.state = kStates[prng.below(5)];
    update.changed = {"state"};
    return in_.ask(update, administrator(), [](const Answer*) {});
  }
  static constexpr const char* kStates[] = {"DRAIN", "RESUME", "RESUME", "RESUME", "DOWN"};
  UpdateNodes update{.nodes = in_.nodes[prng.below(in_.nodes.size())],
                     .state = kStates[prng.below(5)]};
  update.reason = "looking at it";
  in_.ask(update, administrator(), [](const Answer*) {});
}

void Clients::tidy_up() {
  const State& state = in_.ledger.state();
  state.nodes.for_each([&](std::uint64_t, const Node& node) {
    bool well = node.condition == NodeCondition::Up && !node.drain && !node.fail;
    if (well || (node.condition == NodeCondition::Unknown && !node.drain)) return;
    in_.ask(UpdateNodes{.nodes = node.spec->name, .state = "RESUME"}, administrator(),
            [](const Answer*) {});
  });
  state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    if (partition.spec->state == PartitionState::Up) return;
    UpdatePartition update;
    update.spec.name = partition.spec->name;
    update.changed = {"state"};
    in_.ask(update, administrator(), [](const Answer*) {});
  });
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (job.state != JobState::Pending || !job.held()) return;
    in_.ledger.maybe_released(job.id);
    alter(about(job.id, JobVerb::Release), administrator());
  });
}

}  // namespace ym::sim
