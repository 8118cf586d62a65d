// SPDX-License-Identifier: Apache-2.0
// Token buckets: how many requests each user may send. Any thread may call.
//
// Invariant: there are never more buckets than rules.table_size. Whoever asked longest ago is
// forgotten for a new user; his bucket is full when he comes back.
#pragma once
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

#include "base/time.h"
#include "config/rate_limit.h"

namespace ym {

class RateLimiter {
 public:
  // Buckets stay as they are, unless they hold more than a bucket now does.
  void set_rules(const RateRules& rules);

  enum class Verdict : std::uint8_t {
    Pass,
    BackOff,
    BackOffAndSay,  // and the log shall say so
  };
  // Takes a token of the user's, if there is one. `now` of the monotonic clock.
  Verdict ask(std::uint32_t uid, Duration now);

  std::size_t size() const;

 private:
  struct Bucket {
    std::uint32_t tokens = 0;
    Duration refilled{0};  // when the last whole period ended
    Duration said{0};      // in the log; 0: never
    std::list<std::uint32_t>::iterator turn;
  };
  Bucket& bucket_of(std::uint32_t uid, Duration now);
  void refill(Bucket& bucket, Duration now) const;

  std::atomic<bool> enabled_ = false;
  mutable std::mutex mutex_;
  // All guarded by mutex_.
  RateRules rules_;
  std::map<std::uint32_t, Bucket> buckets_;
  std::list<std::uint32_t> turns_;  // who asked last is at the end
};

}  // namespace ym
