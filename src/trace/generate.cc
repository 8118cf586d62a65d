// SPDX-License-Identifier: Apache-2.0
#include "trace/generate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.h"
#include "trace/distributions.h"

namespace ym::trace {
namespace {

constexpr std::uint32_t kDay = 24 * 3600;

// What people write: a limit at least as long as the run, with room, and round. The model of Lublin
// and Feitelson says nothing about it; a handful of round values is what traces show.
std::uint32_t round_limit(double seconds) {
  constexpr std::array<std::uint32_t, 14> kRound = {300,      600,      900,      1800,     3600,
                                                    7200,     14400,    21600,    43200,    kDay,
                                                    2 * kDay, 3 * kDay, 7 * kDay, 14 * kDay};
  for (std::uint32_t limit : kRound)
    if (seconds <= limit) return limit;
  return static_cast<std::uint32_t>(std::ceil(seconds / kDay)) * kDay;
}

std::uint32_t limit_for(Prng& prng, std::uint32_t run_s) {
  return round_limit(run_s * (1 + 3 * uniform(prng) * uniform(prng)));
}

// U. Lublin and D. Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs", J. Parallel Distrib. Comput. 63(11), 2003; the parameters for all
// jobs together.
//
// Sizes: a quarter are serial; of the others log2 of the size is two-stage uniform, and most are
// rounded to powers of two. Runs: the natural logarithm is hyper-gamma, whose mix depends on the
// size. Arrivals: the logarithm of the gap at rush hour is gamma; a day's cycle of half hours says
// how much slower than that time passes.
class Lublin {
 public:
  Lublin(Prng& prng, std::uint32_t procs) : prng_(prng) {
    sizes_.high = std::log2(static_cast<double>(procs));
    sizes_.middle = std::max(sizes_.low + 0.1, sizes_.high - 2.5);
    procs_ = procs;
    double sum = 0;
    for (std::size_t i = kCycleStart; i < kBuckets + kCycleStart; ++i) {
      auto at = static_cast<double>(i);
      double share =
          gamma_cdf(at + 0.5, kDayShape, kDayScale) - gamma_cdf(at - 0.5, kDayShape, kDayScale);
      weights_[(i - 1) % kBuckets] = share;
      sum += share;
    }
    for (double& weight : weights_) weight *= kBuckets / sum;
  }

  TraceJob next() {
    arrive();
    TraceJob job{.submit_s = static_cast<std::int64_t>(now_)};
    job.procs = size();
    job.run_s = run(job.procs);
    job.limit_s = limit_for(prng_, job.run_s);
    return job;
  }

 private:
  static constexpr std::size_t kBuckets = 48, kCycleStart = 11;
  static constexpr double kBucketSeconds = 1800;
  static constexpr double kDayShape = 8.1737, kDayScale = 3.9631;
  static constexpr double kGapShape = 10.2303 * 1.0225, kGapScale = 0.4871, kGapMax = 13;
  static constexpr double kSerial = 0.244, kPowerOfTwo = 0.576, kSmall = 0.86;
  static constexpr HyperGamma kRun = {.shape1 = 4.2, .scale1 = 0.94, .shape2 = 312, .scale2 = 0.03};
  static constexpr double kMixSlope = -0.0054, kMixAtZero = 0.78, kRunMax = 12;

  std::uint32_t size() {
    double u = uniform(prng_);
    if (u <= kSerial || procs_ < 2) return 1;
    double log_size = two_stage_uniform(prng_, sizes_, kSmall);
    if (u <= kSerial + kPowerOfTwo) log_size = std::round(log_size);
    auto size = static_cast<std::uint32_t>(std::lround(std::exp2(log_size)));
    return std::clamp(size, 1u, procs_);
  }

  std::uint32_t run(std::uint32_t size) {
    double p = std::clamp(kMixSlope * size + kMixAtZero, 0.0, 1.0), log_run;
    do {
      log_run = hyper_gamma(prng_, kRun, p);
    } while (log_run > kRunMax);
    return std::max(1u, static_cast<std::uint32_t>(std::exp(log_run)));
  }

  // A gap of rush-hour seconds is spent half hour by half hour, each at its own price.
  void arrive() {
    double log_gap;
    do {
      log_gap = gamma(prng_, kGapShape, kGapScale);
    } while (log_gap > kGapMax);
    double points = std::exp(log_gap);
    for (;;) {
      double in_day = std::fmod(now_, kDay);
      auto bucket = static_cast<std::size_t>(in_day / kBucketSeconds) % kBuckets;
      double left = kBucketSeconds - std::fmod(in_day, kBucketSeconds);
      double price = weights_[bucket];
      if (points <= left * price) {
        now_ += points / price;
        return;
      }
      points -= left * price;
      now_ += left;
    }
  }

  Prng& prng_;
  std::uint32_t procs_ = 0;
  TwoStage sizes_{.low = 0.8, .middle = 4.5, .high = 7};
  std::array<double, kBuckets> weights_{};
  double now_ = 0;
};

// Many arrays of short, narrow tasks, and some ordinary jobs between them.
class Arrays {
 public:
  Arrays(Prng& prng, std::uint32_t procs) : prng_(prng), ordinary_(prng, procs) {}

  void add(std::vector<TraceJob>& jobs, std::size_t max) {
    now_ += -std::log(uniform(prng_)) * kGap;
    TraceJob job = ordinary_.next();
    job.submit_s = static_cast<std::int64_t>(now_);
    if (!prng_.chance(1, 3)) {
      jobs.push_back(job);
      return;
    }
    job.array = ++arrays_;
    job.procs = prng_.chance(3, 4) ? 1 : static_cast<std::uint32_t>(prng_.between(2, 8));
    double usual = std::exp(3 + 5 * uniform(prng_));  // 20 seconds to 50 minutes
    auto count = static_cast<std::size_t>(std::exp(2 + 4.8 * uniform(prng_)));  // 7 to 900
    job.limit_s = round_limit(usual * 4);
    for (std::size_t i = 0; i < count && jobs.size() < max; ++i) {
      double run = usual * std::exp(0.4 * normal(prng_));
      job.run_s = std::clamp(static_cast<std::uint32_t>(run), 1u, job.limit_s);
      jobs.push_back(job);
    }
  }

 private:
  static constexpr double kGap = 3600;
  Prng& prng_;
  Lublin ordinary_;
  double now_ = 0;
  std::uint32_t arrays_ = 0;
};

// A machine of eight GPUs a node: single-GPU work, whole nodes, wide training runs, and jobs that
// need none.
TraceJob next_gpu_job(Prng& prng, double& now, std::uint32_t nodes_max) {
  now += -std::log(uniform(prng)) * 240;
  TraceJob job{.submit_s = static_cast<std::int64_t>(now)};
  std::uint64_t kind = prng.below(100);
  double log_run = 7 + 1.5 * normal(prng);  // twenty minutes, give or take
  if (kind < 20) {                          // CPUs only
    job.procs = static_cast<std::uint32_t>(prng.between(1, 32));
  } else if (kind < 65) {
    job.gpus = 1;
    job.procs = 8;
  } else if (kind < 85) {
    job.gpus = prng.chance(1, 2) ? 2 : 4;
    job.procs = job.gpus * 8;
  } else {
    job.nodes = kind < 95 ? 1 : static_cast<std::uint32_t>(1u << prng.between(1, 3));
    job.nodes = std::min(job.nodes, nodes_max);
    job.gpus = job.nodes * 8;
    job.procs = job.gpus * 8;
    log_run += 1.5;
  }
  job.run_s = static_cast<std::uint32_t>(std::exp(std::clamp(log_run, 2.0, 12.0)));
  job.limit_s = limit_for(prng, job.run_s);
  return job;
}

constexpr std::uint32_t kGpuNodes = 16;

// Some users ask for more than others: the n-th for an n-th.
std::uint32_t user_of(Prng& prng, std::size_t users) {
  double u = uniform(prng);
  return static_cast<std::uint32_t>(std::pow(static_cast<double>(users), u)) - 1;
}

}  // namespace

const std::vector<Model>& models() {
  static const std::vector<Model> all = {
      {"lublin", "rigid parallel jobs and a day's rhythm, after Lublin and Feitelson (2003)", 256,
       ""},
      {"arrays", "arrays of short tasks between ordinary jobs", 1024, ""},
      {"gpus", "work for GPUs of all sizes on 16 nodes with 64 CPUs and 8 GPUs", 1024, "16x64x8"},
  };
  return all;
}

const Model* find_model(std::string_view name) {
  auto at = std::ranges::find(models(), name, &Model::name);
  return at == models().end() ? nullptr : &*at;
}

Result<Workload> generate(const Wish& wish) {
  const Model* model = find_model(wish.model);
  if (!model) {
    std::string names;
    for (const Model& one : models())
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    return fail(fmt::format("no model '{}'; there are {}", wish.model, names));
  }
  if (wish.jobs == 0 || wish.jobs > kJobsMax)
    return fail(fmt::format("a workload has 1 to {} jobs", kJobsMax));
  Workload out{.procs = wish.procs ? wish.procs : model->procs};
  Prng prng(wish.seed);
  Lublin lublin(prng, out.procs);
  Arrays arrays(prng, out.procs);
  double now = 0;
  while (out.jobs.size() < wish.jobs) {
    if (model->name == "arrays")
      arrays.add(out.jobs, wish.jobs);
    else
      out.jobs.push_back(model->name == "gpus" ? next_gpu_job(prng, now, kGpuNodes)
                                               : lublin.next());
  }
  constexpr std::size_t kUsers = 40;
  for (std::size_t i = 0; i < kUsers; ++i) out.users.push_back(fmt::format("user{}", i + 1));
  out.partitions = {"replay"};
  for (std::size_t i = 0; i < out.jobs.size(); ++i) {
    TraceJob& job = out.jobs[i];
    job.id = i + 1;
    bool element = i > 0 && job.array && out.jobs[i - 1].array == job.array;
    job.user = element ? out.jobs[i - 1].user : user_of(prng, kUsers);
  }
  settle(out);
  return out;
}

}  // namespace ym::trace
