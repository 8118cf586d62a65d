// SPDX-License-Identifier: Apache-2.0
#include "schedule/cpu_steps.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ym {
namespace {

constexpr std::size_t kAtOnce = 16;  // steps that are compared without a branch in between

}  // namespace

CpuSteps::Cpus CpuSteps::clamp(std::int64_t cpus) {
  return static_cast<Cpus>(std::clamp<std::int64_t>(cpus, 0, std::numeric_limits<Cpus>::max()));
}

void CpuSteps::add(std::int64_t in_s, std::int64_t cpus) {
  if (from_s_.back() < in_s) {
    from_s_.push_back(in_s);
    cpus_.push_back(cpus_.back());
  }
  cpus_.back() = clamp(cpus_.back() + cpus);
}

// The first step that may have so many.
std::size_t CpuSteps::first_step(Cpus cpus) {
  auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(cpus))) - 1;
  std::uint32_t& first = first_with_[power];
  while (first < cpus_.size() && cpus_[first] >> power == 0) ++first;
  return first;
}

// The first step from there on with enough, or the end.
std::size_t CpuSteps::next_with(Cpus cpus, std::size_t at) const {
  for (; at + kAtOnce <= cpus_.size(); at += kAtOnce) {
    bool enough = false;
    for (std::size_t i = 0; i < kAtOnce; ++i) enough |= cpus_[at + i] >= cpus;
    if (enough) break;
  }
  while (at < cpus_.size() && cpus_[at] < cpus) ++at;
  return at;
}

// The first step from there on with too few or that begins no earlier than `end_s`, or the end.
std::size_t CpuSteps::end_of_stay(Cpus cpus, std::int64_t end_s, std::size_t at) const {
  for (; at + kAtOnce <= cpus_.size() && from_s_[at + kAtOnce - 1] < end_s; at += kAtOnce) {
    bool below = false;
    for (std::size_t i = 0; i < kAtOnce; ++i) below |= cpus_[at + i] < cpus;
    if (below) break;
  }
  while (at < cpus_.size() && from_s_[at] < end_s && cpus_[at] >= cpus) ++at;
  return at;
}

std::optional<CpuSteps::Stay> CpuSteps::find(Cpus cpus, std::int64_t length_s) {
  for (std::size_t first = first_step(cpus);; ++first) {
    first = next_with(cpus, first);
    if (first >= cpus_.size()) return std::nullopt;
    std::int64_t end_s = from_s_[first] + length_s;
    std::size_t past = end_of_stay(cpus, end_s, first + 1);
    if (past == cpus_.size() || from_s_[past] >= end_s) return Stay{first, past, end_s};
    first = past;  // too few there: the next place to look is behind it
  }
}

std::optional<std::int64_t> CpuSteps::take_earliest(std::int64_t wanted, std::int64_t length_s) {
  Cpus cpus = clamp(wanted);
  std::optional<Stay> stay = find(cpus, length_s);
  if (!stay) return std::nullopt;
  auto [first, past, end_s] = *stay;
  if (past == cpus_.size() || from_s_[past] > end_s) {
    auto at = static_cast<std::ptrdiff_t>(past);
    from_s_.insert(from_s_.begin() + at, end_s);
    cpus_.insert(cpus_.begin() + at, cpus_[past - 1]);
    for (std::uint32_t& one : first_with_) one += one >= past;
  }
  for (std::size_t i = first; i < past; ++i) cpus_[i] -= cpus;
  return from_s_[first];
}

}  // namespace ym
