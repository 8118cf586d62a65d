// SPDX-License-Identifier: Apache-2.0
// Answers to requests that are asked again when they were lost, after the controller has died or
// another leads: they are in the log beside what was done.
#include "controller/controller.h"

namespace ym {

void Controller::index_answers() {
  answers_.clear();
  state_.answers.for_each([this](std::uint64_t, const RememberedAnswer& one) {
    answers_[{one.answered.by, one.answered.key}] = one.seq;
  });
}

const RequestAnswered* Controller::answered(Uid by, std::uint64_t key) const {
  auto at = answers_.find({by, key});
  if (at == answers_.end()) return nullptr;
  const RememberedAnswer* one = state_.answers.find(at->second.value);
  return one ? &one->answered : nullptr;
}

void Controller::remember(RequestAnswered answered, Instant now, Outbox& out) {
  std::pair key{answered.by, answered.key};
  emit(std::move(answered), now, out);
  answers_[key] = state_.seq;
  if (answers_.size() > 2 * State::kAnswersMax) index_answers();
}

}  // namespace ym
