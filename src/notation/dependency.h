// SPDX-License-Identifier: Apache-2.0
// What a job waits for: afterok:12:13,afterany:14 (all of them) or afterok:12?afternotok:13 (any of
// them).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

struct Dependency {
  static constexpr std::size_t kTermsMax = 1024;

  enum class Kind : std::uint8_t {
    After,             // the job began (or was cancelled), perhaps some minutes ago
    AfterAny,          // it ended
    AfterBurstBuffer,  // it ended, and its data is staged out
    AfterCorr,         // the task of the same index succeeded
    AfterNotOk,        // it failed
    AfterOk,           // it succeeded
    Expand,            // this job's resources are to be given to it
    Singleton,         // no other job of the same name and user is left; names no job
  };

  struct Term {
    Kind kind = Kind::AfterOk;
    std::uint32_t job = 0;              // 0 for Singleton only
    std::optional<std::uint32_t> task;  // 12_3
    bool whole_array = false;           // 12_*
    std::uint32_t delay_minutes = 0;    // after:12+5; behind its end where that is waited for
    bool failed = false;                // can never be: "afterok:12(failed)"
    bool operator==(const Term&) const = default;
  };

  bool any = false;  // one term is enough. False if there are fewer than two terms.
  std::vector<Term> terms;

  bool operator==(const Dependency&) const = default;
  bool empty() const { return terms.empty(); }
  // The empty text is no dependency. A lone job id means afterany, as of old. ',' and '?' do not
  // mix.
  static Result<Dependency> parse(std::string_view text);
  // One job in each term: "afterok:12,afterok:13". Those that failed say so.
  std::string str() const;
  // As squeue shows it, the state behind each: "afterok:12(unfulfilled),afterok:13(failed)".
  std::string shown() const;
};

std::string_view name_of(Dependency::Kind kind);

}  // namespace ym
