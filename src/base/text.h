// SPDX-License-Identifier: Apache-2.0
// Small questions about text, asked everywhere. ASCII only: names and keys of this project are.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ym {

// Without leading and trailing blanks, tabs, carriage returns and newlines.
std::string_view trim(std::string_view text);
// "a,b,,c" gives a, b, "", c; the empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
// The same without empty parts, each trimmed.
std::vector<std::string_view> split_words(std::string_view text, char separator);

char lower(char c);
std::string to_lower(std::string_view text);
std::string to_upper(std::string_view text);
bool same_ignoring_case(std::string_view a, std::string_view b);
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);

// The whole of `text` as a decimal number; nothing if it is empty, has anything else in it, or does
// not fit.
std::optional<std::uint64_t> parse_u64(std::string_view text);
std::optional<std::int64_t> parse_i64(std::string_view text);
template <std::unsigned_integral T>
std::optional<T> parse_unsigned(std::string_view text) {
  auto wide = parse_u64(text);
  if (!wide || *wide > static_cast<T>(-1)) return std::nullopt;
  return static_cast<T>(*wide);
}

// "a, b and c" style joining is left to callers; this is the plain one.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Text safe to show on a terminal or in a log: control characters and broken UTF-8 become \xNN.
std::string printable(std::string_view text, std::size_t max = 256);

// Of `candidates` the one a typist most likely meant by `word`: at most a third of its letters
// wrong.
// "" if none is near. O(candidates × length²), for error messages only.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace ym
