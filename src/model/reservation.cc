// SPDX-License-Identifier: Apache-2.0
#include "model/reservation.h"

#include <algorithm>

#include "base/text.h"
#include "notation/time_limit.h"

namespace ym {
namespace {

struct FlagName {
  ReservationFlag flag;
  std::string_view name;
};
// In the order in which Slurm prints them.
constexpr FlagName kFlagNames[] = {
    {ReservationFlag::Maint, "MAINT"},
    {ReservationFlag::Flex, "FLEX"},
    {ReservationFlag::Overlap, "OVERLAP"},
    {ReservationFlag::IgnoreJobs, "IGNORE_JOBS"},
    {ReservationFlag::Hourly, "HOURLY"},
    {ReservationFlag::Daily, "DAILY"},
    {ReservationFlag::Weekday, "WEEKDAY"},
    {ReservationFlag::Weekend, "WEEKEND"},
    {ReservationFlag::Weekly, "WEEKLY"},
    {ReservationFlag::SpecNodes, "SPEC_NODES"},
    {ReservationFlag::AllNodes, "ALL_NODES"},
    {ReservationFlag::AnyNodes, "ANY_NODES"},
    {ReservationFlag::StaticAlloc, "STATIC"},
    {ReservationFlag::PartNodes, "PART_NODES"},
    {ReservationFlag::FirstCores, "FIRST_CORES"},
    {ReservationFlag::TimeFloat, "TIME_FLOAT"},
    {ReservationFlag::Replace, "REPLACE"},
    {ReservationFlag::ReplaceDown, "REPLACE_DOWN"},
    {ReservationFlag::PurgeComp, "PURGE_COMP"},
    {ReservationFlag::NoHoldJobsAfter, "NO_HOLD_JOBS_AFTER_END"},
    {ReservationFlag::Magnetic, "MAGNETIC"},
    {ReservationFlag::UserDelete, "USER_DELETE"},
    {ReservationFlag::NoUserDelete, "NO_USER_DELETE"},
    {ReservationFlag::ForceStart, "FORCE_START"},
};
constexpr FlagName kOtherNames[] = {
    {ReservationFlag::StaticAlloc, "STATIC_ALLOC"},
    {ReservationFlag::NoHoldJobsAfter, "NO_HOLD_JOBS_AFTER"},
    {ReservationFlag::AllNodes, "ALL"},
    {ReservationFlag::AnyNodes, "LICENSE_ONLY"},
};

constexpr Duration kDay = std::chrono::hours(24);

// 0 is Sunday. By UTC: the core has no time zone.
int weekday_of(Instant time) { return static_cast<int>((time.unix_seconds() / 86400 + 4) % 7); }
bool is_weekend(Instant time) { return weekday_of(time) == 0 || weekday_of(time) == 6; }

// "a,b" lists those who may, "-a,-b" those who may not.
bool list_admits(const std::string& list, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> words = split_words(list, ',');
  bool negative = !words.empty() && words[0].starts_with('-');
  bool listed = std::ranges::any_of(words, [&](std::string_view word) {
    if (negative && word.starts_with('-')) word.remove_prefix(1);
    return std::ranges::find(names, word) != names.end();
  });
  return listed != negative;
}
bool is_negative(const std::string& list) { return list.starts_with('-'); }

}  // namespace

bool Reservation::recurs() const {
  return has(ReservationFlag::Hourly) || has(ReservationFlag::Daily) ||
         has(ReservationFlag::Weekly) || has(ReservationFlag::Weekday) ||
         has(ReservationFlag::Weekend);
}

const ReservedNode* Reservation::find(NodeId node) const {
  auto at = std::ranges::lower_bound(nodes, node, {}, &ReservedNode::node);
  return at == nodes.end() || at->node != node ? nullptr : &*at;
}

std::string flags_text(const Reservation& reservation) {
  std::string out;
  for (const FlagName& one : kFlagNames) {
    if (!reservation.has(one.flag)) continue;
    out.append(out.empty() ? "" : ",").append(one.name);
    if (one.flag == ReservationFlag::PurgeComp && reservation.purge_after_s)
      out += "=" + print_span_long(std::chrono::seconds(reservation.purge_after_s));
  }
  return out;
}

std::optional<ReservationFlag> reservation_flag(std::string_view name) {
  for (const FlagName& one : kFlagNames)
    if (same_ignoring_case(one.name, name)) return one.flag;
  for (const FlagName& one : kOtherNames)
    if (same_ignoring_case(one.name, name)) return one.flag;
  constexpr std::size_t kShortest = 3;
  std::optional<ReservationFlag> found;
  for (const FlagName& one : kFlagNames) {
    if (name.size() < kShortest || !starts_with_ignoring_case(one.name, name)) continue;
    if (found) return std::nullopt;
    found = one.flag;
  }
  return found;
}

Instant next_occurrence(const Reservation& reservation) {
  Instant next = reservation.start;
  if (reservation.has(ReservationFlag::Hourly)) return next + std::chrono::hours(1);
  if (reservation.has(ReservationFlag::Weekly)) return next + 7 * kDay;
  next = next + kDay;
  if (reservation.has(ReservationFlag::Weekday))
    while (is_weekend(next)) next = next + kDay;
  if (reservation.has(ReservationFlag::Weekend))
    while (!is_weekend(next)) next = next + kDay;
  return next;
}

bool admits(const Reservation& reservation, std::string_view user,
            const std::vector<std::string>& groups, std::string_view account) {
  std::vector<std::string_view> group_names(groups.begin(), groups.end());
  bool by_user = list_admits(reservation.users, {user});
  bool by_group = list_admits(reservation.groups, group_names);
  bool by_account = list_admits(reservation.accounts, {account});
  // Those who are named as not allowed are not, whatever else holds.
  if (is_negative(reservation.users) && !by_user) return false;
  if (is_negative(reservation.accounts) && !by_account) return false;
  bool users_given = !reservation.users.empty(), groups_given = !reservation.groups.empty(),
       accounts_given = !reservation.accounts.empty();
  if (users_given || groups_given) {
    bool person = (users_given && by_user) || (groups_given && by_group);
    if (person && !accounts_given) return true;
    // A user or an account that is named suffices, unless only exclusions name them.
    if (person && !is_negative(reservation.users)) return true;
    return accounts_given && by_account && (person || !is_negative(reservation.accounts));
  }
  return accounts_given && by_account;
}

}  // namespace ym
