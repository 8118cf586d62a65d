// SPDX-License-Identifier: Apache-2.0
#include "trace/shares.h"

#include <cmath>
#include <numbers>

namespace ym::trace {

Shares::Shares(const std::vector<std::string>& users, Duration half_life) {
  for (const std::string& name : users) users_.push_back({.name = name});
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
  for (std::uint32_t user = 0; user < users_.size(); ++user)
    all.push_back({.parent = 0, .user = users_[user].name, .usage = usage(user, at_s)});
  return ShareTable(all);
}

}  // namespace ym::trace
