// SPDX-License-Identifier: Apache-2.0
// Job arrays: `--array=1-100:4%10`, and the sets of indices that are left of them.
//
// Sets are kept as arithmetic runs, never as single indices: 0-4000000:2 costs one run.
// Invariant: runs are sorted and their spans (first to last) do not overlap; a run of one index has
// step 1.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

// The largest index any array may have. A site's MaxArraySize is checked by the controller.
inline constexpr std::uint32_t kArrayIndexMax = 4'000'001;

class IndexSet {
 public:
  static constexpr std::size_t kTextMax = 4 << 20;
  // Runs a text may come to. A set of no more runs prints within kTextMax, so it can be read again.
  static constexpr std::size_t kRunsMax = 200'000;
  // Indices looked at one by one, where stepped ranges of one text overlap.
  static constexpr std::uint64_t kOverlapMax = 16'000'000;

  struct Run {
    std::uint32_t first = 0, last = 0, step = 1;  // last is part of it
    std::uint32_t count() const { return (last - first) / step + 1; }
    bool holds(std::uint32_t index) const {
      return first <= index && index <= last && (index - first) % step == 0;
    }
  };

  IndexSet() = default;
  // "0,3,7-9,20-40:5", in any order, overlapping or not. An empty text is an error.
  static Result<IndexSet> parse(std::string_view text);
  // REQUIRES: first <= last <= kArrayIndexMax, step > 0.
  static IndexSet range(std::uint32_t first, std::uint32_t last, std::uint32_t step = 1);

  // Whether the indices are the same, however they are cut into runs. O(runs).
  bool operator==(const IndexSet& other) const;
  bool empty() const { return runs_.empty(); }
  std::uint32_t count() const { return count_; }
  const std::vector<Run>& runs() const { return runs_; }
  bool contains(std::uint32_t index) const;  // O(log runs)
  // REQUIRES: !empty().
  std::uint32_t min() const { return runs_.front().first; }
  std::uint32_t max() const { return runs_.back().last; }
  std::optional<std::uint32_t> first() const;
  IndexSet intersected(const IndexSet& other) const;
  // O(indices of this set that lie within other's span).
  IndexSet minus(const IndexSet& other) const;
  // Longer texts than `max_chars` are cut after a comma and end in "...".
  std::string str(std::size_t max_chars = std::numeric_limits<std::size_t>::max()) const;

  // Both O(runs) at worst; true if the set changed.
  bool insert(std::uint32_t index);
  bool erase(std::uint32_t index);
  std::optional<std::uint32_t> pop_front();

  // Calls visit(std::uint32_t) in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Run& run : runs_)
      for (std::uint32_t index = run.first; index <= run.last; index += run.step) visit(index);
  }

 private:
  static Result<IndexSet> combine(std::vector<Run> runs);
  void push(Run run);

  std::vector<Run> runs_;
  std::uint32_t count_ = 0;
};

struct ArrayExpression {
  // squeue cuts the list of pending indices after this many characters.
  static constexpr std::size_t kShownMax = 64;

  IndexSet indices;
  std::uint32_t max_running = 0;  // 0: no limit

  bool operator==(const ArrayExpression&) const = default;
  // "1-100:4%10"
  static Result<ArrayExpression> parse(std::string_view text);
  // "1-3,7%10", and "1,3,5,...%10" if the indices take more than max_chars.
  std::string str(std::size_t max_chars = std::numeric_limits<std::size_t>::max()) const;
};

}  // namespace ym
