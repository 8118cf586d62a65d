// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/explain.h"

#include <algorithm>

#include "base/format.h"
#include "controller/controller.h"
#include "controller/queries/rows.h"
#include "controller/queries/select.h"
#include "model/errc.h"
#include "notation/size.h"
#include "notation/time_limit.h"
#include "schedule/diagnose.h"
#include "schedule/het.h"
#include "schedule/outlook.h"
#include "schedule/place_gres.h"
#include "schedule/planner.h"

namespace ym {
namespace {

std::string limit_text(std::uint32_t time_s) {
  if (time_s == JobSpec::kUnlimited) return "UNLIMITED";
  return print_span_long(std::chrono::seconds(time_s));
}

class Explainer {
 public:
  // `changed`: the planner that runs knows of another request.
  Explainer(const State& state, const Job& job, const LivePlan& live, Instant now, bool changed)
      : state_(state),
        job_(job),
        spec_(*job.spec),
        live_(live),
        rules_(live.rules),
        now_(now),
        row_(job_row(state, job, *live.verdicts, now)),
        said_(!changed && is_said()) {}

  Explanation run() {
    told_.job = job_.id;
    told_.display = display_id(job_);
    told_.state = name_of(job_.state);
    explain_preemption();
    if (job_.state != JobState::Pending) return std::move(told_);
    explain_holds();
    explain_dependency();
    explain_components();
    explain_times();
    explain_partitions();
    explain_turn();
    if (told_.obstacles.empty())
      add(Reason::None, "nothing holds it back", "it starts with the next pass");
    return std::move(told_);
  }

 private:
  void add(Reason reason, std::string text, std::string remedy) {
    told_.obstacles.push_back(
        {.reason = reason, .text = std::move(text), .remedy = std::move(remedy)});
  }

  void explain_holds() {
    if (job_.holds.user)
      add(Reason::JobHeldUser, "it is held by its user",
          fmt::format("scontrol release {}", job_.id.value));
    if (job_.holds.admin)
      add(Reason::JobHeldAdmin, "it is held by an administrator",
          fmt::format("an administrator's scontrol release {}", job_.id.value));
  }

  // Who made or makes room for whom.
  void explain_preemption() {
    const JobPreemption& made = *job_.preemption;
    if (made.by && job_.state == JobState::Pending)
      add(Reason::None, fmt::format("it made room for job {}", made.by.value),
          "it starts again in its turn");
    if (job_.is_parked())
      add(Reason::None, fmt::format("it is suspended for job {}", made.by.value),
          "it goes on when there is room");
    else if (job_.is_preempted())
      add(Reason::None, fmt::format("it makes room for job {}", made.by.value),
          "it ends when its time of grace is over");
    if (job_.state != JobState::Pending) return;
    std::string leaving;
    state_.jobs.for_each([&](std::uint64_t, const Job& other) {
      bool ends = other.preemption->mode != PreemptMode::Suspend && other.holds_resources();
      if (other.preemption->by == job_.id && ends)
        leaving += (leaving.empty() ? "" : ", ") + display_id(other);
    });
    if (!leaving.empty())
      add(Reason::Resources, fmt::format("these make room for it: {}", leaving),
          "it starts when they have gone");
  }

  void explain_dependency() {
    for (const Dependency::Term& term : job_.dependency->terms) {
      Dependency one{.any = false, .terms = {term}};
      if (term.failed)
        add(Reason::DependencyNeverSatisfied, fmt::format("{} can never be satisfied", one.shown()),
            fmt::format("scontrol update jobid={} dependency=, or scancel it", job_.id.value));
      else
        add(Reason::Dependency, fmt::format("it waits for {}", one.str()), target_state(term));
    }
  }

  // They start together, so what holds one of them back holds all.
  void explain_components() {
    if (!job_.het_job) return;
    for (const Job* one : components_of(state_, job_)) {
      if (one->id == job_.id) continue;
      Reason reason = reason_of(*one, {}, now_);
      if (reason == Reason::None) continue;
      bool held = reason == Reason::JobHeldUser || reason == Reason::JobHeldAdmin;
      add(reason, fmt::format("its component {} waits, and all start together", display_id(*one)),
          held ? fmt::format("scontrol release {}", one->id.value)
               : fmt::format("yardmaster explain {}", display_id(*one)));
    }
  }

  // When the request, with the other components as they are, could start.
  std::optional<Booking> soonest(const JobSpec& spec, Outlook& outlook) const {
    if (!job_.het_job) return outlook.earliest(spec);
    std::vector<const JobSpec*> specs;
    for (const Job* one : components_of(state_, job_))
      specs.push_back(one->id == job_.id ? &spec : &*one->spec);
    std::vector<Booking> bookings = outlook.earliest_together(specs);
    if (job_.het_offset >= bookings.size()) return std::nullopt;
    return std::move(bookings[job_.het_offset]);
  }

  bool is_of_this_job(JobId id) const {
    const Job& other = state_.jobs.at(id.value);
    return id == job_.id || (job_.het_job && other.het_job == job_.het_job);
  }

  std::string target_state(const Dependency::Term& term) const {
    if (term.kind == Dependency::Kind::Singleton)
      return "the user's earlier jobs of this name must end";
    const Job* other = state_.find(JobId{term.job});
    if (!other) return "the jobs that it names must get there";
    return fmt::format("job {} is {} now", display_id(*other), name_of(other->state));
  }

  void explain_times() {
    if (job_.eligible > now_)
      add(Reason::BeginTime,
          fmt::format("its begin time is {} away", in_words(job_.eligible - now_)),
          fmt::format("scontrol update jobid={} starttime=now", job_.id.value));
    if (spec_.deadline)
      add(Reason::DeadLine, fmt::format("it must end within {}", in_words(spec_.deadline - now_)),
          "a later --deadline, or a shorter --time");
  }

  static std::string in_words(Duration time) {
    return print_span_long(std::max(time, Duration(0)));
  }

  void explain_partitions() {
    for (const Partition* partition : partitions_of(spec_, state_)) {
      const PartitionSpec& rules = *partition->spec;
      Reason reason = refusal_of(rules, spec_);
      if (reason == Reason::None) continue;
      add(reason, fmt::format("partition {} does not take it", rules.name), cure_of(reason, rules));
    }
  }

  static std::string cure_of(Reason reason, const PartitionSpec& rules) {
    switch (reason) {
      case Reason::PartitionTimeLimit:
        return fmt::format("--time={} or less, or another partition", limit_text(rules.max_time_s));
      case Reason::PartitionNodeLimit:
        return fmt::format("--nodes={} or less, or another partition", rules.max_nodes);
      case Reason::MaxMemPerLimit:
        return rules.max_memory_per_node_mb
                   ? fmt::format("--mem={} or less, or another partition",
                                 print_megabytes(rules.max_memory_per_node_mb))
                   : fmt::format("--mem-per-cpu={} or less, or another partition",
                                 print_megabytes(rules.max_memory_per_cpu_mb));
      case Reason::PartitionDown:
      case Reason::PartitionInactive:
        return "an administrator must set it up again, or another partition";
      default: return "another account, QOS or partition";
    }
  }

  bool stands_in_queue() const {
    return !job_.held() && job_.dependency->empty() && job_.eligible <= now_;
  }

  // Has the planner that runs come to a verdict on it? One that it passed over has none of its own,
  // and waits for its turn.
  bool is_said() const {
    const Verdicts& all = *live_.verdicts;
    if (job_.state != JobState::Pending || !stands_in_queue()) return false;
    if (row_.reason == Reason::None) return false;
    return job_.submit < all.at || row_.expected_start || all.jobs.contains(job_.id) ||
           row_.reason != Reason::Priority;
  }

  // As the one that runs would plan now.
  Plan plan_anew() const {
    Planner planner(rules_);
    planner.set_policy(*live_.policy);
    planner.set_preemption(live_.preempt);
    if (live_.scale.rules.counts()) {
      PriorityScale scale = live_.scale;
      scale.totals = totals_of(state_);
      planner.set_priority(
          {.at = [this, scale](const Job& job,
                               Instant at) { return priority_at(job, state_, at, scale); },
           .in = [scale](const Job& job, const PartitionSpec& partition,
                         Instant at) { return priority_in(job, partition, at, scale); },
           .line = priority_line});
    }
    planner.rebuild(state_);
    planner.follow(live_.verdicts->promised);
    return planner.plan(state_, now_, live_.budget);
  }

  // What the queue and the nodes have to say, as if nothing else held it back.
  void explain_turn() {
    Plan plan = plan_anew();
    auto own = plan.verdicts.jobs.find(job_.id);
    bool full = said_ ? row_.reason == Reason::JobArrayTaskLimit
                      : own != plan.verdicts.jobs.end() && own->second == Reason::JobArrayTaskLimit;
    if (full) {
      add(Reason::JobArrayTaskLimit,
          fmt::format("as many elements of its array run as it allows: {}", job_.array_max_running),
          fmt::format("scontrol update jobid={} arraytaskthrottle=N, or some must end",
                      job_.array_job.value));
      return;
    }
    Outlook outlook(state_, rules_, now_);
    for (const Booking& booking : promises_before(plan)) outlook.promise(booking);
    for (const Proposal& start : plan.starts) {
      if (is_of_this_job(start.job)) continue;
      outlook.promise(booking_of(start));
      for (const Proposal& other : start.others) outlook.promise(booking_of(other));
    }
    std::optional<Booking> booking = soonest(spec_, outlook);
    if (said_) return repeat_verdict(plan, booking, outlook);
    if (!booking) return explain_impossible(diagnose(state_, spec_, rules_), outlook);
    // One that would be left without a promise is told so, whatever may come of it.
    if (is_left_out(plan, *booking)) return explain_wait(outlook, std::nullopt);
    note_start(*booking);
    if (booking->start > std::max(now_, job_.eligible)) {
      explain_wait(outlook, booking->start);
      find_alternatives(outlook, booking->start);
    }
  }

  // It would neither start now nor be promised anything: the plan does not go so deep.
  bool is_left_out(const Plan& plan, const Booking& booking) const {
    if (!stands_in_queue() || booking.start <= now_ || live_.policy->nobody_passes) return false;
    return std::ranges::none_of(plan.booked,
                                [&](const Booking& one) { return is_of_this_job(one.job); });
  }

  // What squeue shows, with what can be said about it.
  void repeat_verdict(const Plan& plan, std::optional<Booking> forecast, Outlook& outlook) {
    std::optional<Instant> start;
    if (row_.expected_start) start = row_.expected_start;
    for (const Booking& one : plan.booked)
      if (one.job == job_.id) forecast = one;
    // Where, only a plan of the same kind can tell; and it has to be the same start, as people see
    // it.
    if (start && forecast && *start - forecast->start < std::chrono::seconds(1) &&
        forecast->start - *start < std::chrono::seconds(1)) {
      note_start(*forecast);
      start = std::min(*start, forecast->start);
    }
    told_.expected_start = row_.expected_start;
    bool waits = row_.reason == Reason::Resources || row_.reason == Reason::Priority ||
                 row_.reason == Reason::Licenses;
    if (!waits)
      return explain_impossible({.reason = row_.reason, .text = row_.reason_text}, outlook);
    explain_wait(outlook, start);
    if (!start || *start > now_) find_alternatives(outlook, start.value_or(now_ + kAnyMoment));
  }

  Booking booking_of(const Proposal& start) const {
    return {.job = start.job,
            .partition = start.partition,
            .start = now_,
            .end = start.end,
            .allocation = start.allocation};
  }

  // Of those before it in the queue: all, if it is promised nothing. Of one that does not stand
  // there, by priority.
  std::vector<Booking> promises_before(const Plan& plan) const {
    std::vector<Booking> before;
    for (const Booking& booking : plan.booked) {
      if (is_of_this_job(booking.job))
        return {plan.booked.begin(), plan.booked.begin() + (&booking - plan.booked.data())};
      const Job& other = state_.jobs.at(booking.job.value);
      bool first = stands_in_queue() || other.priority > job_.priority ||
                   (other.priority == job_.priority && other.id < job_.id);
      if (first) before.push_back(booking);
    }
    return before;
  }

  void note_start(const Booking& booking) {
    told_.expected_start = booking.start;
    told_.nodes = nodes_text(state_, booking.allocation);
    told_.partition = state_.find(booking.partition)->spec->name;
  }

  void explain_impossible(Diagnosis found, Outlook& outlook) {
    bool refused = std::ranges::all_of(partitions_of(spec_, state_), [&](const Partition* one) {
      return refusal_of(*one->spec, spec_) != Reason::None;
    });
    if (refused) return;  // said before
    switch (found.reason) {
      case Reason::PartitionConfig:
        if (gres_request(spec_))
          add(found.reason,
              fmt::format("its partition could not take it even if it were empty: it asks for {}",
                          wanted_gres()),
              "fewer of these, fewer nodes, tasks or less memory");
        else
          add(found.reason, "its partition could not take it even if it were empty",
              "fewer nodes, tasks or less memory");
        break;
      case Reason::BadConstraints:
        add(found.reason, "no node has what it asks for", "another --constraint or --nodelist");
        break;
      case Reason::ReqNodeNotAvail:
        add(found.reason, "nodes that it names cannot be used: " + found.text,
            "another --nodelist, or the nodes must come back");
        break;
      case Reason::Reservation:
        add(found.reason, "its reservation does not take it now",
            "the reservation must begin, or another one");
        break;
      default:
        if (waits_for_gres(outlook)) return explain_gres();
        add(found.reason, "nobody can tell when enough nodes are free",
            "nodes must come back, or jobs without a time limit must end");
    }
  }

  // Would it start now if it asked for no generic resources?
  bool waits_for_gres(Outlook& alone) const {
    if (!gres_request(spec_)) return false;
    JobSpec plain = spec_;
    JobExtras extras = *plain.extras;
    JobSpecials specials = *extras.specials;
    specials.gres = {};
    extras.specials = Ref(std::move(specials));
    plain.extras = Ref(std::move(extras));
    auto sooner = soonest(plain, alone);
    return sooner && sooner->start <= now_;
  }

  void explain_gres() {
    add(reason_or(Reason::Resources), fmt::format("not enough is free of {}", wanted_gres()),
        "jobs that have some must end, or ask for fewer or another type");
  }

  // "gres/gpu:a100:2 on each node"
  std::string wanted_gres() const {
    std::string out;
    for (const GresWish& wish : gres_request(spec_)->wishes) {
      std::string_view where = wish.per == GresPer::Node     ? " on each node"
                               : wish.per == GresPer::Task   ? " for each task"
                               : wish.per == GresPer::Socket ? " on each socket"
                                                             : "";
      out += fmt::format("{}gres/{}{}{}:{}{}", out.empty() ? "" : " and ", wish.name,
                         wish.type.empty() ? "" : ":", wish.type, wish.count, where);
    }
    return out;
  }

  // Would it start now without its licences, and not with them?
  bool wants_licenses_only(Outlook& alone) const {
    if (spec_.extras->licenses.empty()) return false;
    auto with = soonest(spec_, alone);
    JobSpec spec = spec_;
    JobExtras extras = *spec_.extras;
    extras.licenses.clear();
    spec.extras = Ref(std::move(extras));
    auto without = soonest(spec, alone);
    return without && without->start <= now_ && !(with && with->start <= now_);
  }

  // What it waits for, as the planner that runs has it, if that has said anything.
  Reason reason_or(Reason other) const { return said_ ? row_.reason : other; }

  // Would it start now, were it not for those before it?
  void explain_wait(Outlook& outlook, std::optional<Instant> start) {
    Outlook alone(state_, rules_, now_);
    auto sooner = soonest(spec_, alone);
    if (said_ ? row_.reason == Reason::Licenses : wants_licenses_only(alone))
      add(Reason::Licenses, "licences that it needs are taken: " + spec_.extras->licenses,
          "jobs that have them must end, or others");
    else if (sooner && sooner->start <= now_ && outlook.promises() > 0)
      add(reason_or(Reason::Priority),
          fmt::format("{} in the queue before it is promised these nodes",
                      outlook.promises() == 1 ? std::string("a job")
                                              : fmt::format("each of {} jobs", outlook.promises())),
          "a higher priority, or a smaller request");
    else if (waits_for_gres(alone))
      explain_gres();
    else
      add(reason_or(Reason::Resources), "not enough of its partition's nodes are free",
          "running jobs must end, or a smaller request");
    if (!start && sooner)
      add(reason_or(Reason::Priority), "no start is planned for it: others come first",
          "it starts when there is room that nobody before it is promised");
  }

  void try_change(Outlook& outlook, Instant expected, std::string change, JobSpec spec) {
    auto booking = soonest(spec, outlook);
    if (!booking || booking->start >= expected) return;
    told_.alternatives.push_back({.change = std::move(change),
                                  .start = booking->start,
                                  .partition = state_.find(booking->partition)->spec->name,
                                  .nodes = nodes_text(state_, booking->allocation)});
  }

  // One thing at a time, the least change first: the longest time, the most nodes that would start
  // sooner.
  void find_alternatives(Outlook& outlook, Instant expected) {
    bool limited = spec_.time_limit_s && spec_.time_limit_s != JobSpec::kUnlimited;
    std::uint32_t minutes = limited ? spec_.time_limit_s / 60 : 24 * 60;
    for (std::uint32_t part : {75u, 50u, 25u, 10u}) {
      JobSpec spec = spec_;
      spec.time_limit_s = std::max(1u, minutes * part / 100) * 60;
      if (limited && spec.time_limit_s >= spec_.time_limit_s) continue;
      std::size_t known = told_.alternatives.size();
      try_change(outlook, expected, "--time=" + limit_text(spec.time_limit_s), spec);
      if (told_.alternatives.size() > known) break;
    }
    for (std::uint32_t nodes = spec_.min_nodes / 2; nodes > 0; nodes /= 2) {
      JobSpec spec = spec_;
      spec.min_nodes = spec.max_nodes = nodes;
      std::size_t known = told_.alternatives.size();
      try_change(outlook, expected, fmt::format("--nodes={}", nodes), spec);
      if (told_.alternatives.size() > known) break;
    }
    state_.partitions.for_each([&](std::uint64_t, const Partition& partition) {
      const std::string& name = partition.spec->name;
      if (partition.spec->root_only || partition.spec->hidden) return;
      for (const Partition* own : partitions_of(spec_, state_))
        if (own->id == partition.id) return;
      JobSpec spec = spec_;
      spec.partitions = name;
      try_change(outlook, expected, "--partition=" + name, spec);
    });
    std::ranges::sort(told_.alternatives, {},
                      [](const Alternative& one) { return std::pair(one.start, one.change); });
  }

  const State& state_;
  const Job& job_;
  const JobSpec& spec_;
  const LivePlan& live_;
  const PlacementRules& rules_;
  Instant now_;
  JobRow row_;  // what squeue shows
  bool said_;   // and it is the planner's word
  Explanation told_;
};

Result<Explanation> explain(const State& state, const JobTarget& target, const LivePlan& live,
                            Instant now, bool changed) {
  std::optional<Job> found;
  JobFilter filter{.targets = {target}, .all_states = true};
  for_each_selected(state, filter, [&](const Job& job) {
    // Of an array, what still waits.
    if (!found || job.state == JobState::Pending) found = job;
    return found->state != JobState::Pending;
  });
  if (!found) return refuse(Errc::InvalidJobId);
  return Explainer(state, *found, live, now, changed).run();
}

}  // namespace

Result<Explanation> explain(const State& state, const JobTarget& target, const LivePlan& live,
                            Instant now) {
  return explain(state, target, live, now, false);
}

Result<Explanation> explain_changed(const ClusterConfig& config, const State& state,
                                    const QueryExplanation& query, const Caller& caller,
                                    const LivePlan& live, Instant now) {
  Controller copy(config, state);
  Outbox out;
  AlterJobs alter{.verb = JobVerb::Update, .filter = {.targets = {query.target}}};
  alter.patch = query.change;
  copy.alter(RequestId{1}, alter, caller, now, out);
  for (const Reply& reply : out.replies)
    if (const auto* answer = std::get_if<AlterAnswer>(&reply.answer))
      for (const JobOutcome& outcome : answer->outcomes)
        if (outcome.code) return fail(outcome.code, outcome.text);
  return explain(copy.state(), query.target, live, now, true);
}

}  // namespace ym
