// SPDX-License-Identifier: Apache-2.0
#include "net/replay.h"

namespace ym {

Status ReplayGuard::use(std::string_view id, Instant forget_at, Instant now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    ids_.erase(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
  }
  if (ids_.contains(id)) return fail("the token has been used already");
  if (ids_.size() >= max_) return fail("too many connections at once, come back later");
  ids_.emplace(id);
  by_time_.emplace(forget_at, id);
  return {};
}

}  // namespace ym
