// SPDX-License-Identifier: Apache-2.0
#include "schedule/queue.h"

#include <algorithm>

#include "schedule/het.h"
#include "schedule/shape.h"

namespace ym {

std::uint32_t automatic_priority(JobId job, std::int32_t nice) {
  std::int64_t priority = std::int64_t{kTopPriority} - (job.value & kJobIdLocalMax) - nice;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(priority, 1, 0xfffffffd));
}

std::uint32_t site_priority(const Job& job) {
  std::uint32_t automatic = automatic_priority(job.id, job.spec->nice);
  // An element of an array has the number of its array.
  std::uint32_t of_array = automatic_priority(job.array_job, job.spec->nice);
  if (job.priority == automatic || (job.array_job && job.priority == of_array))
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(std::int64_t{kTopPriority} - job.spec->nice, 1, 0xfffffffd));
  // `scontrol top` gives automatic numbers of others: before or behind those who have their own.
  bool among_automatic =
      job.priority <= kTopPriority && job.priority >= kTopPriority - kJobIdLocalMax;
  if (!among_automatic) return job.priority;
  return job.priority > automatic ? kTopPriority + 1 : kTopPriority - 1;
}

bool Shape::is_elsewhere(PartitionId partition) const {
  return queues > 1 && std::ranges::find(in, partition) == in.end();
}

void JobQueue::set_order(bool policy_orders, PriorityRule rule) {
  policy_orders_ = policy_orders;
  rule_ = std::move(rule);
}

void JobQueue::refresh(const Job& job, const State& state) {
  if (job.het_job && job.het_job != job.id) remove(job.het_job);
  remove(job.id);
  if (job.state != JobState::Pending) return;
  std::vector<const Job*> components = components_of(state, job);
  if (!may_start(components)) return;
  const Job& first = *components.front();
  Instant begin = eligible_from(components);
  // What was due once is, also if the clock was set back since.
  if (begin > state.time) {
    where_[first.id] = {.line = nullptr, .position = {}, .begin = begin};
    sleeping_.insert({begin, first.id});
    return;
  }
  stand(first, components, state);
}

void JobQueue::stand(const Job& first, const std::vector<const Job*>& components,
                     const State& state) {
  std::vector<Alike> queues = queues_of(first, state);
  std::uint32_t priority = rule_.at ? 0 : policy_orders_ ? site_priority(first) : first.priority;
  Position position{.priority_inverse = ~priority, .submit = first.submit, .job = first.id};
  std::uint32_t queue = 0;
  do {
    Line& line = line_for(first, components, state, queues, queue);
    line.jobs.insert(position);
    line.shape->is_awake = true;
    Place place{.line = &line, .position = position, .begin = {}};
    if (queue == 0)
      where_[first.id] = place;
    else
      also_[first.id].push_back(place);
  } while (++queue < queues.size());
}

// Empty if all its partitions are alike.
std::vector<JobQueue::Alike> JobQueue::queues_of(const Job& first, const State& state) {
  std::vector<Alike> queues;
  if (first.het_job || first.spec->partitions.find(',') == std::string::npos) return queues;
  for (const Partition* one : partitions_by_tier(*first.spec, state)) {
    Alike alike{.tier = one->spec->priority_tier,
                .factor = one->spec->priority_job_factor,
                .partitions = {one->id}};
    auto same = std::ranges::find_if(queues, [&](const Alike& queue) {
      return queue.tier == alike.tier && queue.factor == alike.factor;
    });
    if (same == queues.end())
      queues.push_back(std::move(alike));
    else
      same->partitions.push_back(one->id);
  }
  if (queues.size() == 1) queues.clear();
  return queues;
}

Line& JobQueue::line_for(const Job& first, const std::vector<const Job*>& components,
                         const State& state, const std::vector<Alike>& queues,
                         std::uint32_t queue) {
  std::string key = shape_key(components);
  std::uint64_t hash = 0;
  if (queue > 0) {
    hash = shape_hash(key);
    key += "/queue" + std::to_string(queue);
  }
  auto [at, fresh] = shapes_.try_emplace(std::move(key));
  Shape* shape = at->second.get();
  if (fresh) {
    at->second = std::make_unique<Shape>();
    shape = at->second.get();
    shape->key = at->first;
    shape->hash = queue > 0 ? hash : shape_hash(shape->key);
    shape->spec = first.spec;
    shape->is_het = static_cast<bool>(first.het_job);
    if (queues.empty()) {
      shape->kind = kind_of(*first.spec);
      for (const Partition* partition : partitions_of(*first.spec, state))
        shape->tier = std::max(shape->tier, partition->spec->priority_tier);
    } else {
      shape->queue = queue;
      shape->queues = static_cast<std::uint32_t>(queues.size());
      shape->in = queues[queue].partitions;
      shape->tier = queues[queue].tier;
    }
    shape->place = order_.size();
    order_.push_back(shape);
  }
  return line_of(*shape, first);
}

Line& JobQueue::line_of(Shape& shape, const Job& first) const {
  std::string of = rule_.line ? rule_.line(first) : std::string();
  auto line = std::ranges::find(shape.lines, of,
                                [](const auto& one) -> const std::string& { return one->of; });
  if (line != shape.lines.end()) return **line;
  shape.lines.push_back(std::make_unique<Line>(
      Line{.shape = &shape, .of = std::move(of), .jobs = {}, .seen_to = {}}));
  return *shape.lines.back();
}

void JobQueue::remove(JobId id) {
  auto at = where_.find(id);
  if (at == where_.end()) return;
  if (at->second.line)
    leave(*at->second.line, at->second.position);
  else
    sleeping_.erase({at->second.begin, id});
  where_.erase(at);
  if (also_.empty()) return;
  auto also = also_.find(id);
  if (also == also_.end()) return;
  for (const Place& place : also->second) leave(*place.line, place.position);
  also_.erase(also);
}

void JobQueue::leave(Line& line, const Position& position) {
  Shape& shape = *line.shape;
  line.jobs.erase(position);
  if (!line.jobs.empty()) return;
  std::erase_if(shape.lines, [&](const auto& one) { return one.get() == &line; });
  if (!shape.lines.empty()) return;
  order_.back()->place = shape.place;
  std::swap(order_[shape.place], order_.back());
  order_.pop_back();
  shapes_.erase(shapes_.find(shape.key));
}

void JobQueue::wake_until(Instant now, const State& state) {
  while (!sleeping_.empty() && sleeping_.begin()->first <= now) {
    JobId id = sleeping_.begin()->second;
    sleeping_.erase(sleeping_.begin());
    where_.erase(id);
    const Job* job = state.find(id);
    if (!job) continue;
    std::vector<const Job*> components = components_of(state, *job);
    if (may_start(components)) stand(*job, components, state);
  }
}

const JobQueue::Place* JobQueue::find(JobId id, PartitionId in) const {
  auto at = where_.find(id);
  if (at == where_.end() || !at->second.line) return nullptr;
  if (in && !also_.empty())
    if (auto also = also_.find(id); also != also_.end())
      for (const Place& place : also->second)
        if (!place.line->shape->is_elsewhere(in)) return &place;
  return &at->second;
}

Instant JobQueue::next_begin(Instant after) const {
  auto next = sleeping_.lower_bound({after + Duration(1), JobId{0}});
  return next == sleeping_.end() ? kNever : next->first;
}

}  // namespace ym
