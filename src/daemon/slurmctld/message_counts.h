// SPDX-License-Identifier: Apache-2.0
// How often each kind of message came, and from whom; for sdiag. Any thread may call.
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/time.h"
#include "model/control_messages.h"
#include "model/event.h"

namespace ym {

class MessageCounts {
 public:
  // Users beyond that are counted together.
  static constexpr std::size_t kUsersMax = 10'000;
  static constexpr std::uint32_t kOtherUsers = 0xfffffffe;

  void note(std::uint16_t kind, std::uint32_t uid, std::chrono::microseconds took);
  // What became of jobs.
  void note(const std::vector<Event>& events);
  struct Jobs {
    std::uint64_t submitted = 0, started = 0, completed = 0, canceled = 0, failed = 0;
  };
  Jobs jobs() const;
  void reset(Instant now);
  // The most frequent first. Names are left empty for users.
  std::vector<MessageCount> by_kind() const;
  std::vector<MessageCount> by_user() const;
  // Since when they are counted; not set: since the start.
  Instant since() const;

 private:
  struct Count {
    std::uint64_t count = 0, total_us = 0;
  };
  static std::vector<MessageCount> sorted(const std::map<std::uint32_t, Count>& counts);

  mutable std::mutex mutex_;
  std::map<std::uint32_t, Count> kinds_, users_;  // guarded by mutex_
  Jobs jobs_;                                     // guarded by mutex_
  Instant since_;                                 // guarded by mutex_
};

}  // namespace ym
