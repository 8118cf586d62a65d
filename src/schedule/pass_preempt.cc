// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: whom to preempt?
#include <algorithm>

#include "schedule/het.h"
#include "schedule/pass.h"
#include "schedule/place_gres.h"
#include "schedule/preempt.h"

namespace ym {
namespace {

// Jobs for which a pass asks who could make room.
constexpr std::size_t kPreemptorsMax = 64;

}  // namespace

// Those who could make room in a partition, in the order in which they are asked.
struct Pass::Guests {
  struct Guest {
    Victim candidate;
    const Job* job = nullptr;
    Duration grace{0};
  };
  std::vector<Guest> all;
  std::map<NodeId, std::vector<std::size_t>> on;
};

// A job that does not fit now. True if others are on their way out for it, or it starts in the
// place of others: then the next of its line may be looked at.
bool Pass::others_make_room(const Job& job, Shape& shape, Verdict& verdict) {
  const PreemptRules& rules = planner_.preempt_;
  if (rules.by == PreemptBy::Nothing) return false;
  bool room = verdict.reason == Reason::Resources;
  bool licenses = verdict.reason == Reason::Licenses && rules.reclaim_licenses;
  if (!room && !licenses) return false;
  if (planner_.book_.leaving_for(job.id)) {
    // What it gets when they have gone is kept for it.
    if (promise(components_of(state_, job), shape, verdict)) planner_.preemptors_.insert(job.id);
    note_verdict(job, shape, std::move(verdict));
    return true;
  }
  if (preemptors_ >= kPreemptorsMax || no_time_left()) return false;
  ++preemptors_;
  return std::ranges::any_of(shape.homes, [&](const Home& home) {
    return preempt_in(job, shape, home, verdict);
  });
}

bool Pass::preempt_in(const Job& job, Shape& shape, const Home& home, Verdict& verdict) {
  const Partition* partition = state_.find(home.id);
  if (!partition || refusal_of(*partition->spec, *job.spec) != Reason::None) return false;
  Guests guests = guests_of(job, home, *partition);
  if (planner_.preempt_again_ < kNever) shape.is_awake = true;
  Instant end = latest_end(*job.spec, now_);
  std::vector<Calendar::Stay> stays = profile_.calendar().stays(*job.spec, now_, end);
  if (guests.all.empty() || stays.empty()) return false;
  std::vector<Victim> candidates;
  for (const Guests::Guest& one : guests.all) candidates.push_back(one.candidate);
  auto fits = [&](const std::vector<bool>& gone) -> std::optional<std::vector<NodeId>> {
    auto allocation = place_without(job, home, stays.front(), guests, gone);
    if (!allocation) return std::nullopt;
    std::vector<NodeId> nodes;
    for (const NodeShare& share : allocation->nodes) nodes.push_back(share.node);
    return nodes;
  };
  auto meets = [&](std::size_t i, const std::vector<NodeId>& nodes) {
    return std::ranges::any_of(guests.all[i].job->allocation->nodes, [&](const NodeShare& share) {
      return std::ranges::binary_search(nodes, share.node);
    });
  };
  auto chosen = choose_victims(candidates, planner_.preempt_, fits, meets);
  if (!chosen) return false;
  std::vector<bool> gone(candidates.size(), false);
  for (std::size_t i : *chosen) gone[i] = true;
  Booking booking{.job = job.id, .partition = home.id, .start = now_, .end = end, .allocation = {}};
  booking.allocation = *place_without(job, home, stays.front(), guests, gone);
  verdict.reason = Reason::Resources;
  ask(job, shape, guests, *chosen, std::move(booking));
  return true;
}

// O(jobs that run); those who hold nothing that the request admits are left out.
Pass::Guests Pass::guests_of(const Job& job, const Home& home, const Partition& partition) {
  const PreemptRules& rules = planner_.preempt_;
  Preemptor preemptor{.spec = *job.spec, .partition = *partition.spec, .priority = job.priority};
  const Pool& pool = planner_.book_.pools()[home.pool];
  auto admitted = [&](NodeId node) {
    auto at = std::ranges::lower_bound(pool.nodes, node);
    if (at == pool.nodes.end() || *at != node) return false;
    auto place = static_cast<std::size_t>(at - pool.nodes.begin());
    return home.takes_all || (home.admitted[place / 64] >> (place % 64) & 1);
  };
  Guests guests;
  for (const auto& [id, running] : planner_.book_.running()) {
    const Job& other = state_.jobs.at(id.value);
    const Partition* where = state_.find(other.partition);
    if (!where || other.completing() || asked_.contains(id)) continue;
    if (!is_below(rules, other, *where->spec, preemptor)) continue;
    bool parked = other.is_parked();
    PreemptMode mode = parked ? PreemptMode::Suspend
                              : may_preempt(rules, state_, other, preemptor, now_);
    if (mode == PreemptMode::Off) {
      PreemptMode later = preempt_mode_of(rules, *other.spec, *where->spec);
      Instant from = other.start + exempt_time_of(rules, *other.spec, later);
      if (later != PreemptMode::Off && from > now_)
        planner_.preempt_again_ = std::min(planner_.preempt_again_, from);
      continue;
    }
    if (!std::ranges::any_of(other.allocation->nodes, admitted, &NodeShare::node)) continue;
    const QosPreemption none;
    auto qos = rules.qos.find(other.spec->qos);
    std::uint32_t cpus = other.allocation->cpus();
    bool lost = mode != PreemptMode::Suspend;
    guests.all.push_back(
        {.candidate = {.job = id,
                       .mode = mode,
                       .parked = parked,
                       .level = rules.by == PreemptBy::Qos
                                    ? (qos == rules.qos.end() ? none : qos->second).priority
                                    : where->spec->priority_tier,
                       .priority = other.priority,
                       .start = other.start,
                       .loss = lost ? (now_ - other.start).count() * cpus : 0,
                       .cpus = cpus},
         .job = &other,
         .grace = grace_time_of(rules, *other.spec, *where->spec, mode)});
  }
  std::ranges::sort(guests.all, [&](const Guests::Guest& a, const Guests::Guest& b) {
    return goes_before(a.candidate, b.candidate, rules);
  });
  if (guests.all.size() > kCandidatesMax) guests.all.resize(kCandidatesMax);
  for (std::size_t i = 0; i < guests.all.size(); ++i)
    for (const NodeShare& share : guests.all[i].job->allocation->nodes)
      if (admitted(share.node)) guests.on[share.node].push_back(i);
  return guests;
}

// What the job would get if these were gone. O(nodes of the partition + their guests).
std::optional<Allocation> Pass::place_without(const Job& job, const Home& home,
                                              const Calendar::Stay& stay, const Guests& guests,
                                              const std::vector<bool>& gone) const {
  const JobSpec& spec = *job.spec;
  std::vector<std::string> given_back;
  if (planner_.preempt_.reclaim_licenses && !spec.extras->licenses.empty())
    for (std::size_t i = 0; i < gone.size(); ++i) {
      const std::string& held = guests.all[i].job->allocation->licenses;
      if (gone[i] && guests.all[i].candidate.mode != PreemptMode::Suspend && !held.empty())
        given_back.push_back(held);
    }
  auto held = profile_.licenses_without(spec, stay, given_back);
  if (!held) return std::nullopt;
  bool with_gres = is_whole(spec, home.id) || gres_request(spec);
  const Pool& pool = planner_.book_.pools()[home.pool];
  std::vector<Free> candidates;
  std::vector<Profile::Departure> leaving;
  for (std::size_t place = 0; place < pool.nodes.size(); ++place) {
    if (!home.takes_all && !(home.admitted[place / 64] >> (place % 64) & 1)) continue;
    NodeId node = pool.nodes[place];
    leaving.clear();
    if (auto at = guests.on.find(node); at != guests.on.end()) {
      for (std::size_t i : at->second) {
        if (!gone[i]) continue;
        const Guests::Guest& guest = guests.all[i];
        for (const NodeShare& share : guest.job->allocation->nodes)
          if (share.node == node)
            leaving.push_back({.job = guest.job->id,
                               .share = share,
                               .allocation = guest.job->allocation,
                               .keeps_memory = guest.candidate.mode == PreemptMode::Suspend});
      }
    }
    // A node that is full as it is needs no closer look.
    if (leaving.empty() && planner_.book_.track(node).free.cpus == 0) continue;
    auto free = profile_.without(node, leaving, stay, with_gres);
    if (free && free->cpus > 0) candidates.push_back(std::move(*free));
  }
  std::optional<Allocation> allocation = place(spec, std::move(candidates), home.rules);
  if (!allocation) return std::nullopt;
  allocation->licenses = std::move(*held);
  if (stay.in) allocation->reservation = stay.in->name;
  return allocation;
}

// They are asked to make room. Where all are suspended the job starts at once; otherwise what it
// will get is promised to it, for when they have gone. Where some would be suspended and others
// end, the latter go first, so that nobody is suspended for long before it helps.
void Pass::ask(const Job& job, const Shape& shape, const Guests& guests,
               const std::vector<std::size_t>& chosen, Booking booking) {
  auto ends = [&](std::size_t i) {
    return guests.all[i].candidate.mode != PreemptMode::Suspend;
  };
  bool some_end = std::ranges::any_of(chosen, ends);
  Duration grace{0};
  for (std::size_t i : chosen) {
    const Guests::Guest& guest = guests.all[i];
    asked_.insert(guest.job->id);
    if (guest.candidate.parked || (some_end && !ends(i))) continue;
    grace = std::max(grace, guest.grace);
    plan_.preemptions.push_back({.victim = guest.job->id,
                                 .sluid = guest.job->sluid,
                                 .mode = guest.candidate.mode,
                                 .by = job.id,
                                 .partition = booking.partition,
                                 .shape = shape.hash,
                                 .grace = guest.grace});
  }
  if (!some_end) {
    Proposal proposal{.job = job.id,
                      .array_task = job.array ? next_task(job) : kNoTask,
                      .partition = booking.partition,
                      .shape = shape.hash,
                      .allocation = std::move(booking.allocation),
                      .time_limit_s = 0,
                      .end = booking.end,
                      .others = {}};
    take(proposal, job);
    if (job.array_max_running) ++array_started_[job.array_job];
    plan_.starts.push_back(std::move(proposal));
    return;
  }
  booking.start = now_ + grace + kAnyMoment;
  if (booking.end < kNever) booking.end = booking.end + grace + kAnyMoment;
  note_verdict(job, shape,
               {.reason = Reason::Resources,
                .head = job.id,
                .expected_start = booking.start,
                .text = {}});
  book(std::move(booking), job, shape);
  planner_.preemptors_.insert(job.id);
}

}  // namespace ym
