// SPDX-License-Identifier: Apache-2.0
#include "trace/curves.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ym::trace {
namespace {

bool ran(const JobFate& fate) { return fate.start_s != kNotStarted && fate.end_s != kNotStarted; }

}  // namespace

// Two sums of differences: one for whole pieces, one for what the ends of a stay leave over.
Curve mean_curve(const std::vector<Stay>& stays, const Span& span, std::size_t pieces) {
  YM_CHECK(pieces > 0);
  if (span.to_s <= span.from_s) return {};
  auto width = static_cast<double>(span.to_s - span.from_s) / static_cast<double>(pieces);
  std::vector<double> whole(pieces + 1), part(pieces + 1);
  auto at_border = [&](double x, double amount) {  // adds `amount` from x on
    auto piece = std::min(static_cast<std::size_t>(x / width), pieces - 1);
    part[piece] += amount * (static_cast<double>(piece + 1) - x / width);
    whole[piece + 1] += amount;
  };
  auto length = static_cast<double>(span.to_s - span.from_s);
  for (const Stay& stay : stays) {
    double from = std::max(0.0, static_cast<double>(stay.from_s - span.from_s));
    double to = std::min(length, static_cast<double>(stay.to_s - span.from_s));
    if (to <= from) continue;
    at_border(from, stay.amount);
    at_border(to, -stay.amount);
  }
  Curve curve;
  double sum = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    sum += whole[i];
    double mean = sum + part[i];
    curve.emplace_back(static_cast<double>(span.from_s) + width * static_cast<double>(i),
                       std::abs(mean) < 1e-9 ? 0 : mean);
  }
  curve.emplace_back(static_cast<double>(span.to_s), curve.back().second);
  return curve;
}

Curve busy_curve(const Workload& workload, const Outcome& outcome, const Span& span,
                 std::size_t pieces) {
  std::vector<Stay> stays;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i)
    if (ran(outcome.jobs[i]))
      stays.push_back({outcome.jobs[i].start_s, outcome.jobs[i].end_s,
                       static_cast<double>(workload.jobs[i].procs)});
  return mean_curve(stays, span, pieces);
}

Curve queue_curve(const Workload& workload, const Outcome& outcome, const Span& span,
                  std::size_t pieces) {
  std::vector<Stay> stays;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i)
    if (ran(outcome.jobs[i]))
      stays.push_back({workload.jobs[i].submit_s, outcome.jobs[i].start_s, 1});
  return mean_curve(stays, span, pieces);
}

Curve wait_distribution(const Workload& workload, const Outcome& outcome, std::size_t points) {
  std::vector<std::int64_t> waits;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i)
    if (ran(outcome.jobs[i])) waits.push_back(outcome.jobs[i].start_s - workload.jobs[i].submit_s);
  std::ranges::sort(waits);
  Curve curve;
  if (waits.empty()) return curve;
  auto count = static_cast<double>(waits.size());
  std::size_t step = std::max<std::size_t>(1, waits.size() / points);
  for (std::size_t i = 0; i < waits.size(); i += step) {
    // All that waited just as long.
    auto upto = std::ranges::upper_bound(waits, waits[i]) - waits.begin();
    auto x = static_cast<double>(waits[i]);
    if (curve.empty() || curve.back().first < x)
      curve.emplace_back(x, static_cast<double>(upto) / count);
  }
  if (auto last = static_cast<double>(waits.back()); curve.back().first < last)
    curve.emplace_back(last, 1);
  return curve;
}

std::int64_t last_end(const Outcome& outcome) {
  std::int64_t last = 0;
  for (const JobFate& fate : outcome.jobs) last = std::max(last, fate.end_s);
  return last;
}

}  // namespace ym::trace
