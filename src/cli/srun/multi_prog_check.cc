// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/multi_prog_check.h"

#include <optional>
#include <vector>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

struct Span {
  std::uint32_t first = 0, last = 0;
};

// "4" and "1-3"
std::optional<Span> span_of(std::string_view part) {
  std::size_t dash = part.find('-');
  auto first = parse_unsigned<std::uint32_t>(part.substr(0, dash));
  auto last =
      dash == std::string_view::npos ? first : parse_unsigned<std::uint32_t>(part.substr(dash + 1));
  if (!first || !last || *last < *first) return std::nullopt;
  return Span{*first, *last};
}

// The tasks that have a program.
class Covered {
 public:
  explicit Covered(std::uint32_t tasks) : seen_(tasks) {}

  Status add(std::string_view ranks) {
    if (ranks == "*") {
      seen_.assign(seen_.size(), true);
      return {};
    }
    for (std::string_view part : split_words(ranks, ',')) {
      auto span = span_of(part);
      if (!span)
        return fail(fmt::format("Invalid task range specification ({})", printable(ranks)));
      if (seen_.empty()) continue;
      if (span->last >= seen_.size())
        return fail(fmt::format("Invalid task id, {} >= ntasks", span->last));
      for (std::uint32_t task = span->first; task <= span->last; ++task) {
        if (seen_[task]) return fail(fmt::format("Duplicate record for task {}", task));
        seen_[task] = true;
      }
    }
    return {};
  }

  std::optional<std::size_t> missing() const {
    for (std::size_t task = 0; task < seen_.size(); ++task)
      if (!seen_[task]) return task;
    return std::nullopt;
  }

 private:
  std::vector<bool> seen_;
};

}  // namespace

Status check_multi_prog(std::string_view text, std::string_view file, std::uint32_t tasks) {
  Covered covered(tasks);
  bool goes_on = false;  // the line before ended in a backslash
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    bool continued = goes_on;
    goes_on = line.ends_with('\\');
    line = trim(line);
    if (continued || line.empty() || line.front() == '#') continue;
    std::size_t blank = line.find_first_of(" \t");
    Status fine = covered.add(line.substr(0, blank));
    std::string why = fine ? "" : fine.error().text + "\n";
    if (!fine || blank == std::string_view::npos)
      return fail(fmt::format("{}Line {} of configuration file {} invalid", why, number, file));
  }
  if (auto task = covered.missing())
    return fail(
        fmt::format("Configuration file {} invalid, no record for task id {}", file, *task));
  return {};
}

}  // namespace ym::cli
