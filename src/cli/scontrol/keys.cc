// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/keys.h"

#include "base/format.h"
#include "base/text.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

constexpr std::size_t kShortestKey = 3;  // fewer letters shorten nothing
constexpr std::uint32_t kUnlimited = 0xffffffff;

}  // namespace

std::vector<KeyInfo> keys_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::Job: return job_key_infos();
    case KeyKind::Step:
      return {{"StepId", "", "JOB[.STEP]", "Which step; all of the job's without a number"},
              {"TimeLimit", "", "[+|-]TIME", "How long it may run"}};
    case KeyKind::Node: return node_key_infos();
    case KeyKind::NewNode:
      return {{"NodeName", "", "NODES", "What the nodes are called"},
              {"State", "", "CLOUD|FUTURE|EXTERNAL", "What they are"},
              {"CPUs", "", "COUNT", "And every other key of a NodeName line of slurm.conf"}};
    case KeyKind::Partition: return partition_key_infos();
    case KeyKind::Reservation: return reservation_key_infos();
  }
  return {};
}

bool is_key(std::string_view word, std::string_view name, std::string_view alias) {
  return same_ignoring_case(word, name) || (!alias.empty() && same_ignoring_case(word, alias));
}

bool names_key(std::string_view word, std::string_view name, std::string_view alias) {
  if (is_key(word, name, alias)) return true;
  return word.size() >= kShortestKey &&
         (starts_with_ignoring_case(name, word) ||
          (!alias.empty() && starts_with_ignoring_case(alias, word)));
}

Error not_supported(const Assignment& one, KeyKind kind) {
  std::vector<std::string> names;
  for (const KeyInfo& key : keys_of(kind)) names.push_back(to_upper(key.name));
  std::vector<std::string_view> views(names.begin(), names.end());
  std::string_view close = nearest(to_upper(one.key), views);
  std::string meant;
  for (const KeyInfo& key : keys_of(kind))
    if (!close.empty() && to_upper(key.name) == close)
      meant = fmt::format("; did you mean {}?", key.name);
  std::string sign = one.sign == '=' ? "" : std::string(1, one.sign);
  return {.code = 0,
          .text = fmt::format("Update of this parameter is not supported: {}{}={}{}",
                              printable(one.key), sign, printable(one.value), meant)};
}

Result<std::uint32_t> seconds_of(std::string_view text) {
  auto limit = parse_time_limit(text);
  if (!limit) return std::unexpected(limit.error());
  if (limit->unlimited) return kUnlimited;
  std::int64_t seconds = limit->minutes() * 60;
  if (seconds < 0 || seconds >= kUnlimited) return fail("too long a time");
  return static_cast<std::uint32_t>(seconds);
}

Result<std::uint32_t> number_of(std::string_view text) {
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number) return fail(fmt::format("'{}' is not a number", printable(text)));
  return *number;
}

Result<std::uint32_t> count_of(std::string_view text) {
  if (same_ignoring_case(text, "UNLIMITED") || same_ignoring_case(text, "INFINITE"))
    return kUnlimited;
  return number_of(text);
}

std::optional<bool> truth_of(std::string_view text) {
  if (same_ignoring_case(text, "yes") || text == "1") return true;
  if (same_ignoring_case(text, "no") || text == "0") return false;
  return std::nullopt;
}

}  // namespace ym::cli
