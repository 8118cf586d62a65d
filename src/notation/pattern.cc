// SPDX-License-Identifier: Apache-2.0
#include "notation/pattern.h"

#include <algorithm>

#include "base/format.h"

namespace ym {
namespace {

constexpr unsigned kWidthMax = 10;
constexpr std::uint32_t kNoTask = 0xfffffffe;

bool switched_off(std::string_view pattern) { return pattern.find('\\') != std::string_view::npos; }

std::string without_backslashes(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && ++i == pattern.size()) break;
    out += pattern[i];
  }
  return out;
}

// A '%' and what belongs to it. `letter` is 0 if nothing follows the digits.
struct Field {
  std::size_t length = 1;  // of the text
  unsigned width = 0;
  char letter = 0;
};

// REQUIRES: text begins with '%'.
Field field_at(std::string_view text) {
  Field field;
  for (; field.length < text.size(); ++field.length) {
    char c = text[field.length];
    if (c < '0' || c > '9') {
      field.letter = c;
      ++field.length;
      return field;
    }
    field.width = std::min(field.width * 10 + static_cast<unsigned>(c - '0'), kWidthMax);
  }
  return field;
}

std::optional<std::string> value_of(const Field& field, const PatternValues& values) {
  auto number = [&](std::uint32_t n) { return fmt::format("{:0{}}", n, field.width); };
  bool numbered = values.step.kind == StepRef::Kind::Number;
  switch (field.letter) {
    case '%': return "%";
    case 'A': return number(values.array_job != 0 ? values.array_job : values.job);
    case 'a': return number(values.task.value_or(kNoTask));
    case 'b': return number(values.task.value_or(kNoTask) % 10);
    case 'j': return number(values.job);
    case 'J': return number(values.job) + (numbered ? "." + values.step.str() : "");
    case 'N': return values.node;
    case 'n': return number(values.node_number);
    case 'r': return number(values.restarts);
    case 'S': return values.sluid;
    case 's': return numbered ? number(values.step.number) : values.step.str();
    case 't': return number(values.rank);
    case 'u': return values.user;
    case 'x': return values.job_name;
    default: return std::nullopt;
  }
}

}  // namespace

std::string expand(std::string_view pattern, const PatternValues& values) {
  if (switched_off(pattern)) return without_backslashes(pattern);
  std::string out;
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern[i] != '%') {
      out += pattern[i++];
      continue;
    }
    Field field = field_at(pattern.substr(i));
    if (auto value = value_of(field, values))
      out += *value;
    else
      out += pattern.substr(i, field.length);
    i += field.length;
  }
  return out;
}

PatternScope scope_of(std::string_view pattern) {
  PatternScope scope = PatternScope::Step;
  if (switched_off(pattern)) return scope;
  for (std::size_t i = 0; i < pattern.size();) {
    Field field;
    if (pattern[i] == '%') field = field_at(pattern.substr(i));
    if (field.letter == 't') return PatternScope::Task;
    if (field.letter == 'n' || field.letter == 'N') scope = PatternScope::Node;
    i += field.length;
  }
  return scope;
}

}  // namespace ym
