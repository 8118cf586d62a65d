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

void MessageCounts::reset(Instant now) {
  std::lock_guard lock(mutex_);
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
  std::ranges::stable_sort(out, std::greater{}, &MessageCount::count);
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
