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
  Line& line = line_for(first, components, state);
  std::uint32_t priority = rule_.at ? 0 : policy_orders_ ? site_priority(first) : first.priority;
  Position position{.priority_inverse = ~priority, .submit = first.submit, .job = first.id};
  line.jobs.insert(position);
  line.shape->is_awake = true;
  where_[first.id] = {.line = &line, .position = position, .begin = {}};
}

Line& JobQueue::line_for(const Job& first, const std::vector<const Job*>& components,
                         const State& state) {
  std::string key = shape_key(components);
  auto [at, fresh] = shapes_.try_emplace(std::move(key));
  if (fresh) {
    at->second = std::make_unique<Shape>();
    Shape& shape = *at->second;
    shape.key = at->first;
    shape.hash = shape_hash(shape.key);
    shape.spec = first.spec;
    shape.kind = kind_of(*first.spec);
    shape.is_het = static_cast<bool>(first.het_job);
    for (const Partition* partition : partitions_of(*first.spec, state))
      shape.tier = std::max(shape.tier, partition->spec->priority_tier);
    shape.place = order_.size();
    order_.push_back(&shape);
  }
  Shape& shape = *at->second;
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

const JobQueue::Place* JobQueue::find(JobId id) const {
  auto at = where_.find(id);
  return at == where_.end() || !at->second.line ? nullptr : &at->second;
}

Instant JobQueue::next_begin(Instant after) const {
  auto next = sleeping_.lower_bound({after + Duration(1), JobId{0}});
  return next == sleeping_.end() ? kNever : next->first;
}

}  // namespace ym
