// SPDX-License-Identifier: Apache-2.0
#include "schedule/forecast.h"

#include <algorithm>
#include <set>

#include "notation/hostlist.h"
#include "notation/licenses.h"
#include "schedule/place_gres.h"

namespace ym {
namespace {

void give_back(const Allocation& allocation, std::map<NodeId, Free>& free) {
  for (const NodeShare& share : allocation.nodes) {
    auto node = free.find(share.node);
    if (node == free.end()) continue;
    Free& left = node->second;
    left.cpus = std::min(left.cpus + share.cpus, left.cpus_total);
    left.memory_mb += share.memory_mb;
    release_gres(allocation, left);
    left.idle = left.cpus == left.cpus_total;
    if (left.idle) left.for_user = left.several_owners = false;
  }
}

// What is taken of a node by promises that overlap the time.
struct Taken {
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  std::vector<const Allocation*> by;
};
std::map<NodeId, Taken> taken_between(const std::vector<Booking>& booked, Instant from,
                                      Instant until) {
  std::map<NodeId, Taken> taken;
  for (const Booking& one : booked) {
    if (one.start >= until || one.end <= from) continue;
    for (const NodeShare& share : one.allocation.nodes) {
      taken[share.node].cpus += share.cpus;
      taken[share.node].memory_mb += share.memory_mb;
      if (one.allocation.gres) taken[share.node].by.push_back(&one.allocation);
    }
  }
  return taken;
}

// A partition that takes the job, and its nodes that do.
struct Home {
  const Partition* partition;
  std::vector<const Node*> nodes;
  PlacementRules rules;
};

// What of the licences is free between the times, if promises are kept.
Licenses licenses_between(Licenses licenses, const std::vector<Booking>& booked, Instant from,
                          Instant until) {
  for (const Booking& one : booked)
    if (one.start < until && one.end > from) take_licenses(one.allocation.licenses, licenses);
  return licenses;
}

// The state's, and those of jobs that are to start in this very pass: they give back what the state
// does not know of.
Licenses licenses_now(const State& state, const std::vector<Return>& returns) {
  Licenses held;
  for (const Return& one : returns) take_licenses(one.allocation->licenses, held);
  Licenses licenses = *state.licenses;
  for (auto& [name, license] : licenses)
    if (auto more = held.find(name); more != held.end())
      license.used = std::max(license.used, more->second.used);
  return licenses;
}

// What is free then, without what is promised.
struct Later {
  std::map<NodeId, Free> nodes;
  Licenses licenses;
};

std::optional<Booking> try_at(const JobSpec& spec, const std::vector<Home>& homes,
                              const Later& later, const Outlook& outlook, Instant start) {
  const std::map<NodeId, Free>& free = later.nodes;
  Instant end = latest_end(spec, start);
  std::map<NodeId, Taken> taken = taken_between(*outlook.booked, start, end);
  const Calendar* calendar = outlook.calendar;
  std::vector<Calendar::Stay> stays;
  if (calendar) stays = calendar->stays(spec, start, end);
  if (calendar && stays.empty()) return std::nullopt;
  std::string licenses;
  if (calendar && !spec.extras->licenses.empty()) {
    Licenses left = licenses_between(later.licenses, *outlook.booked, start, end);
    auto held = choose_licenses(spec, left, *calendar, stays.front());
    if (!held) return std::nullopt;
    licenses = std::move(*held);
  }
  for (const Home& home : homes) {
    std::vector<Free> candidates;
    for (const Node* node : home.nodes) {
      auto at = free.find(node->id);
      if (at == free.end()) continue;
      candidates.push_back(at->second);
      if (auto by = taken.find(node->id); by != taken.end()) {
        Free& left = candidates.back();
        left.cpus -= std::min(left.cpus, by->second.cpus);
        left.memory_mb -= std::min(left.memory_mb, by->second.memory_mb);
        left.idle = false;
        for (const Allocation* allocation : by->second.by) hold_gres(*allocation, left);
      }
      if (calendar && !calendar->empty() && !calendar->clip(candidates.back(), stays.front()))
        candidates.pop_back();
    }
    auto allocation = place(spec, std::move(candidates), home.rules);
    if (!allocation) continue;
    allocation->licenses = licenses;
    return Booking{.job = {},
                   .partition = home.partition->id,
                   .start = start,
                   .end = end,
                   .allocation = std::move(*allocation)};
  }
  return std::nullopt;
}

}  // namespace

Instant latest_end(const JobSpec& spec, Instant start) {
  bool unlimited = spec.time_limit_s == 0 || spec.time_limit_s == JobSpec::kUnlimited;
  return unlimited ? kNever : start + std::chrono::seconds(spec.time_limit_s);
}

Outlook outlook_of(const State& state, const PlacementRules& rules, Instant now) {
  static const std::vector<Booking> kNone;
  Outlook outlook{.now = now, .rules = rules, .free = {}, .returns = {}, .booked = &kNone};
  state.nodes.for_each([&](std::uint64_t, const Node& node) {
    if (node.usable()) outlook.free[node.id] = free_now(node);
  });
  state.jobs.for_each([&](std::uint64_t, const Job& job) {
    if (!job.holds_resources() || job.state == JobState::Suspended) return;
    outlook.returns.push_back({job.completing() ? job.end : job.limit_end, &*job.allocation});
  });
  std::ranges::sort(outlook.returns, {}, &Return::at);
  return outlook;
}

std::optional<Booking> forecast(const State& state, const JobSpec& spec, const Outlook& outlook) {
  std::vector<Home> homes;
  for (const Partition* partition : partitions_of(spec, state))
    if (refusal_of(*partition->spec, spec) == Reason::None)
      homes.push_back({partition, admitted_nodes(state, *partition, spec),
                       rules_in(*partition->spec, outlook.rules)});
  Later later{.nodes = outlook.free, .licenses = licenses_now(state, outlook.returns)};
  std::set<Instant> times{std::max(outlook.now, spec.begin)};
  for (const Return& one : outlook.returns) times.insert(one.at);
  for (const Booking& one : *outlook.booked) times.insert(one.end);
  if (outlook.calendar)
    for (Instant turn : outlook.calendar->turns(outlook.now)) times.insert(turn);
  auto next = outlook.returns.begin();
  for (Instant time : times) {
    if (time >= kNever) break;
    for (; next != outlook.returns.end() && next->at <= time; ++next) {
      give_back(*next->allocation, later.nodes);
      release_licenses(next->allocation->licenses, later.licenses);
    }
    if (time < spec.begin) continue;
    // What should be back already comes back at any moment.
    Instant start = std::max(time, outlook.now);
    if (auto found = try_at(spec, homes, later, outlook, start)) return found;
  }
  return std::nullopt;
}

bool fits_when_empty(const State& state, const Partition& partition, const JobSpec& spec,
                     const PlacementRules& cluster) {
  std::vector<Free> candidates;
  for (const Node* node : admitted_nodes(state, partition, spec))
    candidates.push_back(free_when_empty(*node));
  PlacementRules rules = rules_in(*partition.spec, cluster);
  return place(spec, std::move(candidates), rules).has_value();
}

Diagnosis diagnose(const State& state, const JobSpec& spec, const PlacementRules& rules) {
  bool fits = false, admitted = false;
  std::vector<std::string> away;
  auto required = Hostlist::parse(spec.extras->required_nodes);
  for (const Partition* partition : partitions_of(spec, state)) {
    fits = fits || fits_when_empty(state, *partition, spec, rules);
    for (const Node* node : admitted_nodes(state, *partition, spec)) {
      admitted = true;
      if (required && required->contains(node->spec->name) && !node->usable())
        away.push_back(node->spec->name);
    }
  }
  if (!fits) return {admitted ? Reason::PartitionConfig : Reason::BadConstraints, ""};
  if (away.empty()) return {};
  return {Reason::ReqNodeNotAvail, "UnavailableNodes:" + Hostlist::of(away).str()};
}

}  // namespace ym
