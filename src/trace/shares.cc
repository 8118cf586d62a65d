// SPDX-License-Identifier: Apache-2.0
#include "trace/shares.h"

#include <cmath>
#include <map>
#include <numbers>

namespace ym::trace {

Shares::Shares(const std::vector<Sharer>& users, Duration half_life) {
  for (const Sharer& one : users) users_.push_back({.who = one});
  if (half_life > Duration(0))
    forgotten_per_s_ = std::numbers::ln2 * 1000 / static_cast<double>(half_life.count());
}

void Shares::add(std::uint32_t user, std::int64_t cpus, std::int64_t at_s) {
  Account& one = users_[user];
  one.usage = usage(user, at_s);
  one.at_s = at_s;
  one.cpus += cpus;
}

// What was there decays; what is used meanwhile comes in evenly, and decays as well.
double Shares::usage(std::uint32_t user, std::int64_t at_s) const {
  const Account& one = users_[user];
  auto passed = static_cast<double>(at_s - one.at_s), cpus = static_cast<double>(one.cpus);
  if (forgotten_per_s_ <= 0) return one.usage + cpus * passed;
  double left = std::exp(-forgotten_per_s_ * passed);
  return one.usage * left + cpus * (1 - left) / forgotten_per_s_;
}

ShareTable Shares::table(std::int64_t at_s) const {
  std::vector<Association> all{{.account = "root"}};
  std::map<std::string, std::size_t> accounts{{"", 0}};
  for (std::uint32_t user = 0; user < users_.size(); ++user) {
    const Sharer& who = users_[user].who;
    auto [at, fresh] = accounts.try_emplace(who.account, all.size());
    if (fresh) all.push_back({.parent = 0, .account = who.account});
    all.push_back({.parent = at->second,
                   .account = who.account,
                   .user = who.user,
                   .usage = usage(user, at_s)});
  }
  return ShareTable(all);
}

}  // namespace ym::trace
