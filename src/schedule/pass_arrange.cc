// SPDX-License-Identifier: Apache-2.0
// The part of a pass that lets the policy arrange the first jobs of the queue.
#include <algorithm>
#include <queue>
#include <set>
#include <utility>

#include "schedule/grounds.h"
#include "schedule/pass.h"

namespace ym {
namespace {

constexpr std::size_t kOldestInScene = kSceneMax / 4;
// Of all grounds together, and of one at least.
constexpr int kForecastsMost = 128, kForecastsLeast = 16;

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

// A ground with those who wait for it.
struct Pass::Yard {
  Ground ground;
  std::vector<Shape*> shapes;
  std::size_t pending = 0;
  std::int64_t free = 0;  // of the ground's room
  std::vector<Scene::Release> releases;
};

// Those with jobs that wait and could run there one day. O(nodes + shapes + jobs that run).
std::vector<Pass::Yard> Pass::yards() {
  const Book& book = planner_.book_;
  Grounds grounds = Grounds::of(book, planner_.rules_.takes_turns);
  std::vector<Yard> yards(grounds.all.size());
  for (std::size_t i = 0; i < yards.size(); ++i) {
    yards[i].ground = grounds.all[i];
    yards[i].free = grounds.all[i].room();
  }
  for (Shape* shape : planner_.queue_.shapes()) {
    make_homes(*shape);
    if (shape->queue > 0) continue;  // counted in their first queue
    auto home = std::ranges::find_if(shape->everywhere(), [&](const Home& one) {
      const Partition* partition = state_.find(one.id);
      return partition && refusal_of(*partition->spec, *shape->spec) == Reason::None;
    });
    if (home == shape->everywhere().end()) continue;
    Yard& yard = yards[grounds.of_pool[home->pool]];
    if (std::max(1u, shape->spec->min_nodes) > yard.ground.nodes) continue;
    yard.shapes.push_back(shape);
    for (const auto& line : shape->lines) yard.pending += line->jobs.size();
  }
  for (const auto& [id, running] : book.running()) {
    if (running.is_suspended) continue;
    std::int64_t cpus = 0;
    bool shares = false;
    Yard* yard = nullptr;
    for_each_share(running, [&](const NodeShare& share) {
      cpus += share.cpus;
      shares = share.row > 0;
      if (const auto& in = book.track(share.node).in; !yard && !in.empty())
        yard = &yards[grounds.of_pool[in.front().first]];
    });
    if (!yard) continue;
    if (yard->ground.rows > 1) {
      const std::uint32_t* pool = book.pool_of(state_.jobs.at(id.value).partition);
      cpus = yard->ground.room_of(cpus, shares && pool ? book.pools()[*pool].sharers : 0);
    }
    yard->free -= cpus;
    std::int64_t in_s = ((running.end - now_).count() + 999) / 1000;
    yard->releases.push_back({.in_s = std::max<std::int64_t>(in_s, 1), .cpus = cpus});
  }
  std::erase_if(yards, [](const Yard& one) { return one.pending < 2; });
  for (Yard& one : yards) {
    one.free = std::max<std::int64_t>(one.free, 0);
    std::ranges::sort(one.releases, {}, &Scene::Release::in_s);
  }
  return yards;
}

// By slowdown, as largest_slowdown_first.cc orders them, and the oldest.
std::vector<const Job*> Pass::first_in_queue(const Yard& yard) const {
  auto key = [&](const Job& job) {
    Waiting one = waiting_of(job);
    return std::pair(policy_.order(one, figures_), std::pair(~job.submit.unix_ms, ~job.id.value));
  };
  std::map<JobId, const Job*> chosen;
  if (yard.pending > kSceneMax)
    first_of_lines(
        yard.shapes, state_, kOldestInScene,
        [](const Job& a, const Job& b) {
          return std::pair(a.submit, a.id) < std::pair(b.submit, b.id);
        },
        [&](const Job& job) { chosen.try_emplace(job.id, &job); });
  first_of_lines(
      yard.shapes, state_, kSceneMax, [&](const Job& a, const Job& b) { return key(a) > key(b); },
      [&](const Job& job) {
        if (chosen.size() < kSceneMax) chosen.try_emplace(job.id, &job);
      });
  std::vector<const Job*> jobs;
  for (const auto& [id, job] : chosen) jobs.push_back(job);
  std::ranges::sort(jobs, [&](const Job* a, const Job* b) { return key(*a) > key(*b); });
  return jobs;
}

// Of the first partition that takes it.
std::uint32_t Pass::rows_of(const JobSpec& spec) const {
  for (const Partition* partition : partitions_of(spec, state_))
    if (refusal_of(*partition->spec, spec) == Reason::None)
      return rows_for(spec, rules_in(*partition->spec, planner_.rules_));
  return 0;
}

// So many processors nobody else can use while it runs: its own and what is left of their cores,
// those of whole nodes, or as many as its part of the memory stands for. Where CPUs are shared it
// is the ground's room: who shares takes one row of his, and who does not all of them.
std::int64_t Pass::cpus_of(const Job& job, const Yard& yard) const {
  const JobSpec& spec = *job.spec;
  Waiting one = waiting_of(job);
  const Ground& ground = yard.ground;
  std::int64_t on_each = (std::max<std::int64_t>(one.cpus, 1) + one.nodes - 1) / one.nodes;
  auto wanted = static_cast<std::uint32_t>(std::min<std::int64_t>(on_each, 0xffffffff));
  std::int64_t cpus =
      std::max(std::max<std::int64_t>(one.cpus, 1),
               one.nodes * whole_units_for(wanted, planner_.rules_.unit, ground.shape));
  if (spec.exclusive || planner_.rules_.whole_nodes)
    cpus = std::max(cpus, one.nodes * (ground.cpus / std::max<std::int64_t>(ground.nodes, 1)));
  if (ground.rows > 1) cpus = ground.room_of(cpus, rows_of(spec));
  if (planner_.rules_.memory_counts && ground.memory_mb > 0) {
    double memory_mb =
        static_cast<double>(spec.memory_per_cpu_mb) * static_cast<double>(one.cpus) +
        static_cast<double>(spec.memory_per_node_mb) * static_cast<double>(one.nodes);
    double part = memory_mb / static_cast<double>(ground.memory_mb);
    cpus = std::max(cpus, static_cast<std::int64_t>(part * static_cast<double>(ground.room())));
  }
  return cpus;
}

// How much waits. O(lines).
void Pass::count_queue(const Yard& yard, Scene& scene) {
  __extension__ using Wide = __int128;
  Wide backlog = 0;
  for (const Shape* shape : yard.shapes)
    for (const auto& line : shape->lines) {
      const Job& first = state_.jobs.at(line->jobs.begin()->job.value);
      backlog += Wide{cpus_of(first, yard)} * waiting_of(first).limit_s *
                 static_cast<std::int64_t>(line->jobs.size());
    }
  Experience& experience = planner_.experience_;
  scene.accuracy = experience.accuracy();
  scene.queue_s = static_cast<double>(backlog) / static_cast<double>(scene.cpus) * scene.accuracy;
  scene.longest_queue_s = experience.longest_queue_s(yard.ground.name, scene.queue_s, now_);
}

// One ground at least, so that it comes to an end. What runs may change in a pause: the yards are
// made anew, which takes a fifth of the time of all forecasts.
bool Pass::arrange() {
  if (planner_.follows_) return true;
  // A priority that moves with time tells everybody apart already.
  bool is_free = policy_.arrange && !planner_.queue_.rule().at && planner_.queue_.pending() >= 2;
  auto& arranging = planner_.arranging_;
  if (!arranging) arranging.emplace();
  std::vector<Yard> all = is_free ? yards() : std::vector<Yard>();
  for (const Yard& one : all) {
    if (!arranging->grounds.insert(one.ground.name).second) continue;
    arrange(one, std::max(kForecastsLeast, kForecastsMost / static_cast<int>(all.size())));
    if (budget_.pause && budget_.pause()) return false;
  }
  planner_.arranged_ = std::move(arranging->ranks);
  arranging.reset();
  return true;
}

Plan Pass::end_while_arranging() {
  plan_.unfinished = true;
  turn_to(PlanQuestion::WhoseTurn);
  return std::move(plan_);
}

void Pass::arrange(const Yard& yard, int forecasts) {
  const Planner::Ranks& last = planner_.arranged_;
  Scene scene{.cpus = std::max<std::int64_t>(yard.ground.room(), 1),
              .free = yard.free,
              .releases = yard.releases,
              .forecasts_max = forecasts};
  count_queue(yard, scene);
  for (const Job* job : first_in_queue(yard)) {
    Waiting one = waiting_of(*job);
    std::int64_t cpus = cpus_of(*job, yard);
    if (cpus > scene.cpus) continue;  // not with the nodes that there are now
    auto limit_s = std::max<std::int64_t>(one.limit_s, 1);
    // As for priorities, what it waited for its begin time does not count.
    Instant waits_since = std::max(one.submit, one.eligible);
    double expected_s =
        static_cast<double>(limit_s) * planner_.experience_.accuracy_of(job->spec->uid);
    auto before = last.find(job->id);
    scene.candidates.push_back(
        {.waited_s = std::max<std::int64_t>(0, (now_ - waits_since).count() / 1000),
         .limit_s = limit_s,
         .cpus = cpus,
         .job = job->id,
         .expected_s = std::max(expected_s, 1.0),
         .last_rank = before == last.end() ? 0 : before->second});
  }
  auto rank = static_cast<std::int64_t>(scene.candidates.size());
  for (std::size_t at : policy_.arrange(scene))
    planner_.arranging_->ranks[scene.candidates[at].job] = rank--;
}

}  // namespace ym
