// SPDX-License-Identifier: Apache-2.0
// The part of a pass that lets the policy arrange the first jobs of the queue.
#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "schedule/pass.h"

namespace ym {
namespace {

constexpr std::size_t kOldestInScene = kSceneMax / 4;

// The first `count` jobs of all lines: of a line the earlier first, of lines the one whose next job
// `comes_first`. Calls add(const Job&). O(lines + count × log lines).
template <class Order, class Add>
void first_of_lines(const std::vector<Shape*>& shapes, const State& state, std::size_t count,
                    Order&& comes_first, Add&& add) {
  struct Next {
    const Job* job;
    const Line* line;
    std::set<Position>::const_iterator at;
  };
  auto comes_later = [&](const Next& a, const Next& b) { return comes_first(*b.job, *a.job); };
  std::priority_queue<Next, std::vector<Next>, decltype(comes_later)> heads(comes_later);
  auto push = [&](const Line& line, std::set<Position>::const_iterator at) {
    if (at != line.jobs.end()) heads.push({&state.jobs.at(at->job.value), &line, at});
  };
  for (const Shape* shape : shapes)
    for (const auto& line : shape->lines) push(*line, line->jobs.begin());
  for (; count > 0 && !heads.empty(); --count) {
    Next next = heads.top();
    heads.pop();
    add(*next.job);
    push(*next.line, std::next(next.at));
  }
}

}  // namespace

// By slowdown, as largest_slowdown_first.cc orders them, and the oldest.
std::vector<const Job*> Pass::first_in_queue() const {
  const std::vector<Shape*>& shapes = planner_.queue_.shapes();
  auto key = [&](const Job& job) {
    Waiting one = waiting_of(job);
    return std::pair(policy_.order(one, figures_), std::pair(~job.submit.unix_ms, ~job.id.value));
  };
  std::map<JobId, const Job*> chosen;
  if (planner_.queue_.pending() > kSceneMax)
    first_of_lines(
        shapes, state_, kOldestInScene,
        [](const Job& a, const Job& b) {
          return std::pair(a.submit, a.id) < std::pair(b.submit, b.id);
        },
        [&](const Job& job) { chosen.try_emplace(job.id, &job); });
  first_of_lines(
      shapes, state_, kSceneMax, [&](const Job& a, const Job& b) { return key(a) > key(b); },
      [&](const Job& job) {
        if (chosen.size() < kSceneMax) chosen.try_emplace(job.id, &job);
      });
  std::vector<const Job*> jobs;
  for (const auto& [id, job] : chosen) jobs.push_back(job);
  std::ranges::sort(jobs, [&](const Job* a, const Job* b) { return key(*a) > key(*b); });
  return jobs;
}

// What is free now and what comes back, of all nodes together.
void Pass::count_processors(Scene& scene) const {
  const Book& book = planner_.book_;
  scene.cpus = scene.free = figures_.cpus;
  for (const auto& [id, running] : book.running()) {
    if (running.is_suspended) continue;
    std::int64_t cpus = 0;
    for_each_share(running, [&](const NodeShare& share) { cpus += share.cpus; });
    scene.free -= cpus;
    std::int64_t in_s = ((running.end - now_).count() + 999) / 1000;
    scene.releases.push_back({.in_s = std::max<std::int64_t>(in_s, 1), .cpus = cpus});
  }
  scene.free = std::max<std::int64_t>(scene.free, 0);
  std::ranges::sort(scene.releases, {}, &Scene::Release::in_s);
}

// How much waits. O(lines).
void Pass::count_queue(Scene& scene) {
  __extension__ using Wide = __int128;
  Wide backlog = 0;
  for (const Shape* shape : planner_.queue_.shapes())
    for (const auto& line : shape->lines) {
      Waiting one = waiting_of(state_.jobs.at(line->jobs.begin()->job.value));
      backlog += Wide{one.cpus} * one.limit_s * static_cast<std::int64_t>(line->jobs.size());
    }
  Experience& experience = planner_.experience_;
  scene.accuracy = experience.accuracy();
  scene.queue_s = static_cast<double>(backlog) / static_cast<double>(scene.cpus) * scene.accuracy;
  scene.longest_queue_s = experience.longest_queue_s(scene.queue_s, now_);
}

void Pass::arrange() {
  if (planner_.follows_) return;
  std::map<JobId, std::int64_t> last = std::exchange(planner_.arranged_, {});
  // A priority that moves with time tells everybody apart already.
  if (!policy_.arrange || planner_.queue_.rule().at || planner_.queue_.pending() < 2) return;
  Scene scene;
  count_processors(scene);
  count_queue(scene);
  for (const Job* job : first_in_queue()) {
    Waiting one = waiting_of(*job);
    if (one.cpus > scene.cpus) continue;  // not with the nodes that there are now
    auto limit_s = std::max<std::int64_t>(one.limit_s, 1);
    // As for priorities, what it waited for its begin time does not count.
    Instant waits_since = std::max(one.submit, one.eligible);
    double expected_s =
        static_cast<double>(limit_s) * planner_.experience_.accuracy_of(job->spec->uid);
    scene.candidates.push_back(
        {.waited_s = std::max<std::int64_t>(0, (now_ - waits_since).count() / 1000),
         .limit_s = limit_s,
         .cpus = std::max<std::int64_t>(one.cpus, 1),
         .job = job->id,
         .expected_s = std::max(expected_s, 1.0),
         .last_rank = last.contains(job->id) ? last[job->id] : 0});
  }
  Arrangement arranged = policy_.arrange(scene);
  std::int64_t rank = static_cast<std::int64_t>(scene.candidates.size());
  for (std::size_t at : arranged.order) planner_.arranged_[scene.candidates[at].job] = rank--;
  for (std::size_t i = 0; i < arranged.starts_in_s.size(); ++i)
    if (std::int64_t in_s = arranged.starts_in_s[i]; in_s != kNotForeseen)
      plan_.verdicts.promised[scene.candidates[i].job] = now_ + std::chrono::seconds(in_s);
}

}  // namespace ym
