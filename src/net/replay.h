// SPDX-License-Identifier: Apache-2.0
// Which tokens that serve once have served. Pure; bounded by time and number.
//
// Nobody pays for another's tokens. Who has used more than his share, or most of all when there is
// no room, has his oldest forgotten; that they may not be used again, what of his is as old is
// refused from then on, used or not: his next token, made now, serves.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace ym {

class ReplayGuard {
 public:
  struct Limits {
    // Of tokens that live for a minute: thousands of connections a second,
    std::size_t of_all = 400'000;
    std::size_t of_one = 50'000;  // and hundreds of one user.
  };

  ReplayGuard() : ReplayGuard(Limits{}) {}
  explicit ReplayGuard(Limits limits) : limits_(limits) {}

  struct Token {
    std::uint32_t uid = 0;
    Instant issued;
    std::string_view id;
    Instant forget_at;  // from then on it is refused as expired
  };
  // Refuses the second use of a token until `forget_at`.
  Status use(const Token& token, Instant now);
  std::size_t remembered() const { return used_.size(); }

 private:
  using Key = std::tuple<std::uint32_t, Instant, std::string>;  // the oldest of each uid first
  struct User {
    std::size_t count = 0;
    Instant floor;        // what was issued then or before is refused,
    Instant floor_until;  // as long as it could serve
    bool has_floor = false;
  };

  void forget_expired(Instant now);
  void forget_oldest_of(std::uint32_t uid);
  void erase(std::map<Key, Instant>::iterator at);
  void count(std::uint32_t uid, std::size_t now);

  const Limits limits_;
  std::map<Key, Instant> used_;  // until when
  std::set<std::pair<Instant, Key>> by_time_;
  std::map<std::uint32_t, User> users_;
  std::set<std::pair<std::size_t, std::uint32_t>> by_count_;  // those that have any
};

}  // namespace ym
