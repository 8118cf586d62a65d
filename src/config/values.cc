// SPDX-License-Identifier: Apache-2.0
#include "config/values.h"

#include <array>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "notation/time_limit.h"

namespace ym {
namespace {

constexpr std::array<std::string_view, 10> kDebugLevels = {
    "quiet", "fatal", "error", "info", "verbose", "debug", "debug2", "debug3", "debug4", "debug5"};

struct Range {
  std::uint64_t low = 0, high = 0;
};

Range range_of(const KeyInfo& key) {
  auto parts = split(key.note, '-');
  YM_CHECK(parts.size() == 2);
  return {*parse_u64(parts[0]), *parse_u64(parts[1])};
}

std::unexpected<Error> wrong(std::string_view text, std::string_view right) {
  return fail(fmt::format("'{}' is not {}", printable(text, 64), right));
}

Result<Value> parse_number(const KeyInfo& key, std::string_view text) {
  Range range = range_of(key);
  auto number = parse_u64(text);
  if (!number || *number < range.low || *number > range.high)
    return wrong(text, fmt::format("a number from {} to {}", range.low, range.high));
  return Value{.text = fmt::format("{}", *number), .number = *number};
}

Result<Value> parse_yes_no(std::string_view text) {
  for (std::string_view yes : {"yes", "true", "up", "1"})
    if (same_ignoring_case(text, yes)) return Value{.text = "Yes", .number = 1};
  for (std::string_view no : {"no", "false", "down", "0"})
    if (same_ignoring_case(text, no)) return Value{.text = "No", .number = 0};
  return wrong(text, "YES or NO");
}

std::string_view choice_of(const KeyInfo& key, std::string_view text) {
  for (std::string_view word : split(key.note, '|'))
    if (same_ignoring_case(word, text)) return word;
  return "";
}

std::string choices_text(const KeyInfo& key) {
  std::string out;
  for (std::string_view word : split(key.note, '|'))
    out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

Result<Value> parse_choices(const KeyInfo& key, std::string_view text) {
  Value value;
  for (std::string_view part : split_words(text, ',')) {
    std::string_view word = choice_of(key, part);
    if (word.empty()) return wrong(part, "one of " + choices_text(key));
    value.text += (value.text.empty() ? "" : ",") + std::string(word);
    if (key.type == KeyType::Choice && value.text != word)
      return wrong(text, "one of " + choices_text(key));
  }
  if (value.text.empty()) return wrong(text, "one of " + choices_text(key));
  return value;
}

Result<Value> parse_time(std::string_view text) {
  auto limit = parse_time_limit(text);
  if (!limit || limit->span.count() >= kConfigUnlimited)
    return wrong(text, "a time such as 30, 12:00:00, 7-00:00:00 or UNLIMITED");
  if (limit->unlimited)
    return Value{.text = "UNLIMITED", .number = kConfigUnlimited, .unlimited = true};
  return Value{.text = print_time_limit_long(*limit),
               .number = static_cast<std::uint64_t>(limit->span.count())};
}

Result<Value> parse_ports(std::string_view text) {
  auto ends = split(text, '-');
  if (ends.size() > 2) return wrong(text, "a port or a range of ports");
  auto low = parse_unsigned<std::uint16_t>(ends.front()),
       high = parse_unsigned<std::uint16_t>(ends.back());
  if (!low || !high || *low == 0 || *high < *low)
    return wrong(text, "a port such as 6817 or a range such as 6817-6820");
  return Value{.text = std::string(text), .number = *low};
}

}  // namespace

bool is_unlimited(std::string_view text) {
  return same_ignoring_case(text, "UNLIMITED") || same_ignoring_case(text, "INFINITE") ||
         text == "-1";
}

std::string_view debug_level(std::string_view text) {
  if (text.size() == 1 && text[0] >= '0' && text[0] <= '9')
    return kDebugLevels[static_cast<std::size_t>(text[0] - '0')];
  for (std::string_view level : kDebugLevels)
    if (same_ignoring_case(level, text)) return level;
  return "";
}

Result<Value> parse_value(const KeyInfo& key, std::string_view text) {
  switch (key.type) {
    case KeyType::Text:
    case KeyType::Path: return Value{.text = std::string(text)};
    case KeyType::Limit:
      if (is_unlimited(text))
        return Value{.text = "UNLIMITED", .number = kConfigUnlimited, .unlimited = true};
      return parse_number(key, text);
    case KeyType::Number: return parse_number(key, text);
    case KeyType::YesNo: return parse_yes_no(text);
    case KeyType::Choice:
    case KeyType::Choices: return parse_choices(key, text);
    case KeyType::Time: return parse_time(text);
    case KeyType::Ports: return parse_ports(text);
    case KeyType::Debug: break;
  }
  std::string_view level = debug_level(text);
  if (level.empty())
    return wrong(text,
                 "a level from quiet, fatal, error, info, verbose, debug to debug5, or 0 to 9");
  return Value{.text = std::string(level)};
}

std::string shown_value(const KeyInfo& key, const Value& value) {
  bool number = key.type == KeyType::Number || key.type == KeyType::Limit;
  if (value.unlimited && key.shown_default == "INFINITE") return "INFINITE";
  if (!number || value.unlimited) return value.text.empty() ? "(null)" : value.text;
  std::size_t blank = key.shown_default.find(' ');
  if (key.shown_default == "No") return value.number ? "Yes" : "No";
  if (blank == std::string_view::npos) return value.text;
  return value.text + std::string(key.shown_default.substr(blank));
}

std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view host_name) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
    if (next == 'n')
      out += node_name;
    else if (next == 'h')
      out += host_name;
    else if (next == '%')
      out += '%';
    else {
      out += path[i];
      continue;
    }
    ++i;
  }
  return out;
}

}  // namespace ym
