// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/long_answers.h"

#include <sys/resource.h>

#include <chrono>
#include <utility>

namespace ym {
namespace {

// Each connection has one turn at most, so these bounds are those of connections.
constexpr std::size_t kTurnsMax = 1'000'000;
constexpr int kGivesWay = 10;  // as nice(1) counts

}  // namespace

LongAnswers::LongAnswers() : turns_(kTurnsMax, kTurnsMax), thread_([this] { run(); }) {}

LongAnswers::~LongAnswers() { stop(); }

void LongAnswers::stop() {
  turns_.close();
  if (thread_.joinable()) thread_.join();
}

std::size_t LongAnswers::size() const {
  std::lock_guard lock(mutex_);
  return answers_.size();
}

void LongAnswers::begin(ConnectionId connection, std::uint32_t uid, Portion next) {
  Portion old;  // destroyed after the lock
  std::lock_guard lock(mutex_);
  Answer& answer = answers_[connection.value];
  old = std::exchange(answer.next, std::move(next));
  answer.number = ++last_;
  answer.uid = uid;
  answer.has_turn = answer.again = false;
}

// REQUIRES: mutex_ is held.
void LongAnswers::want_turn(ConnectionId connection, Answer& answer) {
  answer.has_turn = turns_.try_push(answer.uid, ConnectionId{connection});
}

void LongAnswers::go_on(ConnectionId connection) {
  std::lock_guard lock(mutex_);
  auto at = answers_.find(connection.value);
  if (at == answers_.end()) return;
  if (at->second.has_turn)
    at->second.again = true;
  else
    want_turn(connection, at->second);
}

void LongAnswers::forget(ConnectionId connection) {
  decltype(answers_)::node_type gone;  // destroyed after the lock
  std::lock_guard lock(mutex_);
  gone = answers_.extract(connection.value);
}

void LongAnswers::run() {
  // On Linux this is the thread's own. Nothing is lost if it is refused.
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, kGivesWay));
  while (!turns_.closed())
    for (ConnectionId connection : turns_.take(1, std::chrono::hours(1))) make_portion(connection);
}

void LongAnswers::make_portion(ConnectionId connection) {
  Portion next;  // destroyed after the lock, as it may hold a whole state
  std::uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    auto at = answers_.find(connection.value);
    // A turn of an answer that was forgotten is nobody's.
    if (at == answers_.end() || !at->second.has_turn || !at->second.next) return;
    next = std::exchange(at->second.next, {});
    at->second.again = false;
    number = at->second.number;
  }
  bool more = next();
  std::lock_guard lock(mutex_);
  auto at = answers_.find(connection.value);
  if (at == answers_.end() || at->second.number != number) return;
  Answer& answer = at->second;
  if (!more) {
    answers_.erase(at);
    return;
  }
  answer.next = std::move(next);
  answer.has_turn = false;
  if (std::exchange(answer.again, false)) want_turn(connection, answer);
}

}  // namespace ym
