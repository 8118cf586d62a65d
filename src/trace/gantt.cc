// SPDX-License-Identifier: Apache-2.0
#include "trace/gantt.h"

#include <algorithm>
#include <map>

namespace ym::trace {
namespace {

// Processors that nobody has, as ranges that do not touch: first → past the last.
class FreeRanges {
 public:
  FreeRanges() { ranges_[0] = UINT64_MAX; }

  // A range that takes them all if there is one among the used ones; else the lowest pieces.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> take(std::uint64_t count) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (auto [first, past] : ranges_)
      if (past != UINT64_MAX && past - first >= count) {
        remove(first, count);
        return {{first, count}};
      }
    while (count > 0) {
      auto [first, past] = *ranges_.begin();
      std::uint64_t some = std::min(count, past - first);
      remove(first, some);
      taken.emplace_back(first, some);
      count -= some;
    }
    return taken;
  }

  void give(std::uint64_t first, std::uint64_t count) {
    std::uint64_t past = first + count;
    if (auto next = ranges_.find(past); next != ranges_.end()) {
      past = next->second;
      ranges_.erase(next);
    }
    auto after = ranges_.upper_bound(first);
    if (after != ranges_.begin())
      if (auto before = std::prev(after); before->second == first) {
        before->second = past;
        return;
      }
    ranges_[first] = past;
  }

 private:
  void remove(std::uint64_t first, std::uint64_t count) {
    auto at = ranges_.find(first);
    std::uint64_t past = at->second;
    ranges_.erase(at);
    if (first + count < past) ranges_[first + count] = past;
  }

  std::map<std::uint64_t, std::uint64_t> ranges_;
};

bool ran(const JobFate& fate) { return fate.start_s != kNotStarted && fate.end_s != kNotStarted; }

}  // namespace

std::vector<Box> boxes_of(const Workload& workload, const Outcome& outcome, const Span& span) {
  struct Change {
    std::int64_t at;
    bool start;  // ends come first
    std::uint32_t job;
    auto operator<=>(const Change&) const = default;
  };
  std::vector<Change> changes;
  for (std::uint32_t i = 0; i < workload.jobs.size(); ++i) {
    const JobFate& fate = outcome.jobs[i];
    if (!ran(fate) || fate.end_s <= span.from_s || fate.start_s >= span.to_s) continue;
    changes.push_back({fate.start_s, true, i});
    changes.push_back({fate.end_s, false, i});
  }
  std::ranges::sort(changes);
  FreeRanges free;
  std::map<std::uint32_t, std::vector<std::size_t>> held;  // places in `boxes`, by job
  std::vector<Box> boxes;
  for (const Change& change : changes) {
    if (!change.start) {
      for (std::size_t box : held[change.job]) free.give(boxes[box].first, boxes[box].count);
      held.erase(change.job);
      continue;
    }
    const JobFate& fate = outcome.jobs[change.job];
    for (auto [first, count] : free.take(workload.jobs[change.job].procs)) {
      held[change.job].push_back(boxes.size());
      boxes.push_back({.job = change.job,
                       .from_s = fate.start_s,
                       .to_s = fate.end_s,
                       .first = first,
                       .count = count});
    }
  }
  return boxes;
}

Span busiest_span(const Workload& workload, const Outcome& outcome, std::size_t jobs_max) {
  Span all{.from_s = 0, .to_s = std::max<std::int64_t>(1, last_end(outcome))};
  std::vector<std::int64_t> starts;
  for (const JobFate& fate : outcome.jobs)
    if (ran(fate)) starts.push_back(fate.start_s);
  if (starts.size() <= jobs_max || jobs_max == 0) return all;
  constexpr std::size_t kPieces = 2000;
  Curve queue = queue_curve(workload, outcome, all, kPieces);
  double peak =
      std::ranges::max_element(queue, {}, [](const auto& point) { return point.second; })->first;
  std::ranges::sort(starts);
  // As many starts before the peak as behind it, as far as there are any.
  auto peak_at = std::ranges::lower_bound(starts, static_cast<std::int64_t>(peak)) - starts.begin();
  auto count = static_cast<std::ptrdiff_t>(jobs_max), size = std::ssize(starts);
  auto first = std::clamp<std::ptrdiff_t>(peak_at - count / 2, 0, size - count);
  std::int64_t from = starts[static_cast<std::size_t>(first)];
  std::int64_t to = starts[static_cast<std::size_t>(first + count - 1)];
  return {.from_s = from, .to_s = std::max(to, from + 1)};
}

}  // namespace ym::trace
