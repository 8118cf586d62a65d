// SPDX-License-Identifier: Apache-2.0
// The part of a pass that asks: does it fit now?
#include <algorithm>

#include "schedule/het.h"
#include "schedule/homes.h"
#include "schedule/pass.h"
#include "schedule/shape.h"

namespace ym {
namespace {

// --switches=N@time: until then it waits for few enough of them, and afterwards takes what there
// is; unset: it has no such wish.
Instant waits_for_switches_until(const Job& job, Duration longest) {
  const JobSpecials& specials = *job.spec->extras->specials;
  if (specials.switches == 0) return {};
  Duration wait = specials.switch_wait_s
                      ? std::min<Duration>(std::chrono::seconds(specials.switch_wait_s), longest)
                      : longest;
  return std::max(job.submit, job.spec->begin) + wait;
}

JobSpec without_switches(const JobSpec& spec) {
  JobSpec other = spec;
  JobExtras extras = *spec.extras;
  JobSpecials specials = *extras.specials;
  specials.switches = 0;
  extras.specials = Ref(std::move(specials));
  other.extras = Ref(std::move(extras));
  return other;
}

}  // namespace

std::optional<Proposal> Pass::try_start(const Job& job, const std::vector<Home>& homes,
                                        Verdict& verdict) {
  const JobSpec& spec = *job.spec;
  Instant end = latest_end(spec, now_);
  if (auto proposal = try_until(job, homes, end, verdict)) return proposal;
  if (spec.time_min_s == 0 || spec.time_min_s >= spec.time_limit_s) return std::nullopt;
  // With less time, if --time-min allows it: as long as nobody is kept waiting.
  Instant least = now_ + std::chrono::seconds(spec.time_min_s);
  auto proposal = try_until(job, homes, least, verdict);
  if (!proposal) return std::nullopt;
  // What reservations leave is not looked into: it gets what it needs at least.
  if (profile_.calendar().empty())
    proposal->end = std::max(least, profile_.free_until(proposal->allocation, end));
  auto limit = std::chrono::duration_cast<std::chrono::seconds>(proposal->end - now_).count();
  proposal->time_limit_s = static_cast<std::uint32_t>(limit);
  return proposal;
}

std::optional<Proposal> Pass::try_until(const Job& job, const std::vector<Home>& homes, Instant end,
                                        Verdict& verdict) {
  std::vector<Calendar::Stay> stays = profile_.calendar().stays(*job.spec, now_, end);
  verdict.reason = stays.empty() ? Reason::Reservation : Reason::PartitionDown;
  if (stays.empty()) return std::nullopt;
  for (const Home& home : homes) {
    const Partition* partition = state_.find(home.id);
    if (!partition) continue;
    Reason reason = refusal_of(*partition->spec, *job.spec);
    if (reason != Reason::None) {
      if (verdict.reason != Reason::Resources) verdict.reason = reason;
      continue;
    }
    for (const Calendar::Stay& stay : stays) {
      std::optional<Allocation> allocation = allocate(job, home, stay, verdict);
      if (!allocation) continue;
      verdict.reason = Reason::None;
      return Proposal{.job = job.id,
                      .array_task = job.array ? next_task(job) : kNoTask,
                      .partition = partition->id,
                      .shape = 0,
                      .allocation = std::move(*allocation),
                      .time_limit_s = 0,
                      .end = end,
                      .others = {}};
    }
  }
  return std::nullopt;
}

// What the job would get in the partition during that stay; the verdict says why it is nothing.
std::optional<Allocation> Pass::allocate(const Job& job, const Home& home,
                                         const Calendar::Stay& stay, Verdict& verdict) {
  const JobSpec& spec = *job.spec;
  std::optional<std::string> held = profile_.licenses_for(spec, stay);
  if (!held) {
    if (verdict.reason != Reason::Resources) verdict.reason = Reason::Licenses;
    return std::nullopt;
  }
  bool maintained = false;
  std::optional<Allocation> allocation;
  // --prefer: with these features if there is room, in place of --constraint.
  if (const std::string& wish = spec.extras->specials->prefer; !wish.empty()) {
    JobSpec preferred = with_features(spec, wish);
    for (const Home& other : homes_of(preferred, state_, planner_.book_, planner_.rules_))
      if (other.id == home.id) allocation = profile_.place_now(preferred, other, stay, maintained);
  }
  bool surely_not = profile_.calendar().empty() && !profile_.may_fit_now(spec, home, stay.to);
  if (!allocation && !surely_not) allocation = profile_.place_now(spec, home, stay, maintained);
  if (Instant until = waits_for_switches_until(job, budget_.switch_wait);
      until && !allocation && !surely_not) {
    if (until <= now_)
      allocation = profile_.place_now(without_switches(spec), home, stay, maintained);
    else
      planner_.look_again_ = std::min(planner_.look_again_, until);
  }
  if (!allocation) {
    verdict.reason = maintained ? Reason::ReqNodeNotAvail : Reason::Resources;
    return std::nullopt;
  }
  allocation->licenses = std::move(*held);
  if (stay.in) allocation->reservation = stay.in->name;
  return allocation;
}

// All components of a heterogeneous job, or none of them.
// Those who start together are one proposal.
void Pass::propose(std::vector<Proposal> components) {
  Proposal first = std::move(components.front());
  first.others.assign(std::make_move_iterator(components.begin() + 1),
                      std::make_move_iterator(components.end()));
  plan_.starts.push_back(std::move(first));
}

// The time has come that they were promised: they get what they were promised, if it is there.
// Looked for anew, what one component gets may be what another needs.
bool Pass::start_as_promised(const Components& components, const std::vector<Booking>& lifted,
                             const Shape& shape) {
  Asks asks(*this, PlanQuestion::FitsNow);
  Profile::Mark before = profile_.mark();
  std::vector<Proposal> proposals;
  for (std::size_t i = 0; i < lifted.size(); ++i) {
    const Booking& one = lifted[i];
    const Job& job = *components[i];
    if (one.start != now_ || elements_that_may_start(job) == 0) break;
    if (!has_room_for(one, job, shape)) break;
    Proposal proposal{.job = job.id,
                      .array_task = job.array ? next_task(job) : kNoTask,
                      .partition = one.partition,
                      .shape = job.het_job ? shape_hash(shape_key(*job.spec)) : shape.hash,
                      .allocation = one.allocation,
                      .time_limit_s = 0,
                      .end = one.end,
                      .others = {}};
    if (auto stays = profile_.calendar().stays(*job.spec, now_, one.end); stays.front().in)
      proposal.allocation.reservation = stays.front().in->name;
    take(proposal, job);
    proposals.push_back(std::move(proposal));
  }
  if (proposals.size() == components.size()) {
    const Job& job = *components.front();
    if (job.array_max_running) ++array_started_[job.array_job];
    if (!job.array)
      for (const Booking& one : lifted)
        if (!offered_again_.contains(one.job)) planner_.offered_[one.job] = one;
    propose(std::move(proposals));
    note_start(*components.front(), shape);
    return true;
  }
  profile_.back_to(std::move(before));
  if (profile_.calendar().has_parts())
    for (const Proposal& proposal : proposals) profile_.calendar().uncount(proposal.allocation);
  return false;
}

void Pass::try_together(const Components& components, Verdict& verdict) {
  Asks asks(*this, PlanQuestion::FitsNow);
  Profile::Mark before = profile_.mark();
  std::vector<Proposal> proposals;
  for (const Job* one : components) {
    std::vector<Home> homes = homes_of(*one->spec, state_, planner_.book_, planner_.rules_);
    std::optional<Job> fewest;
    if (takes_a_range(*one->spec)) {
      fewest = *one;
      fewest->spec = Ref(with_fewest_nodes(*one->spec));
    }
    auto proposal = try_start(fewest ? *fewest : *one, homes, verdict);
    if (!proposal) break;
    proposal->shape = shape_hash(shape_key(*one->spec));
    take(*proposal, *one);
    proposals.push_back(std::move(*proposal));
  }
  if (proposals.size() == components.size()) return propose(std::move(proposals));
  verdict.head = components[proposals.size()]->id;
  profile_.back_to(std::move(before));
  if (profile_.calendar().has_parts())
    for (const Proposal& proposal : proposals) profile_.calendar().uncount(proposal.allocation);
}

void Pass::take(const Proposal& proposal, const Job& job) {
  profile_.take(proposal.allocation, *job.spec, is_whole(*job.spec, proposal.partition),
                proposal.end);
}

bool Pass::is_whole(const JobSpec& spec, PartitionId partition) const {
  const Partition* one = state_.find(partition);
  return spec.exclusive || (one && rules_in(*one->spec, planner_.rules_).whole_nodes);
}

}  // namespace ym
