// SPDX-License-Identifier: Apache-2.0
// --requeue=expedite: a batch job whose nodes are to blame for its end comes back before everybody
// else, and what it had of them is kept for it until it starts again, ends or is held.
//
// A node that went down is to blame at once. A script that failed may have done so by itself: its
// nodes are kept until their epilogs have told whether one of them is sick.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"

namespace ym {
namespace {

constexpr std::string_view kParameter = "enable_expedited_requeue";

// A failed epilog drains its node, with this reason (nodes/report.cc).
bool is_sick(const Node& node) {
  return node.condition == NodeCondition::Down || (node.drain && node.reason == "Epilog error");
}

}  // namespace

// SlurmctldParameters=enable_expedited_requeue allows it.
bool Controller::may_be_expedited(const Job& job, const Ending& ending) const {
  bool wants = job.spec->batch && job.spec->requeue && job.spec->extras->specials->expedite;
  if (!wants || job.het_job || !job.holds_resources()) return false;
  bool failed = ending.state == JobState::Failed &&
                (ending.reason == Reason::NonZeroExitCode || ending.reason == Reason::RaisedSignal);
  if (ending.state != JobState::NodeFail && !failed) return false;
  return std::ranges::any_of(config_.shown, [](const auto& one) {
    if (one.first != "SlurmctldParameters") return false;
    auto words = split_words(one.second, ',');
    return std::ranges::any_of(
        words, [](std::string_view word) { return same_ignoring_case(word, kParameter); });
  });
}

void Controller::set_keeping(JobId id, bool keeps, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  std::uint32_t wanted = keeps ? id.value : 0;
  if (job.spec->extras->specials->keeps == wanted) return;
  JobUpdated update = unchanged(job);
  JobSpec spec = *job.spec;
  JobExtras extras = *spec.extras;
  JobSpecials specials = *extras.specials;
  specials.keeps = wanted;
  extras.specials = Ref(std::move(specials));
  spec.extras = Ref(std::move(extras));
  update.spec = Ref(std::move(spec));
  emit(std::move(update), now, out);
}

// REQUIRES: nothing of the job is left anywhere, so that all its epilogs have run.
void Controller::blame_job_or_nodes(JobId id, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  if (job.state != JobState::Failed || !job.spec->extras->specials->keeps) return;
  bool sick = std::ranges::any_of(job.allocation->nodes, [&](const NodeShare& share) {
    const Node* node = state_.find(share.node);
    return !node || is_sick(*node);
  });
  if (!sick) set_keeping(id, false, now, out);
}

}  // namespace ym
