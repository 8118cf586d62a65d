// SPDX-License-Identifier: Apache-2.0
#include "cli/common/format_fields.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads '#', '.' and digits.
void take_width(std::string_view text, std::size_t& at, FormatField& field) {
  for (; at < text.size() && (text[at] == '#' || text[at] == '.'); ++at) {
    if (text[at] == '#') field.widest = true;
    if (text[at] == '.') field.right = true;
  }
  for (; at < text.size() && is_digit(text[at]); ++at)
    field.width =
        std::min(kFieldWidthMax, field.width * 10 + static_cast<std::uint32_t>(text[at] - '0'));
}

// How many characters a terminal shows: bytes that do not continue a UTF-8 sequence.
std::size_t shown_length(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string_view cut(std::string_view text, std::size_t length) {
  std::size_t at = 0, shown = 0;
  while (at < text.size()) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && shown++ == length) break;
    ++at;
  }
  return text.substr(0, at);
}

}  // namespace

Result<std::vector<FormatField>> parse_short_format(std::string_view format) {
  std::vector<FormatField> out;
  std::string literal;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      literal += format[at++];
      continue;
    }
    std::size_t begin = at;
    if (++at < format.size() && format[at] == '%') {
      literal += '%';
      ++at;
      continue;
    }
    FormatField field{.before = std::move(literal)};
    literal.clear();
    take_width(format, at, field);
    if (at == format.size()) {
      literal = std::move(field.before);  // a lone % at the end is nothing
      break;
    }
    std::size_t length = format.substr(at).starts_with("all") ? 3 : 1;
    field.name = format.substr(at, length);
    at += length;
    field.raw = format.substr(begin, at - begin);
    out.push_back(std::move(field));
    if (out.size() > kFormatFieldsMax) return fail("Invalid format specification: too many fields");
  }
  if (out.empty())
    out.push_back({.before = std::move(literal)});
  else
    out.back().after = std::move(literal);
  return out;
}

Result<std::vector<FormatField>> parse_long_format(std::string_view format) {
  std::vector<FormatField> out;
  for (std::string_view word : split(format, ',')) {
    FormatField field;
    auto colon = word.find(':');
    field.raw = trim(word.substr(0, colon));
    field.name = to_lower(field.raw);
    if (field.name.empty()) continue;
    if (colon == std::string_view::npos) {
      field.width = 20;
    } else {
      std::size_t at = colon + 1;
      take_width(word, at, field);
      field.after = word.substr(at);
    }
    out.push_back(std::move(field));
    if (out.size() > kFormatFieldsMax) return fail("Invalid format specification: too many fields");
  }
  return out;
}

std::string cut_before_star(std::string value, std::uint32_t width) {
  if (width == 0 || value.size() <= width || !value.ends_with('*')) return value;
  return std::string(cut(value, width - 1)) + "*";
}

void append_field(std::string& out, const FormatField& field, std::string_view value) {
  out += field.before;
  if (field.width == 0) {
    out += value;
  } else {
    std::string_view shown = cut(value, field.width);
    std::size_t padding = field.width - std::min<std::size_t>(field.width, shown_length(shown));
    if (field.right) out.append(padding, ' ');
    out += shown;
    if (!field.right) out.append(padding, ' ');
  }
  out += field.after;
}

void append_span(std::string& out, FormatField field, std::string_view value) {
  bool words = value.empty() || value[0] < '0' || value[0] > '9';
  if (!words && field.width != 0)
    field.width = std::max(field.width, static_cast<std::uint32_t>(value.size()));
  append_field(out, field, value);
}

std::string unknown_column(std::string_view noun, const FormatField& field,
                           const std::vector<std::string_view>& names) {
  std::string_view meant = names.empty() ? "" : nearest(field.name, names);
  return fmt::format("Invalid {} format specification: {}{}", noun,
                     printable(names.empty() ? field.name : field.raw),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

Result<std::vector<SortWord>> parse_sort_words(std::string_view text) {
  std::vector<SortWord> out;
  for (std::string_view word : split_words(text, ',')) {
    SortWord key;
    if (word[0] == '-' || word[0] == '+') {
      key.descending = word[0] == '-';
      word.remove_prefix(1);
    }
    if (word.starts_with('#')) {
      key.by_position = true;
      word.remove_prefix(1);
      if (word.starts_with('-')) {
        key.descending = true;
        word.remove_prefix(1);
      }
    }
    if (word.empty()) return fail("Invalid sort specification: a sign without a field");
    key.name = word.size() == 1 ? std::string(word) : to_lower(word);
    out.push_back(std::move(key));
    if (out.size() > kFormatFieldsMax) return fail("Invalid sort specification: too many fields");
  }
  return out;
}

}  // namespace ym::cli
