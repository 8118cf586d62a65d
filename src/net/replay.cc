// SPDX-License-Identifier: Apache-2.0
#include "net/replay.h"

#include <algorithm>

#include "base/format.h"

namespace ym {

void ReplayGuard::count(std::uint32_t uid, std::size_t now) {
  User& user = users_[uid];
  if (user.count > 0) by_count_.erase({user.count, uid});
  user.count = now;
  if (now > 0)
    by_count_.insert({now, uid});
  else if (!user.has_floor)
    users_.erase(uid);
}

void ReplayGuard::erase(std::map<Key, Instant>::iterator at) {
  std::uint32_t uid = std::get<0>(at->first);
  by_time_.erase({at->second, at->first});
  used_.erase(at);
  count(uid, users_[uid].count - 1);
}

void ReplayGuard::forget_expired(Instant now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now)
    erase(used_.find(by_time_.begin()->second));
}

// All of his oldest second.
void ReplayGuard::forget_oldest_of(std::uint32_t uid) {
  User& user = users_[uid];
  auto at = used_.lower_bound({uid, Instant(), std::string()});
  user.floor = std::get<1>(at->first);
  user.has_floor = true;
  while (at != used_.end() && std::get<0>(at->first) == uid &&
         std::get<1>(at->first) <= user.floor) {
    user.floor_until = std::max(user.floor_until, at->second);
    erase(at++);
  }
}

Status ReplayGuard::use(const Token& token, Instant now) {
  forget_expired(now);
  if (auto at = users_.find(token.uid); at != users_.end() && at->second.has_floor) {
    User& user = at->second;
    if (user.floor_until <= now) {
      user.has_floor = false;
      count(token.uid, user.count);
    } else if (token.issued <= user.floor) {
      // One that was not used yet, and lives for longer, must not serve later either.
      user.floor_until = std::max(user.floor_until, token.forget_at);
      return fail(fmt::format("uid {} uses too many tokens at once, come back later", token.uid));
    }
  }
  Key key{token.uid, token.issued, std::string(token.id)};
  if (!used_.emplace(key, token.forget_at).second) return fail("the token has been used already");
  by_time_.emplace(token.forget_at, std::move(key));
  count(token.uid, users_[token.uid].count + 1);
  if (users_[token.uid].count > limits_.of_one) forget_oldest_of(token.uid);
  if (used_.size() > limits_.of_all) forget_oldest_of(by_count_.rbegin()->second);
  return {};
}

}  // namespace ym
