// SPDX-License-Identifier: Apache-2.0
// Tables as the accounting commands print them: fields by name, each with a width of its own,
// dashes under the heading; or values with bars between.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "base/text.h"

namespace ym::cli {

template <class Row>
struct NamedField {
  const char* name;
  std::uint32_t width;
  std::string (*extract)(const Row& row);
  bool left = false;
};

struct TableLook {
  bool header = true;
  bool bars = false, last_bar = false;  // -P and -p
  std::string delimiter = "|";
};

template <class Row>
struct ChosenField {
  const NamedField<Row>* field = nullptr;
  std::uint32_t width = 0;
  bool left = false;
};

inline constexpr std::uint32_t kNamedWidthMax = 1000;
inline constexpr std::size_t kNamedFieldsMax = 1000;

// "JobID,MaxRSS%-20": names in any case, each perhaps with a width; a negative one is
// left-justified. A name may be cut short where it is still clear (`unique_prefix`).
template <class Row>
Result<std::vector<ChosenField<Row>>> choose_fields(std::string_view text,
                                                    const std::vector<NamedField<Row>>& table) {
  std::vector<ChosenField<Row>> out;
  for (std::string_view word : split_words(text, ',')) {
    auto percent = word.find('%');
    std::string_view name = word.substr(0, percent);
    if (same_ignoring_case(name, "ALL")) {
      for (const NamedField<Row>& field : table)
        out.push_back({.field = &field, .width = field.width, .left = field.left});
      continue;
    }
    ChosenField<Row> one;
    for (const NamedField<Row>& field : table)
      if (same_ignoring_case(field.name, name)) one.field = &field;
    if (!one.field) {
      std::vector<std::string_view> names;
      for (const NamedField<Row>& field : table) names.push_back(field.name);
      std::string_view meant = nearest(name, names);
      return fail(fmt::format("Invalid field requested: \"{}\"{}", printable(name),
                              meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
    }
    one.width = one.field->width;
    one.left = one.field->left;
    if (percent != word.npos) {
      std::string_view width = word.substr(percent + 1);
      one.left = width.starts_with('-');
      if (one.left) width.remove_prefix(1);
      auto number = parse_unsigned<std::uint32_t>(width);
      if (!number || *number > kNamedWidthMax)
        return fail(fmt::format("Invalid width of a field: \"{}\"", printable(word)));
      one.width = *number;
    }
    out.push_back(one);
    if (out.size() > kNamedFieldsMax) return fail("too many fields");
  }
  return out;
}

template <class Row>
class NamedTable {
 public:
  NamedTable(std::vector<ChosenField<Row>> fields, TableLook look)
      : fields_(std::move(fields)), look_(std::move(look)) {}

  void append_header(std::string& out) const {
    if (!look_.header) return;
    line(out, [](const ChosenField<Row>& one) { return std::string(one.field->name); });
    if (!bars()) line(out, [](const ChosenField<Row>& one) { return std::string(one.width, '-'); });
  }
  void append_row(std::string& out, const Row& row) const {
    line(out, [&](const ChosenField<Row>& one) { return one.field->extract(row); });
  }

 private:
  bool bars() const { return look_.bars || look_.last_bar; }
  template <class Value>
  void line(std::string& out, Value&& value) const {
    bool first = true;
    for (const ChosenField<Row>& one : fields_) {
      std::string text = value(one);
      if (bars()) {
        if (!first) out += look_.delimiter;
        out += text;
      } else {
        if (text.size() > one.width) text = text.substr(0, one.width - (one.width ? 1 : 0)) + "+";
        out += one.left ? fmt::format("{:<{}} ", text, one.width)
                        : fmt::format("{:>{}} ", text, one.width);
      }
      first = false;
    }
    out += look_.last_bar ? look_.delimiter + "\n" : "\n";
  }

  std::vector<ChosenField<Row>> fields_;
  TableLook look_;
};

}  // namespace ym::cli
