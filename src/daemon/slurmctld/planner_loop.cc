// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/planner_loop.h"

#include <algorithm>
#include <functional>

#include "os/clock.h"
#include "os/stopwatch.h"

namespace ym {
namespace {

constexpr Duration kIdle = std::chrono::seconds(5);
constexpr std::size_t kNewsAtOnce = 256;
constexpr std::size_t kNewsMax = 1000;
// So many news that change no plan may wait for one that does.
constexpr std::size_t kQuietMost = 64;
// Passes over the whole queue take at most this part of the time: one in so many. In between only
// what has changed is looked at.
constexpr int kFullShare = 20;
// So long a pass over the whole queue goes on while there is news.
// Beyond the first thousand, starts are planned for as long as a full pass has taken no longer than
// this; bf_max_time allows more.
constexpr Duration kDepthTime = std::chrono::milliseconds(40);
constexpr Duration kFullAtOnce = std::chrono::milliseconds(20);

}  // namespace

std::vector<std::string> parameter_warnings(const ClusterConfig& config) {
  return read_knobs(config.scheduler_parameters).warnings;
}

PlannerLoop::PlannerLoop(const State& state, PlacementRules rules, Published& published,
                         Propose propose)
    : planner_(rules),
      state_(state),
      steering_(planner_, state_),
      published_(published),
      propose_(std::move(propose)),
      queue_(kNewsMax) {
  planner_.rebuild(state);
  thread_ = std::jthread([this] { run(); });
}

PlannerLoop::~PlannerLoop() { stop(); }

void PlannerLoop::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

void PlannerLoop::tell(News news) {
  if (held_back_) {
    news.something_to_plan = true;
    news.plan_was_handled = news.plan_was_handled || held_back_->plan_was_handled;
    news.start_anew = true;
    news.events.clear();
    held_back_.reset();
  }
  bool urgent = news.something_to_plan || news.plan_was_handled;
  bool told = urgent ? queue_.try_push(std::move(news))
                     : queue_.try_push_quietly(std::move(news), kQuietMost);
  if (!told) held_back_ = std::move(news);
}

void PlannerLoop::take_in(News& news) {
  state_ = std::move(news.state);
  bool cluster_changed =
      news.start_anew || std::ranges::any_of(news.events, [](const Event& event) {
        return std::holds_alternative<NodesDefined>(event.body) ||
               std::holds_alternative<PartitionDefined>(event.body);
      });
  steering_.follow(news.directions, cluster_changed);
  published_.set_method(news.directions.rules, planner_.policy());
  if (news.start_anew) planner_.rebuild(state_);
  for (const Event& event : news.events) planner_.observe(event, state_);
  wanted_ = wanted_ || news.something_to_plan;
  if (news.plan_was_handled) outstanding_ = false;
}

PlanBudget PlannerLoop::budget(bool only_changes) const {
  const SchedulerKnobs& knobs = steering_.knobs();
  PlanBudget out = knobs.budget;
  out.depth = only_changes               ? PlanBudget::Depth::Quick
              : planner_.is_unfinished() ? PlanBudget::Depth::Full
                                         : out.depth;
  Duration begin = monotonic_clock();
  out.pause = [this, begin] {
    return monotonic_clock() - begin >= kFullAtOnce && queue_.size() > 0;
  };
  out.clock = fine_stopwatch;
  Duration full_begin = begin - std::chrono::duration_cast<Duration>(full_took_);
  auto within = [full_begin](Duration time) {
    return [until = full_begin + time] { return monotonic_clock() <= until; };
  };
  if (knobs.time_max > Duration(0)) out.out_of_time = std::not_fn(within(knobs.time_max));
  if (!knobs.depth_is_set) out.more_promises = within(std::max(knobs.time_max, kDepthTime));
  return out;
}

// A quick pass says nothing of those whom it did not look at, nor does a full one that is not over:
// what was said of them before holds.
void PlannerLoop::publish(Plan& plan) {
  bool is_part = planner_.is_unfinished() || (!plan.quick && full_took_.count() > 0);
  plan.verdicts.at = last_plan_;
  if (is_part) fresh_.merge(plan.verdicts);
  if (plan.quick || plan.unfinished)
    verdicts_.merge(plan.verdicts);
  else if (is_part)
    verdicts_ = std::exchange(fresh_, {});
  else
    verdicts_ = std::move(plan.verdicts);
  verdicts_.at = last_plan_;
  published_.set_verdicts(Ref(verdicts_));
}

void PlannerLoop::run() {
  while (!queue_.closed()) {
    Duration until_begin = planner_.next_begin(last_plan_) - wall_clock();
    Duration wait = std::clamp(until_begin, Duration(1), kIdle);
    if (full_owed_) wait = std::clamp(full_after_ - monotonic_clock(), Duration(1), wait);
    if ((wanted_ || planner_.is_unfinished()) && !outstanding_) wait = Duration(0);
    for (News& news : queue_.take(kNewsAtOnce, wait)) take_in(news);
    if (planner_.next_begin(last_plan_) <= wall_clock()) wanted_ = true;
    if (full_owed_ && monotonic_clock() >= full_after_) wanted_ = true;
    if (!outstanding_ && (wanted_ || planner_.is_unfinished())) plan();
  }
}

// One pass: over what changed, over everything, or a part of that. With a full pass under way, what
// changed and a part of it take turns.
void PlannerLoop::plan() {
  bool goes_on = planner_.is_unfinished();
  bool quick_turn = wanted_ && !was_quick_;
  bool too_soon = goes_on ? quick_turn : monotonic_clock() < full_after_;
  if (!goes_on || quick_turn) wanted_ = false;
  last_plan_ = wall_clock();
  auto begin = stopwatch();
  Plan plan = planner_.plan(state_, last_plan_, budget(too_soon));
  auto took = stopwatch() - begin;
  was_quick_ = plan.quick;
  publish(plan);
  if (!goes_on) full_owed_ = plan.quick && too_soon;
  if (plan.quick) {
    published_.note_plan(took, plan.tally, true, last_plan_);
  } else {
    full_took_ += took;
    full_tally_.add(plan.tally);
  }
  if (!plan.quick && !plan.unfinished) {
    published_.note_plan(full_took_, std::exchange(full_tally_, {}), false, last_plan_);
    full_owed_ = false;
    full_after_ = monotonic_clock() +
                  std::chrono::duration_cast<Duration>(full_took_ * kFullShare) + Duration(1);
    full_took_ = {};
  }
  if (plan.starts.empty() && plan.preemptions.empty()) return;
  outstanding_ = true;
  propose_(std::move(plan));
}

}  // namespace ym
