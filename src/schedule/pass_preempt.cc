// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: whom to preempt?
#include <algorithm>

#include "schedule/het.h"
#include "schedule/homes.h"
#include "schedule/pass.h"
#include "schedule/place_gres.h"
#include "schedule/preempt.h"
#include "schedule/shape.h"

namespace ym {
namespace {

// Jobs for which a pass asks who could make room.
constexpr std::size_t kPreemptorsMax = 64;

}  // namespace

// What somebody waits for in one partition: a job, or a component of a heterogeneous one.
struct Pass::Want {
  const Job* job = nullptr;
  Home home;
  const Partition* partition = nullptr;
  Calendar::Stay stay;
};

// A job that could make room.
struct Pass::Guest {
  Victim candidate;
  std::vector<const Job*> jobs;  // itself, or all components of a heterogeneous job
  Duration grace{0};
  bool turns = false;  // it takes turns with the one who asks
};

// Those who could make room, in the order in which they are asked.
struct Pass::Guests {
  std::vector<Guest> all;
  std::map<NodeId, std::vector<std::size_t>> on;
  std::uint32_t sharers = 1;  // at most so many take turns

  std::vector<Profile::Departure> departures(NodeId node, const std::vector<bool>& gone) const {
    std::vector<Profile::Departure> out;
    auto at = on.find(node);
    if (at == on.end()) return out;
    for (std::size_t i : at->second) {
      if (!gone[i]) continue;
      for (const Job* job : all[i].jobs)
        for (const NodeShare& share : job->allocation->nodes)
          if (share.node == node)
            out.push_back({.job = job->id,
                           .share = share,
                           .allocation = job->allocation,
                           .keeps_memory = all[i].candidate.mode == PreemptMode::Suspend});
    }
    return out;
  }
  bool takes_turns(NodeId node, const std::vector<bool>& gone) const {
    auto at = on.find(node);
    return at != on.end() &&
           std::ranges::any_of(at->second, [&](std::size_t i) { return gone[i] && all[i].turns; });
  }
};

// A job that does not fit now. True if others are on their way out for it, or it starts in the
// place of others: then the next of its line may be looked at.
bool Pass::others_make_room(const Job& job, Shape& shape, Verdict& verdict) {
  const PreemptRules& rules = planner_.preempt_;
  if (rules.by == PreemptBy::Nothing && !rules.cluster.gang) return false;
  bool room = verdict.reason == Reason::Resources;
  bool licenses = verdict.reason == Reason::Licenses && rules.reclaim_licenses;
  if (!room && !licenses) return false;
  Components components = components_of(state_, job);
  if (planner_.book_.leaving_for(job.id)) {
    // What it gets when they have gone is kept for it.
    if (promise(components, shape, verdict))
      for (const Job* one : components) planner_.preemptors_.insert(one->id);
    note_verdict(job, shape, std::move(verdict));
    return true;
  }
  if (preemptors_ >= kPreemptorsMax || no_time_left() || components.empty()) return false;
  ++preemptors_;
  Asks asks(*this, PlanQuestion::WhomToPreempt);
  if (components.size() == 1)
    return std::ranges::any_of(shape.homes, [&](const Home& home) {
      std::optional<Want> want = want_in(job, home);
      return want && preempt_for({*want}, shape, verdict);
    });
  std::vector<Want> wants;
  for (const Job* one : components) {
    std::optional<Want> want;
    for (const Home& home : homes_of(*one->spec, state_, planner_.book_, planner_.rules_))
      if (!want) want = want_in(*one, home);
    if (!want) return false;
    wants.push_back(std::move(*want));
  }
  return preempt_for(wants, shape, verdict);
}

std::optional<Pass::Want> Pass::want_in(const Job& job, const Home& home) {
  const Partition* partition = state_.find(home.id);
  if (!partition || refusal_of(*partition->spec, *job.spec) != Reason::None) return std::nullopt;
  auto stays = profile_.calendar().stays(*job.spec, now_, latest_end(*job.spec, now_));
  if (stays.empty()) return std::nullopt;
  return Want{.job = &job, .home = home, .partition = partition, .stay = stays.front()};
}

// One want, or those of all components, which are to start together.
bool Pass::preempt_for(const std::vector<Want>& wants, Shape& shape, Verdict& verdict) {
  Guests guests = guests_of(wants);
  if (planner_.preempt_again_ < kNever) shape.is_awake = true;
  if (guests.all.empty()) return false;
  std::vector<Victim> candidates;
  for (const Guest& one : guests.all) candidates.push_back(one.candidate);
  auto fits = [&](const std::vector<bool>& gone) -> std::optional<std::vector<NodeId>> {
    std::vector<Allocation> placed = place_without(wants, guests, gone);
    if (placed.empty()) return std::nullopt;
    std::vector<NodeId> nodes;
    for (const Allocation& one : placed)
      for (const NodeShare& share : one.nodes) nodes.push_back(share.node);
    std::ranges::sort(nodes);
    return nodes;
  };
  auto meets = [&](std::size_t i, const std::vector<NodeId>& nodes) {
    return std::ranges::any_of(guests.all[i].jobs, [&](const Job* job) {
      return std::ranges::any_of(job->allocation->nodes, [&](const NodeShare& share) {
        return std::ranges::binary_search(nodes, share.node);
      });
    });
  };
  auto chosen = choose_victims(candidates, planner_.preempt_, fits, meets);
  if (!chosen) return false;
  std::vector<bool> gone(candidates.size(), false);
  for (std::size_t i : *chosen) gone[i] = true;
  std::vector<Allocation> placed = place_without(wants, guests, gone);
  std::vector<Booking> bookings;
  for (std::size_t i = 0; i < wants.size(); ++i)
    bookings.push_back({.job = wants[i].job->id,
                        .partition = wants[i].home.id,
                        .start = now_,
                        .end = latest_end(*wants[i].job->spec, now_),
                        .allocation = std::move(placed[i])});
  verdict.reason = Reason::Resources;
  ask(wants, shape, guests, *chosen, std::move(bookings));
  return true;
}

// O(jobs that run); those who hold nothing that the request admits are left out.
Pass::Guests Pass::guests_of(const std::vector<Want>& wants) {
  const PreemptRules& rules = planner_.preempt_;
  auto admitted = [&](NodeId node) {
    return std::ranges::any_of(wants, [&](const Want& want) {
      const Pool& pool = planner_.book_.pools()[want.home.pool];
      auto at = std::ranges::lower_bound(pool.nodes, node);
      if (at == pool.nodes.end() || *at != node) return false;
      auto place = static_cast<std::size_t>(at - pool.nodes.begin());
      return want.home.takes_all || (want.home.admitted[place / 64] >> (place % 64) & 1) != 0;
    });
  };
  Guests guests;
  if (wants.size() == 1)
    guests.sharers = sharers_of(rules, *wants[0].job->spec, *wants[0].partition->spec);
  for (const auto& [id, running] : planner_.book_.running()) {
    const Job& other = state_.jobs.at(id.value);
    if (other.completing() || asked_.contains(id) || other.is_later_component()) continue;
    std::optional<Guest> guest = guest_of(other, wants);
    if (!guest) continue;
    bool here = std::ranges::any_of(guest->jobs, [&](const Job* job) {
      return std::ranges::any_of(job->allocation->nodes, admitted, &NodeShare::node);
    });
    if (here) guests.all.push_back(std::move(*guest));
  }
  std::ranges::sort(guests.all, [&](const Guest& a, const Guest& b) {
    return goes_before(a.candidate, b.candidate, rules);
  });
  if (guests.all.size() > kCandidatesMax) guests.all.resize(kCandidatesMax);
  for (std::size_t i = 0; i < guests.all.size(); ++i) {
    std::set<NodeId> nodes;
    for (const Job* job : guests.all[i].jobs)
      for (const NodeShare& share : job->allocation->nodes)
        if (admitted(share.node)) nodes.insert(share.node);
    for (NodeId node : nodes) guests.on[node].push_back(i);
  }
  return guests;
}

// Whether a job that runs could make room for everything that is wanted, and what that would cost.
std::optional<Pass::Guest> Pass::guest_of(const Job& other, const std::vector<Want>& wants) {
  const PreemptRules& rules = planner_.preempt_;
  const Partition* where = state_.find(other.partition);
  if (!where) return std::nullopt;
  Guest guest{.candidate = {.job = other.id, .parked = other.is_parked()},
              .jobs = components_of(state_, other)};
  std::erase_if(guest.jobs, [](const Job* job) { return !job->holds_resources(); });
  PreemptMode& mode = guest.candidate.mode;
  for (const Want& want : wants) {
    Preemptor preemptor{.spec = *want.job->spec,
                        .partition = *want.partition->spec,
                        .priority = want.job->priority};
    bool peer = wants.size() == 1 && are_peers(rules, other, *where->spec, preemptor);
    if (!peer && !is_below(rules, other, *where->spec, preemptor)) return std::nullopt;
    // Among peers, who has waited for longer goes first.
    if (peer && other.is_parked() && other.suspended_at <= want.job->eligible) return std::nullopt;
    mode = other.is_parked() ? PreemptMode::Suspend
                             : may_preempt(rules, state_, other, preemptor, now_);
    guest.turns = guest.turns || peer;
    if (mode != PreemptMode::Off) continue;
    note_when_to_ask_again(other, *where->spec, peer);
    return std::nullopt;
  }
  const QosPreemption none;
  auto qos = rules.qos.find(other.spec->qos);
  for (const Job* job : guest.jobs) guest.candidate.cpus += job->allocation->cpus();
  guest.candidate.level = rules.by == PreemptBy::Qos
                              ? (qos == rules.qos.end() ? none : qos->second).priority
                              : where->spec->priority_tier;
  guest.candidate.priority = other.priority;
  guest.candidate.start = other.start;
  if (mode != PreemptMode::Suspend)
    guest.candidate.loss = (now_ - other.start).count() * guest.candidate.cpus;
  guest.grace = grace_time_of(rules, *other.spec, *where->spec, mode);
  return guest;
}

void Pass::note_when_to_ask_again(const Job& other, const PartitionSpec& partition, bool peer) {
  const PreemptRules& rules = planner_.preempt_;
  PreemptMode later = preempt_mode_of(rules, *other.spec, partition);
  Instant from =
      peer ? turn_ends(rules, other) : other.start + exempt_time_of(rules, *other.spec, later);
  if ((peer || later != PreemptMode::Off) && from > now_)
    planner_.preempt_again_ = std::min(planner_.preempt_again_, from);
}

// What everybody would get if these were gone, in the order of the wants; nothing if somebody would
// get nothing. O(wants × (nodes of the partition + their guests)).
std::vector<Allocation> Pass::place_without(const std::vector<Want>& wants, const Guests& guests,
                                            const std::vector<bool>& gone) const {
  std::vector<Allocation> placed;
  for (const Want& want : wants) {
    auto allocation = place_one_without(want, guests, gone, placed);
    if (!allocation) return {};
    placed.push_back(std::move(*allocation));
  }
  return placed;
}

// Beside what other components were given.
std::optional<Allocation> Pass::place_one_without(const Want& want, const Guests& guests,
                                                  const std::vector<bool>& gone,
                                                  const std::vector<Allocation>& given) const {
  const JobSpec& spec = *want.job->spec;
  const Home& home = want.home;
  std::set<JobId> leaving, licenses_back;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) continue;
    for (const Job* job : guests.all[i].jobs) {
      leaving.insert(job->id);
      bool kept = guests.all[i].candidate.mode == PreemptMode::Suspend;
      if (planner_.preempt_.reclaim_licenses && !kept) licenses_back.insert(job->id);
    }
  }
  auto held = profile_.licenses_without(spec, want.stay, licenses_back);
  if (!held) return std::nullopt;
  Capacity capacity(spec, home.rules);
  Profile::Asker asker{.capacity = capacity,
                       .tasks = std::max({1u, spec.tasks, spec.min_nodes}),
                       .with_gres = is_whole(spec, home.id) || gres_request(spec)};
  const Pool& pool = planner_.book_.pools()[home.pool];
  std::vector<Free> candidates;
  for (std::size_t place = 0; place < pool.nodes.size(); ++place) {
    if (!home.takes_all && !(home.admitted[place / 64] >> (place % 64) & 1)) continue;
    NodeId node = pool.nodes[place];
    std::vector<Profile::Departure> departures = guests.departures(node, gone);
    // A node that is full as it is needs no closer look.
    bool full = planner_.book_.track(node).free.cpus == 0 && capacity.rows() == 0;
    if (departures.empty() && full) continue;
    auto free = profile_.without(node, departures, want.stay, asker);
    if (!free) continue;
    for (const Allocation& other : given) take_off(*free, other);
    if (guests.takes_turns(node, gone)) limit_turns(*free, guests.sharers);
    if (free->cpus > 0) candidates.push_back(std::move(*free));
  }
  profile_.clip_blocks(candidates, spec, home, want.stay, leaving, [&](NodeId node) {
    auto free = profile_.without(node, guests.departures(node, gone), want.stay, asker);
    return !free || free->idle;
  });
  // Nobody goes for more nodes than it needs.
  std::optional<Allocation> allocation = place(takes_a_range(spec) ? with_fewest_nodes(spec) : spec,
                                               std::move(candidates), home.rules);
  if (!allocation) return std::nullopt;
  allocation->licenses = std::move(*held);
  if (want.stay.in) allocation->reservation = want.stay.in->name;
  return allocation;
}

// What another component was given of the node is not there for this one.
void Pass::take_off(Free& free, const Allocation& other) {
  for (const NodeShare& share : other.nodes) {
    if (share.node != free.node) continue;
    free.cpus -= std::min(free.cpus, cpus_missed(free.row, share.row, share.cpus, free.cpus_total));
    free.memory_mb -= std::min(free.memory_mb, share.memory_mb);
    free.idle = false;
    if (free.gres) hold_gres(other, free);
  }
}

// So many cpus of the node may be given as let at most so many jobs take turns on each.
void Pass::limit_turns(Free& free, std::uint32_t sharers) const {
  const Node& node = state_.nodes.at(free.node.value);
  std::uint64_t most = std::uint64_t{sharers} * free.cpus_total;
  std::uint64_t held = std::uint64_t{node.cpus_used} + node.parked_cpus;
  free.cpus =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(free.cpus, most - std::min(most, held)));
}

// They are asked to make room. Where all are suspended the job starts at once; otherwise what it
// will get is promised to it, for when they have gone. Where some would be suspended and others
// end, the latter go first, so that nobody is suspended for long before it helps.
void Pass::ask(const std::vector<Want>& wants, Shape& shape, const Guests& guests,
               const std::vector<std::size_t>& chosen, std::vector<Booking> bookings) {
  const Job& job = *wants.front().job;
  auto ends = [&](std::size_t i) { return guests.all[i].candidate.mode != PreemptMode::Suspend; };
  bool some_end = std::ranges::any_of(chosen, ends);
  Duration grace{0};
  for (std::size_t i : chosen) {
    const Guest& guest = guests.all[i];
    for (const Job* one : guest.jobs) asked_.insert(one->id);
    if (guest.candidate.parked || (some_end && !ends(i))) continue;
    grace = std::max(grace, guest.grace);
    plan_.preemptions.push_back({.victim = guest.candidate.job,
                                 .sluid = guest.jobs.front()->sluid,
                                 .mode = guest.candidate.mode,
                                 .by = job.id,
                                 .partition = bookings.front().partition,
                                 .shape = shape_hash(shape_key(*job.spec)),
                                 .grace = guest.grace});
  }
  if (!some_end) return start_in_their_place(wants, std::move(bookings));
  Instant start = now_ + grace + kAnyMoment;
  note_verdict(job, shape,
               {.reason = Reason::Resources, .head = job.id, .expected_start = start, .text = {}});
  for (std::size_t i = 0; i < wants.size(); ++i) {
    Booking& booking = bookings[i];
    booking.start = start;
    if (booking.end < kNever) booking.end = booking.end + grace + kAnyMoment;
    book(std::move(booking), *wants[i].job, shape);
    planner_.preemptors_.insert(wants[i].job->id);
  }
}

void Pass::start_in_their_place(const std::vector<Want>& wants, std::vector<Booking> bookings) {
  std::vector<Proposal> proposals;
  for (std::size_t i = 0; i < wants.size(); ++i) {
    const Job& job = *wants[i].job;
    Proposal proposal{.job = job.id,
                      .array_task = job.array ? next_task(job) : kNoTask,
                      .partition = bookings[i].partition,
                      .shape = shape_hash(shape_key(*job.spec)),
                      .allocation = std::move(bookings[i].allocation),
                      .time_limit_s = 0,
                      .end = bookings[i].end,
                      .others = {}};
    take(proposal, job);
    if (job.array_max_running) ++array_started_[job.array_job];
    proposals.push_back(std::move(proposal));
    if (const JobQueue::Place* place = planner_.queue_.find(job.id))
      note_start(job, *place->line->shape);
  }
  Proposal first = std::move(proposals.front());
  first.others.assign(std::make_move_iterator(proposals.begin() + 1),
                      std::make_move_iterator(proposals.end()));
  plan_.starts.push_back(std::move(first));
}

}  // namespace ym
