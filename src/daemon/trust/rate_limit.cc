// SPDX-License-Identifier: Apache-2.0
#include "daemon/trust/rate_limit.h"

#include <algorithm>

namespace ym {

void RateLimiter::set_rules(const RateRules& rules) {
  std::lock_guard lock(mutex_);
  rules_ = rules;
  enabled_ = rules.enabled;
  for (auto& [uid, bucket] : buckets_) bucket.tokens = std::min(bucket.tokens, rules.bucket_size);
  while (buckets_.size() > (rules.enabled ? rules.table_size : 0)) {
    buckets_.erase(turns_.front());
    turns_.pop_front();
  }
}

RateLimiter::Bucket& RateLimiter::bucket_of(std::uint32_t uid, Duration now) {
  auto at = buckets_.find(uid);
  if (at != buckets_.end()) {
    turns_.splice(turns_.end(), turns_, at->second.turn);
    return at->second;
  }
  if (buckets_.size() >= rules_.table_size) {
    buckets_.erase(turns_.front());
    turns_.pop_front();
  }
  turns_.push_back(uid);
  Bucket fresh{.tokens = rules_.bucket_size, .refilled = now, .turn = std::prev(turns_.end())};
  return buckets_.emplace(uid, fresh).first->second;
}

// Whole periods only, as the manual describes it: what is left of one counts for the next.
void RateLimiter::refill(Bucket& bucket, Duration now) const {
  Duration period = std::chrono::seconds(rules_.refill_period_s);
  if (now < bucket.refilled) bucket.refilled = now;
  std::int64_t periods = (now - bucket.refilled) / period;
  if (periods == 0) return;
  bucket.refilled += periods * period;
  std::int64_t lacking = rules_.bucket_size - bucket.tokens;
  std::int64_t most = lacking / rules_.refill_rate + 1;  // more periods than that change nothing
  std::int64_t tokens = std::min(periods, most) * rules_.refill_rate;
  bucket.tokens += static_cast<std::uint32_t>(std::min(tokens, lacking));
}

RateLimiter::Verdict RateLimiter::ask(std::uint32_t uid, Duration now) {
  if (!enabled_) return Verdict::Pass;
  std::lock_guard lock(mutex_);
  if (!rules_.enabled) return Verdict::Pass;
  Bucket& bucket = bucket_of(uid, now);
  refill(bucket, now);
  if (bucket.tokens > 0) {
    --bucket.tokens;
    return Verdict::Pass;
  }
  if (rules_.log_freq_s < 0) return Verdict::BackOff;
  bool lately =
      bucket.said > Duration(0) && now - bucket.said < std::chrono::seconds(rules_.log_freq_s);
  if (lately) return Verdict::BackOff;
  bucket.said = now;
  return Verdict::BackOffAndSay;
}

std::size_t RateLimiter::size() const {
  std::lock_guard lock(mutex_);
  return buckets_.size();
}

}  // namespace ym
