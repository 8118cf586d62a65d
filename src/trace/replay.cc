// SPDX-License-Identifier: Apache-2.0
#include "trace/replay.h"

#include <algorithm>
#include <queue>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "controller/controller.h"
#include "notation/time_limit.h"
#include "schedule/planner.h"
#include "schedule/policy.h"
#include "schedule/priority.h"
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

class Run {
 public:
  Run(const Replay& replay, const Policy& policy)
      : in_(replay),
        workload_(*replay.workload),
        controller_(replay.machine.config, State{}),
        planner_(controller_.placement_rules()),
        origin_(workload_.origin_unix_s > 0 ? workload_.origin_unix_s : kOrigin),
        shares_(workload_.users, half_life_in(replay.machine.config)) {
    planner_.set_policy(policy);
    outcome_.policy = policy.name;
    outcome_.jobs.resize(workload_.jobs.size());
    cpus_.resize(workload_.jobs.size());
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
    return std::move(outcome_);
  }

 private:
  static constexpr std::int64_t kOver = INT64_MAX;

  // An end to come. At one instant they are told in the order of their jobs.
  struct End {
    std::int64_t at = 0;
    std::uint32_t job = 0;  // place in the workload
    JobId id;
    bool by_limit = false;
    bool operator>(const End& other) const {
      return std::pair(at, job) > std::pair(other.at, other.job);
    }
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
    count_priorities();
    return {};
  }

  // PriorityType=priority/multifactor with weights: priorities are counted as slurmctld would, with
  // the users' shares as they are every PriorityCalcPeriod.
  void count_priorities() {
    scale_ = {.rules = in_.machine.config.priority,
              .totals = totals_of(controller_.state()),
              .shares = {},
              .qos = {}};
    if (!scale_.rules.counts()) return;
    PriorityRule rule;
    rule.at = [this](const Job& job, Instant now) {
      return priority_at(job, controller_.state(), now, scale_);
    };
    rule.line = priority_line;
    planner_.set_priority(std::move(rule));
  }

  void count_shares() {
    std::int64_t period = std::max<std::int64_t>(1, scale_.rules.calc_period.count() / 1000);
    if (scale_.rules.fair_share == 0 || (shared_at_ && now_ - *shared_at_ < period)) return;
    scale_.shares = shares_.table(now_);
    shared_at_ = now_;
  }

  std::int64_t next_instant() const {
    std::int64_t next = kOver;
    if (submitted_ < workload_.jobs.size()) next = workload_.jobs[submitted_].submit_s;
    if (!ends_.empty()) next = std::min(next, ends_.top().at);
    Instant begin = planner_.next_begin(instant());
    // What nothing but the passing of time could start.
    if (begin != kNever) next = std::min(next, begin.unix_seconds() - origin_);
    return next;
  }

  // --- ends ---

  void tell_ends() {
    bool tick = false;
    while (!ends_.empty() && ends_.top().at <= now_) {
      End end = ends_.top();
      ends_.pop();
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
    fill_request(job);
    submit_.array = count > 1 ? fmt::format("0-{}", count - 1) : std::string();
    Caller caller{.uid = {kFirstUid + job.user},
                  .gid = {kFirstUid},
                  .user_name = workload_.users[job.user],
                  .groups = {}};
    controller_.submit(RequestId{1}, submit_, caller, instant(), out_);
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

  void fill_request(const TraceJob& job) {
    JobSpec& spec = submit_.spec;
    spec.batch = true;
    spec.script_blob = "replay";
    spec.requeue = false;
    spec.tasks = in_.machine.counted ? 1 : job.procs;
    spec.cpus_per_task = in_.machine.counted ? job.procs : 1;
    spec.min_nodes = in_.machine.counted ? 1 : std::max(1u, job.nodes);
    spec.time_limit_s = job.limit_s;
    const std::string& partition = workload_.partitions[job.partition];
    spec.partitions = controller_.state().find_partition(partition) ? partition : std::string();
    if (job.gpus != gpus_) {
      gpus_ = job.gpus;
      spec.extras = {};
      if (gpus_)
        spec.extras = Ref(
            JobExtras{.specials = Ref(JobSpecials{.tres_per_job = fmt::format("gpu:{}", gpus_)})});
    }
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
      obey();
      observe();
      if (!plan.cut_short) return;
    }
  }

  // The planner follows the log, and so does the account of what became of the jobs.
  void observe() {
    const State& state = controller_.state();
    for (const Event& event : out_.events) {
      planner_.observe(event, state);
      if (const auto* started = std::get_if<JobStarted>(&event.body))
        note_start(*started);
      else if (const auto* finished = std::get_if<JobFinished>(&event.body))
        note_end(*finished);
    }
    outcome_.events += out_.events.size();
    out_.events.clear();
  }

  void note_start(const JobStarted& started) {
    const Job& job = *controller_.state().find(started.job);
    std::uint32_t place = place_of(job);
    if (job.array_job) remember(job.id, place);
    cpus_[place] = job.allocation->cpus();
    shares_.add(workload_.jobs[place].user, cpus_[place], now_);
    outcome_.jobs[place].start_s = now_;
    outcome_.jobs[place].state = JobState::Running;
    End end{.at = now_ + workload_.jobs[place].run_s, .job = place, .id = job.id};
    std::int64_t limit = limit_of(job, started.limit_end);
    if (limit < end.at) {
      end.at = limit;
      end.by_limit = true;
    }
    ends_.push(end);
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

  void note_end(const JobFinished& finished) {
    if (finished.job.value >= place_of_.size()) return;
    std::uint32_t place = place_of_[finished.job.value];
    if (place == kNoJob) return;
    shares_.add(workload_.jobs[place].user, -std::int64_t{cpus_[place]}, now_);
    cpus_[place] = 0;
    outcome_.jobs[place].end_s = now_;
    outcome_.jobs[place].state = finished.state;
  }

  const Replay& in_;
  const Workload& workload_;
  Controller controller_;
  Planner planner_;
  const std::int64_t origin_;
  const PlanBudget budget_{
      .starts_max = kUnbounded, .reservations_max = kUnbounded, .depth = PlanBudget::Depth::Full};
  Outcome outcome_;
  Shares shares_;
  std::vector<std::uint32_t> cpus_;  // that jobs have, by their places
  PriorityScale scale_;
  std::optional<std::int64_t> shared_at_;
  std::int64_t now_ = 0;
  std::size_t submitted_ = 0, ended_ = 0;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::vector<std::uint32_t> place_of_;  // by the controller's number

  // Kept for their memory.
  Outbox out_;
  std::vector<Order> orders_;
  NodeReport report_;
  SubmitJob submit_;
  std::uint32_t gpus_ = 0;
};

// SchedulerParameters=…,ym_policy=NAME
std::string_view policy_named_in(const ClusterConfig& config) {
  constexpr std::string_view kKey = "ym_policy=";
  for (const auto& [key, value] : config.shown) {
    if (!same_ignoring_case(key, "SchedulerParameters")) continue;
    for (std::string_view word : split_words(value, ','))
      if (starts_with_ignoring_case(word, kKey)) return word.substr(kKey.size());
  }
  return default_policy().name;
}

}  // namespace

Result<Outcome> replay(const Replay& replay) {
  std::string_view name =
      replay.policy.empty() ? policy_named_in(replay.machine.config) : replay.policy;
  if (const Policy* policy = find_policy(name)) return Run(replay, *policy).run();
  std::string names;
  for (const Policy* one : policies())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one->name);
  return fail(fmt::format("no policy '{}'; there are {}", name, names));
}

}  // namespace ym::trace
