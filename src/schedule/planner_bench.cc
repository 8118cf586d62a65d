// SPDX-License-Identifier: Apache-2.0
// What a pass costs on synthetic clusters, made from a seed: busy nodes in 20 partitions (or as
// many as there are nodes), pending jobs of 2,000 shapes. bench/scheduling.py makes a table of it.
//
// The same with one partition and a shape for each job, which is the most work for so many; and
// with jobs of eight QOS, which are shapes of their own; and with OverSubscribe=FORCE:4, where four
// times as many jobs run. Arguments: nodes, pending jobs. Counters
// in microseconds: p50, p99 and the most of one pass.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <tuple>

#include "base/format.h"
#include "base/prng.h"
#include "model/apply.h"
#include "model/node_gres.h"
#include "schedule/planner.h"

namespace ym {
namespace {

constexpr std::uint32_t kPartitions = 20, kShapes = 2000, kCpus = 64, kSharers = 4;
constexpr std::uint64_t kSeed = 5;
constexpr const char* kQos[] = {"", "low", "normal", "high", "long", "debug", "express", "urgent"};

enum class Mix { Usual, OnePartition, EightQos, Shared };

// Of this process: machines are shared.
double cpu_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Cluster {
 public:
  Cluster(std::uint32_t nodes, std::uint32_t jobs, Mix mix)
      : planner({.memory_counts = true}),
        partitions_(std::min(mix == Mix::OnePartition ? 1 : kPartitions, nodes)),
        mix_(mix),
        prng_(kSeed) {
    define_nodes(nodes);
    std::uint32_t shapes = mix == Mix::OnePartition ? jobs : kShapes;
    for (std::uint32_t i = 0; i < shapes; ++i) shapes_.push_back(random_shape(nodes));
    planner.rebuild(state);
    // Busy first: with jobs that no longer wait.
    fill();
    for (std::uint32_t i = 0; i < jobs; ++i) submit();
    planner.rebuild(state);
    pass(PlanBudget::Depth::Full);
  }

  // One job ends and is cleaned up; what waits is planned for and started.
  double end_one() {
    std::size_t at = prng_.below(running_.size());
    std::swap(running_[at], running_.back());
    JobId id = running_.back();
    running_.pop_back();
    now_ = now_ + Duration(prng_.between(1, 50));
    std::vector<Event> events;
    happen(JobFinished{.job = id, .state = JobState::Completed}, events);
    std::vector<NodeId> left = state.find(id)->nodes_left;
    for (NodeId node : left) happen(JobNodeReleased{.job = id, .node = node}, events);
    happen(JobForgotten{.job = id}, events);
    double begin = cpu_us();
    for (const Event& event : events) planner.observe(event, state);
    Plan plan = planner.plan(state, now_, {.depth = PlanBudget::Depth::Quick});
    double took = cpu_us() - begin;
    started += plan.starts.size();
    for (const Proposal& start : plan.starts) commit(start);
    // The queue stays as long as it is.
    for (std::size_t i = 0; i < plan.starts.size(); ++i) planner.observe(submit(), state);
    return took;
  }
  Plan pass(PlanBudget::Depth depth, std::function<bool()> pause = {}) {
    // As in the daemon: 40 ms for what goes beyond the first thousand promises.
    auto more = [begin = cpu_us()] { return cpu_us() - begin < 40'000; };
    Plan plan = planner.plan(
        state, now_,
        {.starts_max = 100'000, .more_promises = more, .depth = depth, .pause = std::move(pause)});
    for (const Proposal& start : plan.starts) commit(start);
    return plan;
  }

  State state;
  Planner planner;
  std::size_t started = 0;

 private:
  void define_nodes(std::uint32_t nodes) {
    NodesDefined defined;
    std::vector<std::vector<NodeId>> parts(partitions_);
    for (std::uint32_t i = 1; i <= nodes; ++i) {
      NodeSpec spec{.name = fmt::format("n{}", i), .cpus = kCpus, .memory_mb = 256'000};
      if (i % 8 == 0) spec.gres = "gpu:4";
      defined.nodes.push_back({{i}, Ref(spec)});
      parts[(i - 1) * partitions_ / nodes].push_back({i});
    }
    apply_only(defined);
    for (std::uint32_t i = 1; i <= nodes; ++i) {
      apply_only(NodeRegistered{.node = {i}, .registration = Ref(NodeRegistration{.cpus = kCpus})});
      apply_only(NodeStateChanged{.node = {i}, .condition = NodeCondition::Up});
    }
    for (std::uint32_t i = 0; i < partitions_; ++i) {
      PartitionSpec spec{.name = fmt::format("p{}", i)};
      if (mix_ == Mix::Shared) spec.oversubscribe = fmt::format("FORCE:{}", kSharers);
      apply_only(PartitionDefined{.partition = {i + 1}, .spec = Ref(spec), .nodes = Ref(parts[i])});
    }
  }
  // Mostly parts of a node, some many nodes, some alone on theirs, some with GPUs.
  JobSpec random_shape(std::uint32_t nodes) {
    JobSpec spec;
    spec.partitions = fmt::format("p{}", prng_.below(partitions_));
    spec.time_limit_s = static_cast<std::uint32_t>(prng_.between(10, 1440)) * 60;
    auto most = std::max<std::int64_t>(1, std::min<std::int64_t>(nodes / partitions_ / 2, 64));
    if (prng_.chance(1, 4)) {
      spec.min_nodes = static_cast<std::uint32_t>(prng_.between(1, most));
      spec.exclusive = prng_.chance(1, 2);
      spec.tasks = spec.min_nodes * static_cast<std::uint32_t>(prng_.between(1, kCpus));
    } else {
      spec.tasks = static_cast<std::uint32_t>(prng_.between(1, kCpus));
      spec.max_nodes = 1;
    }
    spec.memory_per_cpu_mb = static_cast<std::uint64_t>(prng_.between(500, 4000));
    if (mix_ == Mix::Shared) spec.memory_per_cpu_mb /= kSharers;
    if (prng_.chance(1, 10)) {
      JobSpecials specials;
      specials.gres = Ref(GresRequest{.wishes = {{.name = "gpu", .count = 2}}});
      JobExtras extras;
      extras.specials = Ref(std::move(specials));
      spec.extras = Ref(std::move(extras));
      spec.tasks = std::min(spec.tasks, 16u);
      spec.min_nodes = 1;
    }
    return spec;
  }
  Event submit() {
    JobSpec spec = shapes_[prng_.below(shapes_.size())];
    JobId id{state.next_job_id};
    spec.name = fmt::format("job{}", id.value);
    if (mix_ == Mix::EightQos) spec.qos = kQos[prng_.below(std::size(kQos))];
    spec.user_name = fmt::format("user{}", id.value % 500);
    spec.work_dir = "/home/" + spec.user_name;
    return apply_only(JobSubmitted{.job = id,
                                   .sluid = {id.value},
                                   .spec = Ref(std::move(spec)),
                                   .priority = automatic_priority(id, 0)});
  }
  // Jobs at random until no node has room for more.
  void fill() {
    std::size_t jobs = state.nodes.size() * 4;
    if (mix_ == Mix::Shared) jobs *= kSharers;
    for (std::size_t i = 0; i < jobs; ++i) submit();
    planner.rebuild(state);
    pass(PlanBudget::Depth::Full);
    forget_pending();
    // Those that run began at different times.
    for (JobId id : running_) state.jobs.edit(id.value).limit_end = limit_of(id);
  }
  void forget_pending() {
    std::vector<JobId> waiting;
    state.jobs.for_each([&](std::uint64_t, const Job& job) {
      if (job.state == JobState::Pending) waiting.push_back(job.id);
    });
    for (JobId id : waiting) {
      apply_only(JobFinished{.job = id, .state = JobState::Cancelled});
      apply_only(JobForgotten{.job = id});
    }
  }
  Instant limit_of(JobId id) {
    auto limit = std::int64_t{state.find(id)->spec->time_limit_s} * 1000;
    return now_ + Duration(prng_.between(1, limit));
  }
  void commit(const Proposal& start) {
    auto limit = std::chrono::seconds(state.find(start.job)->spec->time_limit_s);
    std::vector<Event> events;
    happen(JobStarted{.job = start.job,
                      .partition = start.partition,
                      .allocation = Ref(start.allocation),
                      .limit_end = now_ + limit},
           events);
    planner.observe(events.front(), state);
    running_.push_back(start.job);
  }
  void happen(EventBody body, std::vector<Event>& events) {
    events.push_back({.seq = {state.seq.value + 1}, .at = now_, .body = std::move(body)});
    apply(state, events.back());
  }
  Event apply_only(EventBody body) {
    Event event{.seq = {state.seq.value + 1}, .at = now_, .body = std::move(body)};
    apply(state, event);
    return event;
  }

  std::uint32_t partitions_;
  Mix mix_;
  Prng prng_;
  Instant now_ = Instant::from_unix_seconds(1'000'000'000);
  std::vector<JobSpec> shapes_;
  std::vector<JobId> running_;
};

// One at a time: the largest needs gigabytes.
Cluster& cluster_of(const benchmark::State& bench, Mix mix = Mix::Usual) {
  static std::unique_ptr<Cluster> cluster;
  static std::tuple<std::int64_t, std::int64_t, Mix> size;
  std::tuple wanted{bench.range(0), bench.range(1), mix};
  if (!cluster || size != wanted) {
    cluster.reset();
    cluster = std::make_unique<Cluster>(static_cast<std::uint32_t>(bench.range(0)),
                                        static_cast<std::uint32_t>(bench.range(1)), mix);
    size = wanted;
  }
  return *cluster;
}

void note(benchmark::State& bench, std::vector<double> times) {
  std::ranges::sort(times);
  auto part = [&](std::size_t percent) { return times[(times.size() - 1) * percent / 100]; };
  bench.counters["p50_us"] = part(50);
  bench.counters["p99_us"] = part(99);
  bench.counters["most_us"] = times.back();
}

// A job ends, the next is started.
void end_jobs(benchmark::State& bench, Cluster& cluster) {
  std::vector<double> times;
  cluster.started = 0;
  for (auto _ : bench) {
    times.push_back(cluster.end_one());
    bench.SetIterationTime(times.back() / 1e6);
  }
  bench.counters["started"] =
      static_cast<double>(cluster.started) / static_cast<double>(times.size());
  note(bench, std::move(times));
}

void job_ends(benchmark::State& bench) { end_jobs(bench, cluster_of(bench)); }
void job_ends_of_eight_qos(benchmark::State& bench) {
  end_jobs(bench, cluster_of(bench, Mix::EightQos));
}
void job_ends_of_sharers(benchmark::State& bench) {
  end_jobs(bench, cluster_of(bench, Mix::Shared));
}

// The same while one full pass follows the other, and the end comes when a part of it has just
// begun: the worst case. The daemon makes pauses as this does (planner_loop.cc), but leaves time
// between full passes.
void job_ends_in_full_pass(benchmark::State& bench) {
  constexpr double kAtOnce_us = 20'000;
  Cluster& cluster = cluster_of(bench);
  std::vector<double> times;
  double full = 0, longest = 0;
  std::size_t passes = 0;
  for (auto _ : bench) {
    double begin = cpu_us();
    Plan part =
        cluster.pass(PlanBudget::Depth::Full, [&] { return cpu_us() - begin >= kAtOnce_us; });
    double took = cpu_us() - begin;
    full += took;
    longest = std::max(longest, took);
    passes += !part.unfinished;
    times.push_back(took + cluster.end_one());
    bench.SetIterationTime(times.back() / 1e6);
  }
  bench.counters["longest_part_us"] = longest;
  if (passes) bench.counters["full_pass_us"] = full / static_cast<double>(passes);
  note(bench, std::move(times));
}

// Everything is looked at, promises are made anew.
void look_at_all(benchmark::State& bench, Cluster& cluster) {
  std::vector<double> times;
  std::uint64_t promises = 0, looked_at = 0;
  for (auto _ : bench) {
    double begin = cpu_us();
    Plan plan = cluster.pass(PlanBudget::Depth::Full);
    times.push_back(cpu_us() - begin);
    promises = plan.tally.promised;
    looked_at = plan.tally.looked_at;
    bench.SetIterationTime(times.back() / 1e6);
  }
  bench.counters["promises"] = static_cast<double>(promises);
  bench.counters["looked_at"] = static_cast<double>(looked_at);
  note(bench, std::move(times));
}
void full_pass(benchmark::State& bench) { look_at_all(bench, cluster_of(bench)); }
void full_pass_of_one_partition(benchmark::State& bench) {
  look_at_all(bench, cluster_of(bench, Mix::OnePartition));
}
void full_pass_of_eight_qos(benchmark::State& bench) {
  look_at_all(bench, cluster_of(bench, Mix::EightQos));
}
void full_pass_of_sharers(benchmark::State& bench) {
  look_at_all(bench, cluster_of(bench, Mix::Shared));
}

void sizes(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMicrosecond);
  for (int jobs : {100, 1000, 10'000, 100'000, 1'000'000}) bench->Args({1000, jobs});
  for (int nodes : {10, 100, 10'000, 100'000}) bench->Args({nodes, 100'000});
  bench->Args({100'000, 1'000'000});
}
BENCHMARK(job_ends)->Apply(sizes)->Iterations(1000);
BENCHMARK(full_pass)->Apply(sizes)->Iterations(3);
BENCHMARK(full_pass_of_one_partition)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond)
    ->Args({1000, 10'000})
    ->Iterations(5);
void large(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMicrosecond);
  bench->Args({10'000, 100'000})->Args({100'000, 1'000'000});
}
BENCHMARK(job_ends_of_eight_qos)->Apply(large)->Iterations(1000);
BENCHMARK(full_pass_of_eight_qos)->Apply(large)->Iterations(3);
void medium(benchmark::internal::Benchmark* bench) {
  bench->UseManualTime()->Unit(benchmark::kMicrosecond);
  bench->Args({1000, 10'000});
}
BENCHMARK(job_ends_of_sharers)->Apply(medium)->Iterations(1000);
BENCHMARK(full_pass_of_sharers)->Apply(medium)->Iterations(3);
BENCHMARK(job_ends_in_full_pass)->Apply(large)->Iterations(300);

}  // namespace
}  // namespace ym
