// SPDX-License-Identifier: Apache-2.0
#include "controller/controller.h"

#include "model/apply.h"

namespace ym {
namespace {

// The records that an event may change, so that the indexes can follow.
struct JobsOf {
  std::vector<JobId> operator()(const ArrayTaskSplit& e) const { return {e.array_job, e.job}; }
  std::vector<JobId> operator()(const ArrayTasksCancelled& e) const { return {e.array_job}; }
  template <class E>
  std::vector<JobId> operator()(const E& event) const {
    if constexpr (requires { event.job; })
      return {event.job};
    else
      return {};
  }
};

}  // namespace

Controller::Controller(ClusterConfig config, State recovered)
    : config_(std::move(config)), state_(std::move(recovered)) {
  indexes_.rebuild(state_);
  submissions_.rebuild(state_);
  index_answers();
}

PlacementRules Controller::placement_rules() const {
  return {.memory_counts = config_.memory_is_consumable,
          .unit = config_.cpu_unit,
          .whole_nodes = config_.whole_nodes,
          .topologies = topologies_,
          .takes_turns = config_.preempt.cluster.gang};
}

void Controller::emit(EventBody body, Instant now, Outbox& out) {
  Event event{.seq = {state_.seq.value + 1}, .at = now, .body = std::move(body)};
  std::vector<JobId> ids = std::visit(JobsOf{}, event.body);
  for (JobId id : ids)
    if (const Job* job = state_.find(id)) indexes_.moved(job, nullptr);
  if (!state_.triggers.empty()) notice(event.body, now);
  apply(state_, event);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] == ids[0]) continue;  // the common record became the element
    if (const Job* job = state_.find(ids[i])) indexes_.moved(nullptr, job);
  }
  mail(event.body, out);
  out.events.push_back(std::move(event));
}

void Controller::refuse_request(RequestId request, const Error& error, Outbox& out) {
  answer(request, Failure{.code = error.code, .text = error.text}, out);
}

JobId Controller::fresh_job_id(std::uint32_t count) const {
  // Numbers run up to MaxJobId and then start again; one that is still in use is passed over.
  // MaxJobCount is far below the range, so this ends.
  std::uint32_t id = state_.next_job_id, free = 0;
  for (;; ++id) {
    if (id > config_.max_job_id || id < config_.first_job_id) {
      id = config_.first_job_id;
      free = 0;
    }
    free = state_.find(JobId{id}) ? 0 : free + 1;
    if (free == count) return JobId{id + 1 - count};
  }
}

}  // namespace ym
