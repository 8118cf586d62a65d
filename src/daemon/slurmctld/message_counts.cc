// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/message_counts.h"

#include <algorithm>

namespace ym {

void MessageCounts::note(std::uint16_t kind, std::uint32_t uid, std::chrono::microseconds took) {
  auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, took.count()));
  std::lock_guard lock(mutex_);
  if (!users_.contains(uid) && users_.size() >= kUsersMax) uid = kOtherUsers;
  for (Count* count : {&kinds_[kind], &users_[uid]}) {
    ++count->count;
    count->total_us += us;
  }
}

void MessageCounts::note(const std::vector<Event>& events) {
  std::lock_guard lock(mutex_);
  for (const Event& event : events) {
    if (std::holds_alternative<JobSubmitted>(event.body)) ++jobs_.submitted;
    if (std::holds_alternative<JobStarted>(event.body)) ++jobs_.started;
    const auto* finished = std::get_if<JobFinished>(&event.body);
    if (!finished) continue;
    if (finished->state == JobState::Completed)
      ++jobs_.completed;
    else if (finished->state == JobState::Cancelled)
      ++jobs_.canceled;
    else
      ++jobs_.failed;
  }
}

MessageCounts::Jobs MessageCounts::jobs() const {
  std::lock_guard lock(mutex_);
  return jobs_;
}

void MessageCounts::reset(Instant now) {
  std::lock_guard lock(mutex_);
  jobs_ = {};
  kinds_.clear();
  users_.clear();
  since_ = now;
}

Instant MessageCounts::since() const {
  std::lock_guard lock(mutex_);
  return since_;
}

std::vector<MessageCount> MessageCounts::sorted(const std::map<std::uint32_t, Count>& counts) {
  std::vector<MessageCount> out;
  for (const auto& [number, one] : counts)
    out.push_back({.number = number, .name = {}, .count = one.count, .total_us = one.total_us});
  std::ranges::sort(out, [](const MessageCount& a, const MessageCount& b) {
    return a.count != b.count ? a.count > b.count : a.number < b.number;
  });
  return out;
}

std::vector<MessageCount> MessageCounts::by_kind() const {
  std::lock_guard lock(mutex_);
  return sorted(kinds_);
}

std::vector<MessageCount> MessageCounts::by_user() const {
  std::lock_guard lock(mutex_);
  return sorted(users_);
}

}  // namespace ym
