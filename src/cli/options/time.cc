// SPDX-License-Identifier: Apache-2.0
// How long the job may take, and when it may begin.
#include "cli/common/signals.h"
#include "cli/options/setters.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

template <auto Member>
Status set_limit(JobOptions& options, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit) return std::unexpected(limit.error());
  bool unlimited =
      limit->unlimited || limit->span.count() == 0 || limit->span.count() >= JobSpec::kUnlimited;
  member_of(options, Member) =
      unlimited ? JobSpec::kUnlimited : static_cast<std::uint32_t>(limit->minutes() * 60);
  return {};
}

// [B:|R:]SIGNAL[@SECONDS]
Status set_signal(JobOptions& options, std::string_view value) {
  bool batch_only = false;
  if (auto colon = value.find(':'); colon != std::string_view::npos) {
    for (char c : value.substr(0, colon)) {
      if (lower(c) != 'b' && lower(c) != 'r')
        return fail("only B and R may stand before the colon");
      batch_only = batch_only || lower(c) == 'b';
    }
    value.remove_prefix(colon + 1);
  }
  std::uint32_t before = 60;
  if (auto at = value.find('@'); at != std::string_view::npos) {
    auto seconds = parse_unsigned<std::uint16_t>(value.substr(at + 1));
    if (!seconds) return fail("not a number of seconds after @");
    before = *seconds;
    value = value.substr(0, at);
  }
  auto signal = parse_signal(value);
  if (!signal || *signal == 0) return fail("no such signal");
  options.extras.signal = *signal;
  options.extras.signal_before_s = before;
  options.extras.signal_batch_only = batch_only;
  return {};
}

}  // namespace

void add_time_options(std::vector<JobOption>& table) {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "time",
                           .letter = 't',
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "Limit: minutes, [days-]hours:minutes:seconds",
                           .variable = "TIMELIMIT"},
                  .set = set_limit<&JobSpec::time_limit_s>}},
      {.option = {.info = {.name = "time-min",
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "The limit may be lowered to this, to begin sooner"},
                  .set = set_limit<&JobSpec::time_min_s>}},
      {.option = {.info = {.name = "begin",
                           .letter = 'b',
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "Not before then: 16:00, now+1hour, 2026-01-20T12:34:00"},
                  .set = set_text<&JobOptions::begin>}},
      {.option = {.info = {.name = "deadline",
                           .takes = Takes::Value,
                           .argument = "TIME",
                           .help = "Give the job up if it cannot end by then"},
                  .set = set_text<&JobOptions::deadline>}},
      {.option = {.info = {.name = "signal",
                           .takes = Takes::Value,
                           .argument = "[B:]SIG[@SECONDS]",
                           .help = "Send a signal before the time is up",
                           .variable = "SIGNAL"},
                  .set = set_signal}},
  };
  table.insert(table.end(), std::begin(kRows), std::end(kRows));
}

}  // namespace ym::cli
