// SPDX-License-Identifier: Apache-2.0
#include "controller/indexes.h"

#include <algorithm>

namespace ym {
namespace {

// Waits or runs for a client who is there.
bool needs_client(const Job& job) {
  if (!job.lives_for_client()) return false;
  if (job.state == JobState::Pending) return true;
  bool runs = job.state == JobState::Running || job.state == JobState::Suspended;
  return runs && !job.spec->extras->specials->detached;
}

template <class Set, class Value>
void set_member(Set& set, const Value& value, bool present) {
  if (present)
    set.insert(value);
  else
    set.erase(value);
}

template <class Map>
void set_member(Map& map, const typename Map::key_type& key, JobId job, bool present) {
  if (present) {
    map[key].insert(job);
    return;
  }
  auto at = map.find(key);
  if (at == map.end()) return;
  at->second.erase(job);
  if (at->second.empty()) map.erase(at);
}

// When a pending job must have started: for its deadline (one without any limit need only begin in
// time), and because its user waits no longer (--immediate). kNever: at some time.
Instant latest_start(const Job& job) {
  const JobSpec& spec = *job.spec;
  Instant latest = kNever;
  if (std::uint32_t wait_s = spec.extras->specials->immediate_s)
    latest = job.submit + std::chrono::seconds(wait_s);
  if (!spec.deadline) return latest;
  std::uint32_t time_s = spec.time_min_s ? spec.time_min_s : spec.time_limit_s;
  if (time_s == JobSpec::kUnlimited) time_s = 0;
  return std::min(latest, spec.deadline - std::chrono::seconds(time_s));
}

}  // namespace

void Indexes::rebuild(const State& state) {
  *this = {};
  state.jobs.for_each([&](std::uint64_t, const Job& job) { note(job, true); });
}

void Indexes::moved(const Job* before, const Job* after) {
  if (before) note(*before, false);
  if (after) note(*after, true);
}

void Indexes::note(const Job& job, bool present) {
  JobId id = job.id;
  if (job.array_job && job.array_job != id) set_member(elements_, job.array_job, id, present);
  if (job.state == JobState::Pending) {
    if (Instant latest = latest_start(job); latest < kNever)
      set_member(by_deadline_, std::pair(latest, id), present);
    for (const Dependency::Term& term : job.dependency->terms) {
      if (term.job) set_member(waiting_for_, JobId{term.job}, id, present);
      if (term.kind == Dependency::Kind::Singleton) set_member(singletons_, id, present);
      if (term.delay_minutes) set_member(delayed_, id, present);
    }
  }
  if (!is_terminal(job.state)) set_member(namesakes_, {job.spec->uid, job.spec->name}, id, present);
  if (job.state == JobState::Running) {
    if (job.limit_end < kNever) {
      set_member(by_limit_, std::pair(job.limit_end, id), present);
      const JobExtras& extras = *job.spec->extras;
      Instant warning = job.limit_end - std::chrono::seconds(extras.signal_before_s);
      if (extras.signal) set_member(by_warning_, std::pair(warning, id), present);
    }
    for (const Step& step : *job.steps)
      if (step.limit_end && step.limit_end < kNever)
        set_member(by_step_limit_, std::pair(step.limit_end, id), present);
    if (job.runs_script() && !job.launched) set_member(unlaunched_, id, present);
    std::uint32_t delay_s = job.spec->extras->specials->memory_delay_s;
    if (delay_s && !job.memory->looked) {
      Instant look = job.start + job.suspended_for + std::chrono::seconds(delay_s);
      set_member(by_memory_look_, std::pair(look, id), present);
    }
  }
  bool suspended = job.state == JobState::Suspended;
  if (suspended) set_member(suspended_, id, present);
  if (needs_client(job)) set_member(interactive_, id, present);
  if (job.holds_resources()) {
    if (job.completing()) {
      set_member(completing_, id, present);
      for (NodeId node : job.nodes_left) set_member(on_node_, node, id, present);
    } else {
      for (const NodeShare& share : job.allocation->nodes)
        set_member(on_node_, share.node, id, present);
      if (job.leaving) set_member(shrinking_, id, present);
      for (const NodeShare& share : job.leaving->nodes)
        set_member(on_node_, share.node, id, present);
    }
  } else if (is_terminal(job.state)) {
    set_member(by_end_, std::pair(job.end, id), present);
  }
}

}  // namespace ym
