// SPDX-License-Identifier: Apache-2.0
// Tries the queue in several orders before it decides: each pass forecasts when the first jobs
// would start under the order of the last pass, under a few well-known ones and with each job
// pulled to the front, and follows the order whose forecast costs least. See
// docs/decisions/0012-default-policy.md for why and how well.
//
// What a second of waiting costs grows with
//  - the slowdown, by how long the job is expected to run: short ones should not wait for long
//    ones;
//  - its area (cpus × limit), the more so the longer the queue is and the better limits are. The
//    sum of area × start does not depend on the order as long as all processors are busy: it is
//    the price of holes;
//  - its area again, steeply with its age, measured in the longest that the queue has been: that is
//    about what first come, first served makes somebody wait at most.
// Whoever has waited for nearly twice that goes first. That is why nobody starves.
//
// Forecasts are floating point, of operations that every machine rounds alike; what they decide is
// one order of a few jobs, and what was started is in the log.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "schedule/cpu_steps.h"
#include "schedule/policy.h"

namespace ym {
namespace {

// The weights of the three, in the order of the list above.
constexpr double kSlowdown = 24, kHoles = 220, kAge = 6;
constexpr double kAgeMost = 4, kOverdue = 1.9;
constexpr double kFullHoles_s = 600'000;  // a queue so long makes holes count in full
constexpr std::int64_t kShortest_s = 10;  // shorter jobs count as so long

using Order = std::vector<std::size_t>;

class Search {
 public:
  explicit Search(const Scene& scene)
      : scene_(scene), cost_(scene.candidates.size()), at_first_(scene.free), steps_(0) {
    for (const Scene::Release& one : scene.releases) at_first_.add(one.in_s, one.cpus);
  }

  Order run() {
    best_.resize(scene_.candidates.size());
    std::iota(best_.begin(), best_.end(), 0);
    if (weigh()) {  // else everybody starts now
      note_overdue();
      attempt(Order(best_));
      try_last_order();
      try_known_orders();
      pull_forward();
    }
    return std::move(best_);
  }

 private:
  using Job = Scene::Candidate;
  const Job& job(std::size_t at) const { return scene_.candidates[at]; }
  static double area(const Job& one) {
    return static_cast<double>(one.cpus) * static_cast<double>(one.limit_s);
  }
  static double length(const Job& one) {
    return std::max(one.expected_s, static_cast<double>(kShortest_s));
  }

  // Sets what a second costs each job, so that each kind of cost counts as its weight says if they
  // are served as they stand. False if nobody has to wait.
  bool weigh() {
    double waiting = 0, slowdown = 0, holes = 0;
    steps_ = at_first_;
    for (const Job& one : scene_.candidates) {
      auto start_s = static_cast<double>(steps_.take_earliest(one.cpus, one.limit_s).value_or(0));
      waiting += start_s;
      slowdown += 1 / length(one) * start_s;
      holes += area(one) * start_s;
    }
    if (waiting <= 0) return false;
    for (const Job& one : scene_.candidates)
      slowdown += (static_cast<double>(one.waited_s) + one.expected_s) / length(one);
    double packing = kHoles * std::min(1.0, scene_.queue_s / kFullHoles_s) * scene_.accuracy;
    for (std::size_t i = 0; i < cost_.size(); ++i) {
      const Job& one = job(i);
      double age = std::min(kAgeMost, age_of(one)), steep = age * age * age;
      cost_[i] =
          kSlowdown / slowdown / length(one) + (packing + kAge * steep * steep) / holes * area(one);
    }
    return true;
  }
  double age_of(const Job& one) const {
    return static_cast<double>(one.waited_s) / std::max(1.0, scene_.longest_queue_s);
  }
  void note_overdue() {
    for (std::size_t i = 0; i < cost_.size(); ++i)
      if (age_of(job(i)) > kOverdue) overdue_.push_back(i);
    std::ranges::sort(overdue_, {}, [&](std::size_t i) { return std::pair(-job(i).waited_s, i); });
  }

  // Follows the order, the overdue first, if its forecast is better than the best so far.
  bool attempt(Order order) {
    if (!overdue_.empty()) {
      Order front = overdue_;
      std::ranges::copy_if(order, std::back_inserter(front), [&](std::size_t i) {
        return std::ranges::find(overdue_, i) == overdue_.end();
      });
      order = std::move(front);
    }
    double cost = forecast(order, least_);
    if (cost >= least_) return false;
    least_ = cost;
    best_ = std::move(order);
    return true;
  }
  template <class Key>
  void attempt_by(Key&& key) {
    Order order(scene_.candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::tuple(key(job(i)), -job(i).waited_s, i); });
    attempt(std::move(order));
  }
  // What was begun is worth going on with: nodes are being cleared for somebody. Who is new comes
  // last.
  void try_last_order() {
    Order order(scene_.candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-job(i).last_rank, i); });
    attempt(std::move(order));
  }
  void try_known_orders() {
    attempt_by([](const Job& one) { return -one.waited_s; });
    attempt_by([](const Job& one) { return one.cpus * one.limit_s; });
    attempt_by([](const Job& one) { return -one.cpus * one.limit_s; });
    attempt_by([](const Job& one) { return -one.cpus; });
  }
  // Pulls one job after the other to the front, then to the place behind that, as long as it helps.
  void pull_forward() {
    int left = scene_.forecasts_max;
    for (std::size_t to = 0; to + 1 < best_.size() && left > 0; ++to) {
      Order from = best_;
      bool helped = false;
      for (std::size_t i = to + 1; i < from.size() && left > 0; ++i) {
        if (is_tried(from, to, i)) continue;
        Order order = from;
        std::rotate(order.begin() + static_cast<std::ptrdiff_t>(to),
                    order.begin() + static_cast<std::ptrdiff_t>(i),
                    order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        --left;
        helped = attempt(std::move(order)) || helped;
      }
      if (!helped) return;
    }
  }
  static bool are_alike(const Job& a, const Job& b) {
    return a.cpus == b.cpus && a.limit_s == b.limit_s && a.expected_s == b.expected_s;
  }
  // Of jobs alike the first goes first.
  bool is_tried(const Order& order, std::size_t first, std::size_t at) const {
    for (std::size_t i = first; i < at; ++i)
      if (are_alike(job(order[i]), job(order[at]))) return true;
    return false;
  }

  // What the order costs if everybody takes as long as its limit and starts as early as those
  // before it in the order allow: what the pass then does, on counted processors. Gives up, with
  // what it knows, once that is `enough`. O(jobs × steps).
  double forecast(const Order& order, double enough) {
    steps_ = at_first_;
    double spent = 0;
    for (std::size_t i : order) {
      std::optional<std::int64_t> start_s = steps_.take_earliest(job(i).cpus, job(i).limit_s);
      if (!start_s) continue;
      spent += cost_[i] * static_cast<double>(*start_s);
      if (spent >= enough) break;
    }
    return spent;
  }

  const Scene& scene_;
  std::vector<double> cost_;  // of a second, by candidate
  Order overdue_;             // the oldest first
  Order best_;
  double least_ = std::numeric_limits<double>::infinity();
  // Before anybody of the queue starts, and in the forecast that is being made.
  CpuSteps at_first_, steps_;
};

Order arrange(const Scene& scene) { return Search(scene).run(); }

Score slowdown(const Waiting& job, const Figures& figures) {
  std::int64_t waited_s = (figures.now - job.submit).count() / 1000;
  return {.over = waited_s + job.limit_s, .under = job.limit_s};
}

}  // namespace

const Policy kBestForecast{
    .name = "best-forecast",
    .summary = "tries the queue in many orders, and follows the one with the best forecast",
    .order = slowdown,
    .arrange = arrange,
    .promises = kEveryJob,
};

}  // namespace ym
