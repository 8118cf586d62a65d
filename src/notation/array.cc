// SPDX-License-Identifier: Apache-2.0
#include "notation/array.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

using Run = IndexSet::Run;

std::unexpected<Error> invalid(std::string_view why) {
  return fail(fmt::format("Invalid job array specification: {}", why));
}

// "7", "7-9", "20-40:5"
Result<Run> parse_run(std::string_view text) {
  auto bad = [&] {
    return invalid(fmt::format("\"{}\" is no index or range", printable(text, 64)));
  };
  auto colon = text.find(':');
  std::string_view rest = text.substr(0, colon), step_text = "1";
  auto dash = rest.find('-');
  if (colon != std::string_view::npos) {
    if (dash == std::string_view::npos) return bad();
    step_text = text.substr(colon + 1);
  }
  auto first = parse_u64(rest.substr(0, dash));
  auto last = dash == std::string_view::npos ? first : parse_u64(rest.substr(dash + 1));
  auto step = parse_u64(step_text);
  if (!first || !last || !step) return bad();
  if (*last > kArrayIndexMax || *first > kArrayIndexMax)
    return invalid(fmt::format("an index is above {}", kArrayIndexMax));
  if (*last < *first)
    return invalid(fmt::format("the range {} runs backwards", printable(text, 64)));
  if (*step == 0) return invalid("a step of 0");
  // Only steps within the range matter, and the last index is one that the steps reach.
  std::uint64_t used = std::min<std::uint64_t>(*step, kArrayIndexMax + 1);
  std::uint64_t end = *first + (*last - *first) / used * used;
  return Run{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(end),
             static_cast<std::uint32_t>(used)};
}

// The x with a*x = 1 modulo m. REQUIRES: gcd(a, m) = 1.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  std::int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
  while (r1 > 0) {
    std::int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    t0 = std::exchange(t1, t0 - q * t1);
  }
  return ((t0 % m) + m) % m;
}

// The indices two runs share are a run again, of the least common multiple of both steps.
std::optional<Run> shared(const Run& a, const Run& b) {
  std::int64_t low = std::max(a.first, b.first), high = std::min(a.last, b.last);
  std::int64_t divisor = std::gcd(a.step, b.step);
  std::int64_t apart = std::int64_t{b.first} - a.first;
  if (low > high || apart % divisor != 0) return std::nullopt;
  std::int64_t modulus = b.step / divisor;
  std::int64_t factor = ((apart / divisor) % modulus + modulus) % modulus;
  std::int64_t k = modulus == 1 ? 0 : factor * inverse(a.step / divisor, modulus) % modulus;
  std::int64_t step = a.step * modulus;
  std::int64_t first = a.first + a.step * k;
  if (first < low) first += (low - first + step - 1) / step * step;
  if (first > high) return std::nullopt;
  std::int64_t last = first + (high - first) / step * step;
  if (first == last) step = 1;
  return Run{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last),
             static_cast<std::uint32_t>(step)};
}

}  // namespace

// "4000000-4000001:1," is the longest run there is.
static_assert(IndexSet::kRunsMax * 20 <= IndexSet::kTextMax);

Result<IndexSet> IndexSet::parse(std::string_view text) {
  if (text.size() > kTextMax) return invalid(fmt::format("longer than {} characters", kTextMax));
  std::vector<Run> runs;
  for (std::string_view part : split(text, ',')) {
    auto run = parse_run(part);
    if (!run) return std::unexpected(run.error());
    runs.push_back(*run);
  }
  return combine(std::move(runs));
}

IndexSet IndexSet::range(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  YM_CHECK(first <= last);
  YM_CHECK(last <= kArrayIndexMax);
  YM_CHECK(step > 0);
  IndexSet set;
  set.push({first, first + (last - first) / step * step, step});
  return set;
}

// Runs in any order become a set. Where spans overlap and steps are mixed, a bitmap of just that
// span decides.
Result<IndexSet> IndexSet::combine(std::vector<Run> runs) {
  std::ranges::sort(runs, {}, &Run::first);
  IndexSet set;
  std::uint64_t looked_at = 0;
  for (std::size_t begin = 0, end; begin < runs.size(); begin = end) {
    std::uint32_t low = runs[begin].first, high = runs[begin].last;
    bool solid = runs[begin].step == 1;
    for (end = begin + 1; end < runs.size() && runs[end].first <= high; ++end) {
      high = std::max(high, runs[end].last);
      solid = solid && (runs[end].step == 1 || runs[end].count() == 1);
    }
    if (end == begin + 1 || solid) {
      set.push({low, high, solid ? 1 : runs[begin].step});
      continue;
    }
    std::vector<bool> bits(high - low + 1);
    for (std::size_t i = begin; i < end; ++i) {
      if ((looked_at += runs[i].count()) > kOverlapMax) return invalid("too many ranges overlap");
      for (std::uint32_t at = runs[i].first; at <= runs[i].last; at += runs[i].step)
        bits[at - low] = true;
    }
    for (std::uint32_t at = 0; at < bits.size(); ++at)
      if (bits[at]) set.push({low + at, low + at, 1});
  }
  if (set.runs_.size() > kRunsMax) return invalid(fmt::format("more than {} ranges", kRunsMax));
  return set;
}

// Appends a run that begins after all others, joining it with its neighbours where they make one
// progression. Two lone indices only join if they follow each other: 1,7,8,9 is 1,7-9 and not
// 1-7:6,8-9.
void IndexSet::push(Run run) {
  if (run.first == run.last) run.step = 1;
  count_ += run.count();
  if (runs_.empty()) return runs_.push_back(run);
  Run& last = runs_.back();
  bool last_alone = last.first == last.last, alone = run.first == run.last;
  std::uint32_t gap = run.first - last.last;
  if (!last_alone && gap == last.step && (alone || run.step == last.step)) {
    last.last = run.last;
  } else if (last_alone && (alone ? gap == 1 : gap == run.step)) {
    last.step = gap;
    last.last = run.last;
  } else if (last_alone && alone && runs_.size() > 1 && std::prev(runs_.end(), 2)->count() == 1 &&
             last.first - std::prev(runs_.end(), 2)->first == gap) {
    runs_.pop_back();
    runs_.back().step = gap;
    runs_.back().last = run.last;
  } else {
    runs_.push_back(run);
  }
}

bool IndexSet::operator==(const IndexSet& other) const {
  if (count_ != other.count_) return false;
  if (empty()) return true;
  Run a = runs_.front(), b = other.runs_.front();
  std::size_t i = 0, j = 0;
  for (std::uint32_t left = count_; left > 0;) {
    if (a.first != b.first) return false;
    std::uint32_t same = a.step == b.step ? std::min(a.count(), b.count()) : 1;
    left -= same;
    if (left == 0) return true;
    a.count() == same ? void(a = runs_[++i]) : void(a.first += same * a.step);
    b.count() == same ? void(b = other.runs_[++j]) : void(b.first += same * b.step);
  }
  return true;
}

bool IndexSet::contains(std::uint32_t index) const {
  auto run = std::ranges::lower_bound(runs_, index, {}, &Run::last);
  return run != runs_.end() && run->holds(index);
}

std::optional<std::uint32_t> IndexSet::first() const {
  if (empty()) return std::nullopt;
  return min();
}

IndexSet IndexSet::intersected(const IndexSet& other) const {
  IndexSet set;
  for (auto a = runs_.begin(), b = other.runs_.begin();
       a != runs_.end() && b != other.runs_.end();) {
    if (auto run = shared(*a, *b)) set.push(*run);
    a->last < b->last ? ++a : ++b;
  }
  return set;
}

IndexSet IndexSet::minus(const IndexSet& other) const {
  IndexSet set;
  for (const Run& run : runs_) {
    if (other.empty() || run.last < other.min() || run.first > other.max()) {
      set.push(run);
      continue;
    }
    for (std::uint32_t index = run.first; index <= run.last; index += run.step)
      if (!other.contains(index)) set.push({index, index, 1});
  }
  return set;
}

std::string IndexSet::str(std::size_t max_chars) const {
  std::string out;
  for (const Run& run : runs_) {
    if (!out.empty()) out += ',';
    if (run.first == run.last)
      out += std::to_string(run.first);
    else if (run.step == 1)
      out += fmt::format("{}-{}", run.first, run.last);
    else if (run.count() == 2)
      out += fmt::format("{},{}", run.first, run.last);
    else
      out += fmt::format("{}-{}:{}", run.first, run.last, run.step);
    if (out.size() <= max_chars) continue;
    // The text up to the last comma that leaves room for the dots.
    auto comma = max_chars < 4 ? std::string::npos : out.rfind(',', max_chars - 4);
    out.resize(comma == std::string::npos ? 0 : comma + 1);
    return out + "...";
  }
  return out;
}

bool IndexSet::insert(std::uint32_t index) {
  if (contains(index) || index > kArrayIndexMax) return false;
  IndexSet set;
  bool done = false;
  for (const Run& run : runs_) {
    if (done || run.last < index) {
      set.push(run);
      continue;
    }
    done = true;
    std::uint32_t next = run.first;  // the first index of the run above the new one
    if (run.first < index) {
      next = run.first + ((index - run.first) / run.step + 1) * run.step;
      set.push({run.first, next - run.step, run.step});
    }
    set.push({index, index, 1});
    set.push({next, run.last, run.step});
  }
  if (!done) set.push({index, index, 1});
  *this = std::move(set);
  return true;
}

bool IndexSet::erase(std::uint32_t index) {
  auto run = std::ranges::lower_bound(runs_, index, {}, &Run::last);
  if (run == runs_.end() || !run->holds(index)) return false;
  --count_;
  auto piece = [&](std::uint32_t first, std::uint32_t last) {
    return Run{first, last, first == last ? 1 : run->step};
  };
  if (run->first == run->last) {
    runs_.erase(run);
  } else if (index == run->first) {
    *run = piece(index + run->step, run->last);
  } else if (index == run->last) {
    *run = piece(run->first, index - run->step);
  } else {
    Run before = piece(run->first, index - run->step);
    *run = piece(index + run->step, run->last);
    runs_.insert(run, before);
  }
  return true;
}

std::optional<std::uint32_t> IndexSet::pop_front() {
  auto index = first();
  if (index) erase(*index);
  return index;
}

Result<ArrayExpression> ArrayExpression::parse(std::string_view text) {
  auto percent = text.find('%');
  ArrayExpression expression;
  if (percent != std::string_view::npos) {
    auto limit = parse_unsigned<std::uint32_t>(text.substr(percent + 1));
    if (!limit)
      return invalid(fmt::format("\"{}\" is no number of running tasks",
                                 printable(text.substr(percent + 1), 64)));
    expression.max_running = *limit;
  }
  auto indices = IndexSet::parse(text.substr(0, percent));
  if (!indices) return std::unexpected(indices.error());
  expression.indices = std::move(*indices);
  return expression;
}

std::string ArrayExpression::str(std::size_t max_chars) const {
  std::string out = indices.str(max_chars);
  if (max_running > 0) out += fmt::format("%{}", max_running);
  return out;
}

}  // namespace ym
