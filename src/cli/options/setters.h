// SPDX-License-Identifier: Apache-2.0
// Setters that many rows of the option table share.
#pragma once
#include <initializer_list>

#include "base/format.h"
#include "base/text.h"
#include "cli/options/job_options.h"

namespace ym::cli {

// The value that a pointer to a member of JobOptions, its spec or its extras stands for.
template <class T>
T& member_of(JobOptions& options, T JobOptions::* member) {
  return options.*member;
}
template <class T>
T& member_of(JobOptions& options, T JobSpec::* member) {
  return options.spec.*member;
}
template <class T>
T& member_of(JobOptions& options, T JobExtras::* member) {
  return options.extras.*member;
}
template <class T>
T& member_of(JobOptions& options, T JobSpecials::* member) {
  return options.specials.*member;
}

template <auto Member>
Status set_text(JobOptions& options, std::string_view value) {
  member_of(options, Member) = std::string(value);
  return {};
}

template <auto Member, bool Value = true>
Status set_flag(JobOptions& options, std::string_view) {
  member_of(options, Member) = Value;
  return {};
}

inline std::unexpected<Error> bad_number() { return fail(kBadNumber, "not a number that fits"); }

// A count from 1 on.
template <auto Member>
Status set_count(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0 || *number >= 0x7fffffff) return bad_number();
  member_of(options, Member) = *number;
  return {};
}

// The word that `value` is, in any case of letters; an error with what was perhaps meant otherwise.
inline Result<std::string_view> one_of(std::string_view value,
                                       std::initializer_list<std::string_view> words) {
  for (std::string_view word : words)
    if (same_ignoring_case(value, word)) return word;
  std::string_view meant = nearest(to_lower(value), words);
  if (!meant.empty()) return fail(fmt::format("did you mean '{}'?", meant));
  std::string text;
  for (std::string_view word : words) text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  return fail(fmt::format("use one of: {}", text));
}

// Taken, because scripts have it; there is nothing for it to change yet.
inline Status accept(JobOptions&, std::string_view) { return {}; }

}  // namespace ym::cli
