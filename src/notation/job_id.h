// SPDX-License-Identifier: Apache-2.0
// Jobs, tasks and steps as users name them: 7, 7_3, 7_[4-9%2], 7_*, 7+1, 7.0, 7.batch, 7_3.0, and
// SLUIDs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "notation/array.h"

namespace ym {

struct StepRef {
  enum class Kind : std::uint8_t { Number, Batch, Extern, Interactive };
  Kind kind = Kind::Number;
  std::uint32_t number = 0;  // 0 unless kind is Number

  bool operator==(const StepRef&) const = default;
  static Result<StepRef> parse(std::string_view text);
  std::string str() const;
};

// Invariant: exactly one of job and sluid is not 0; at most one of task, tasks, whole_array and
// component is given, and none with a sluid.
struct JobRef {
  static constexpr std::size_t kListMax = 65'536;

  std::uint32_t job = 0;
  std::uint64_t sluid = 0;                 // a job's number among all clusters
  std::optional<std::uint32_t> task;       // 7_3
  std::optional<ArrayExpression> tasks;    // 7_[4-9%2]
  bool whole_array = false;                // 7_*
  std::optional<std::uint32_t> component;  // 7+1, of a heterogeneous job
  std::optional<StepRef> step;             // 7.0

  bool operator==(const JobRef&) const = default;
  static Result<JobRef> parse(std::string_view text);
  // "7,8_[1,2],9": commas within brackets do not separate. Empty parts are skipped.
  static Result<std::vector<JobRef>> parse_list(std::string_view text);
  // parse(str()) gives the same reference.
  std::string str() const;
};

// 's' and 13 base-32 digits (0-9 and A-Z without I, L, O, U), the most significant first. Any case
// is read.
std::string encode_sluid(std::uint64_t value);
Result<std::uint64_t> decode_sluid(std::string_view text);

}  // namespace ym
