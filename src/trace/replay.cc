// SPDX-License-Identifier: Apache-2.0
#include "trace/replay.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "notation/time_limit.h"
#include "schedule/planner.h"
#include "schedule/policy.h"
#include "schedule/steering.h"
#include "trace/request.h"
#include "trace/shares.h"

namespace ym::trace {
namespace {

// Where virtual time begins if the trace does not say.
constexpr std::int64_t kOrigin = 1'000'000'000;
// The controller forgets at most so many ended jobs in a tick, and a tick costs a look at each
// node.
constexpr std::size_t kEndsPerTick = 1000;
constexpr std::size_t kEndsPerProgress = 4096;
constexpr std::size_t kUnbounded = static_cast<std::size_t>(-1);
constexpr std::uint32_t kNoJob = 0xffffffff;
constexpr std::uint32_t kFirstUid = 1000;
constexpr Duration kHalfLife = std::chrono::hours(7 * 24);

// PriorityDecayHalfLife; 0 is for ever.
Duration half_life_in(const ClusterConfig& config) {
  for (const auto& [key, value] : config.shown)
    if (same_ignoring_case(key, "PriorityDecayHalfLife"))
      if (auto time = parse_time_limit(value)) return time->unlimited ? Duration(0) : time->span;
  return kHalfLife;
}

// Users as accounting would know them, and who of them each job is of.
struct Sharers {
  std::vector<Sharer> list;
  std::vector<std::uint32_t> of_job;

  explicit Sharers(const Workload& workload) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> places;
    for (const TraceJob& job : workload.jobs) {
      auto [at, fresh] =
          places.try_emplace({job.account, job.user}, static_cast<std::uint32_t>(list.size()));
      if (fresh)
        list.push_back(
            {.user = workload.users[job.user], .account = name_at(workload.accounts, job.account)});
      of_job.push_back(at->second);
    }
  }
};

class Run {
 public:
  Run(const Replay& replay, const Policy& policy)
      : in_(replay),
        workload_(*replay.workload),
        controller_(replay.machine.config, State{}),
        planner_(controller_.placement_rules()),
        steering_(planner_, controller_.state()),
        origin_(workload_.origin_unix_s > 0 ? workload_.origin_unix_s : kOrigin),
        policy_(policy),
        sharers_(workload_),
        shares_(sharers_.list, half_life_in(replay.machine.config)),
        requests_(workload_, replay.machine, controller_.state()) {
    outcome_.policy = policy.name;
    outcome_.jobs.resize(workload_.jobs.size());
    runs_.resize(workload_.jobs.size());
  }

  Result<Outcome> run() {
    if (Status done = begin(); !done) return std::unexpected(done.error());
    for (;;) {
      std::int64_t next = next_instant();
      if (next == kOver) break;
      now_ = next;
      tell_ends();
      tell_submissions();
      observe();
      pass();
    }
    if (in_.progress) in_.progress(ended_);
    say_what_was_ignored();
    return std::move(outcome_);
  }

 private:
  static constexpr std::int64_t kOver = INT64_MAX;

  // An end to come. At one instant they are told in the order of their jobs.
  struct End {
    std::int64_t at = 0;
    std::uint32_t job = 0;   // place in the workload
    std::uint32_t turn = 0;  // of the job, if it is still the same
    JobId id;
    bool by_limit = false;
    bool operator>(const End& other) const {
      return std::pair(at, job) > std::pair(other.at, other.job);
    }
  };

  // A job while it runs, or since it was suspended.
  struct Running {
    std::uint32_t cpus = 0;
    std::uint32_t turn = 0;  // counts starts and interruptions: what was to come before does not
    std::int64_t left_s = 0, since_s = 0;  // of the run, when it last began or went on
  };

  Instant instant() const { return Instant::from_unix_seconds(origin_ + now_); }

  Status begin() {
    if (Status done = controller_.configure(in_.machine.config, instant(), out_); !done)
      return done;
    controller_.begin_watch(instant(), out_);
    for (const NodeSpec& node : in_.machine.config.nodes) {
      NodeReport report{.node = node.name, .complete = true, .registration = registration_of(node)};
      if (Status done = controller_.report(report, instant(), out_); !done) return done;
    }
    observe();
    steering_.follow({.rules = controller_.placement_rules(),
                      .priority = controller_.config().priority,
                      .preempt = Ref(controller_.preempt_rules()),
                      .parameters = controller_.config().scheduler_parameters},
                     true);
    planner_.set_policy(policy_);
    if (in_.machine.as_configured)
      budget_ = steering_.knobs().budget;
    else
      budget_.starts_max = budget_.reservations_max = kUnbounded,
      budget_.depth = PlanBudget::Depth::Full;
    return {};
  }

  void say_what_was_ignored() {
    outcome_.ignored = requests_.ignored();
    if (!in_.machine.as_configured) return;
    const ClusterConfig& config = controller_.config();
    if (steering_.knobs().time_max > Duration(0))
      outcome_.ignored.emplace_back("bf_max_time (a pass takes no time here)");
    constexpr std::string_view kKey = "SchedulerParameters: ";
    for (const std::string& warning : read_knobs(config.scheduler_parameters).warnings)
      outcome_.ignored.push_back(warning.starts_with(kKey) ? warning.substr(kKey.size()) : warning);
  }

  // PriorityType=priority/multifactor with weights: users' shares are as they were at the last
  // PriorityCalcPeriod.
  void count_shares() {
    const PriorityRules& rules = steering_.scale().rules;
    std::int64_t period = std::max<std::int64_t>(1, rules.calc_period.count() / 1000);
    if (rules.fair_share == 0 || (shared_at_ && now_ - *shared_at_ < period)) return;
    steering_.set_shares(shares_.table(now_));
    shared_at_ = now_;
  }

  std::int64_t next_instant() const {
    std::int64_t next = kOver;
    if (submitted_ < workload_.jobs.size()) next = workload_.jobs[submitted_].submit_s;
    if (!ends_.empty()) next = std::min(next, ends_.top().at);
    Instant begin = planner_.next_begin(instant());
    // What nothing but the passing of time could start.
    if (begin != kNever) next = std::min(next, std::max(now_ + 1, seconds_until(begin)));
    if (!ticks_.empty()) next = std::min(next, *ticks_.begin());
    return next;
  }

  // Since the first submission, rounded up.
  std::int64_t seconds_until(Instant at) const {
    return (at + Duration(999)).unix_seconds() - origin_;
  }

  // --- ends ---

  void tell_ends() {
    bool tick = parked_ > 0;
    while (!ticks_.empty() && *ticks_.begin() <= now_) {
      ticks_.erase(ticks_.begin());
      tick = true;
    }
    while (!ends_.empty() && ends_.top().at <= now_) {
      End end = ends_.top();
      ends_.pop();
      if (end.turn != runs_[end.job].turn) continue;
      if (end.by_limit)
        tick = true;
      else
        tell_end(end);
      if (++ended_ % kEndsPerTick == 0) tick = true;
      if (ended_ % kEndsPerProgress == 0 && in_.progress) in_.progress(ended_);
    }
    if (!tick) return;
    controller_.tick(instant(), out_);
    obey();
  }

  void tell_end(const End& end) {
    const Job* job = controller_.state().find(end.id);
    if (!job || job->state != JobState::Running) return;
    report_.node = node_name(job->allocation->batch_share().node);
    report_.attempts = {{.job = end.id,
                         .sluid = job->sluid,
                         .phase = AttemptPhase::Clean,
                         .batch = true,
                         .batch_ended = true}};
    YM_CHECK(controller_.report(report_, instant(), out_).has_value());
    obey();
  }

  // The nodes do what they are told, and say so.
  void obey() {
    while (!out_.orders.empty()) {
      orders_.swap(out_.orders);
      for (const Order& order : orders_) {
        AttemptReport attempt;
        if (const auto* launch = std::get_if<LaunchJob>(&order.message))
          attempt = {.job = launch->job, .sluid = launch->sluid, .batch = true, .prepared = true};
        else if (const auto* kill = std::get_if<KillJob>(&order.message))
          attempt = {.job = kill->job, .sluid = kill->sluid, .phase = AttemptPhase::Clean};
        else
          continue;
        report_.node = node_name(order.node);
        report_.attempts = {std::move(attempt)};
        YM_CHECK(controller_.report(report_, instant(), out_).has_value());
      }
      orders_.clear();
    }
  }

  const std::string& node_name(NodeId node) const {
    return controller_.state().nodes.at(node.value).spec->name;
  }

  // --- submissions ---

  void tell_submissions() {
    while (submitted_ < workload_.jobs.size() && workload_.jobs[submitted_].submit_s <= now_)
      submitted_ += submit(submitted_);
  }

  // The job at that place, or the whole array that begins there. Returns how many.
  std::size_t submit(std::size_t place) {
    const TraceJob& job = workload_.jobs[place];
    std::size_t count = 1;
    if (job.array)
      while (place + count < workload_.jobs.size() && count < in_.machine.config.max_array_size &&
             workload_.jobs[place + count].array == job.array)
        ++count;
    SubmitJob& submit = requests_.of(job);
    submit.array = count > 1 ? fmt::format("0-{}", count - 1) : std::string();
    Caller caller{.uid = {kFirstUid + job.user},
                  .gid = {kFirstUid},
                  .user_name = workload_.users[job.user],
                  .groups = {}};
    controller_.submit(RequestId{1}, submit, caller, instant(), out_);
    for (const Reply& reply : out_.replies) {
      if (const auto* answer = std::get_if<SubmitAnswer>(&reply.answer)) {
        remember(answer->job, static_cast<std::uint32_t>(place));
      } else if (const auto* failure = std::get_if<Failure>(&reply.answer)) {
        outcome_.refused += count;
        if (outcome_.refusal.empty())
          outcome_.refusal = fmt::format("job {}: {}", job.id, failure->text);
      }
    }
    out_.replies.clear();
    return count;
  }

  void remember(JobId id, std::uint32_t place) {
    if (id.value >= place_of_.size()) place_of_.resize(id.value + 1, kNoJob);
    place_of_[id.value] = place;
  }
  // An element of an array is behind the array's first by its own number.
  std::uint32_t place_of(const Job& job) const {
    if (!job.array_job) return place_of_[job.id.value];
    return place_of_[job.array_job.value] + job.array_task;
  }

  // --- planning ---

  void pass() {
    ++outcome_.passes;
    count_shares();
    for (;;) {
      Plan plan = planner_.plan(controller_.state(), instant(), budget_);
      controller_.commit(plan, instant(), out_);
      bool done_something = !out_.events.empty();
      obey();
      observe();
      // Where others have made room, somebody starts at once.
      bool more = plan.cut_short || !plan.preemptions.empty();
      if (!more || !done_something) return;
    }
  }

  // The planner follows the log, and so does the account of what became of the jobs.
  void observe() {
    const State& state = controller_.state();
    for (const Event& event : out_.events) {
      planner_.observe(event, state);
      note(event.body);
    }
    outcome_.events += out_.events.size();
    out_.events.clear();
  }

  void note(const auto& body) {
    if (const auto* started = std::get_if<JobStarted>(&body))
      note_start(*started);
    else if (const auto* finished = std::get_if<JobFinished>(&body))
      note_end(*finished);
    else if (const auto* requeued = std::get_if<JobRequeued>(&body))
      note_requeue(requeued->job);
    else if (const auto* preempted = std::get_if<JobPreempted>(&body))
      ticks_.insert(preempted->limit_end ? seconds_until(preempted->limit_end) : now_ + 1);
    else if (const auto* suspended = std::get_if<JobSuspended>(&body))
      note_suspension(suspended->job);
    else if (const auto* resumed = std::get_if<JobResumed>(&body))
      note_resumption(resumed->job);
  }

  void note_start(const JobStarted& started) {
    const Job& job = *controller_.state().find(started.job);
    std::uint32_t place = place_of(job);
    if (job.array_job) remember(job.id, place);
    runs_[place].cpus = job.allocation->cpus();
    runs_[place].left_s = workload_.jobs[place].run_s;
    shares_.add(sharers_.of_job[place], runs_[place].cpus, now_);
    outcome_.jobs[place].start_s = now_;
    outcome_.jobs[place].end_s = kNotStarted;
    outcome_.jobs[place].state = JobState::Running;
    expect_end(place, job, started.limit_end);
  }

  void expect_end(std::uint32_t place, const Job& job, Instant limit_end) {
    Running& run = runs_[place];
    run.since_s = now_;
    End end{.at = now_ + run.left_s, .job = place, .turn = ++run.turn, .id = job.id};
    std::int64_t limit = limit_of(job, limit_end);
    if (limit < end.at) {
      end.at = limit;
      end.by_limit = true;
    }
    ends_.push(end);
    // With GANG its turn may be over then.
    const PreemptRules& rules = controller_.preempt_rules();
    if (rules.cluster.gang) ticks_.insert(now_ + rules.slice_s + 1);
  }

  // When the controller ends it, OverTimeLimit included.
  std::int64_t limit_of(const Job& job, Instant limit_end) const {
    if (limit_end == kNever) return kOver;
    const Partition* partition = controller_.state().find(job.partition);
    std::uint32_t minutes = partition ? partition->spec->over_time_limit_min : kOverTimeOfCluster;
    Duration over = minutes == kOverTimeOfCluster ? in_.machine.config.over_time_limit
                                                  : Duration(std::chrono::minutes(minutes));
    return (limit_end + over).unix_seconds() - origin_;
  }

  // Where the job stands in the workload; kNoJob: nowhere.
  std::uint32_t known_place(JobId id) const {
    return id.value < place_of_.size() ? place_of_[id.value] : kNoJob;
  }

  void note_end(const JobFinished& finished) {
    std::uint32_t place = known_place(finished.job);
    if (place == kNoJob) return;
    if (outcome_.jobs[place].state == JobState::Suspended)
      --parked_;
    else
      shares_.add(sharers_.of_job[place], -std::int64_t{runs_[place].cpus}, now_);
    runs_[place].cpus = 0;
    ++runs_[place].turn;
    outcome_.jobs[place].end_s = now_;
    outcome_.jobs[place].state = finished.state;
  }

  // It waits again, and has its last start only when it has one.
  void note_requeue(JobId id) {
    std::uint32_t place = known_place(id);
    if (place == kNoJob) return;
    outcome_.jobs[place] = {.restarts = outcome_.jobs[place].restarts + 1};
  }

  void note_suspension(JobId id) {
    std::uint32_t place = known_place(id);
    if (place == kNoJob) return;
    Running& run = runs_[place];
    run.left_s = std::max<std::int64_t>(1, run.left_s - (now_ - run.since_s));
    ++run.turn;
    ++parked_;
    ticks_.insert(now_ + 1);
    shares_.add(sharers_.of_job[place], -std::int64_t{run.cpus}, now_);
    outcome_.jobs[place].state = JobState::Suspended;
  }

  void note_resumption(JobId id) {
    std::uint32_t place = known_place(id);
    if (place == kNoJob) return;
    const Job& job = *controller_.state().find(id);
    --parked_;
    shares_.add(sharers_.of_job[place], runs_[place].cpus, now_);
    outcome_.jobs[place].state = JobState::Running;
    expect_end(place, job, job.limit_end);
  }

  const Replay& in_;
  const Workload& workload_;
  Controller controller_;
  Planner planner_;
  Steering steering_;
  const std::int64_t origin_;
  const Policy& policy_;
  PlanBudget budget_;
  Outcome outcome_;
  const Sharers sharers_;
  Shares shares_;
  Requests requests_;
  std::vector<Running> runs_;     // by their places
  std::set<std::int64_t> ticks_;  // when the controller may have something to decide by itself
  std::size_t parked_ = 0;        // jobs that are suspended
  std::optional<std::int64_t> shared_at_;
  std::int64_t now_ = 0;
  std::size_t submitted_ = 0, ended_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::uint32_t> place_of_;  // by the controller's number

  // Kept for their memory.
  Outbox out_;
  std::vector<Order> orders_;
  NodeReport report_;
};

}  // namespace

Result<Outcome> replay(const Replay& replay) {
  const Policy* policy = replay.policy.empty()
                             ? read_knobs(replay.machine.config.scheduler_parameters).knobs.policy
                             : find_policy(replay.policy);
  if (policy) return Run(replay, *policy).run();
  std::string names;
  for (const Policy* one : policies())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one->name);
  return fail(fmt::format("no policy '{}'; there are {}", replay.policy, names));
}

}  // namespace ym::trace
