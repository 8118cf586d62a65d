// SPDX-License-Identifier: Apache-2.0
// Columns as a table: letter, name, header, and how the value is taken from a row. Formats choose
// among them:
//   -o "%.18i %.9P|%j"       letters with literal text around; '.' right-justifies, a number is the
//   width -O "jobid:10,name:.20"   names with widths; what follows the width stands behind each
//   value
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

inline constexpr std::size_t kFormatFieldsMax = 1000;
inline constexpr std::uint32_t kFieldWidthMax = 65535;

template <class Row>
struct Column {
  char letter = 0;        // 0: known to -O only
  const char* name = "";  // as -O has it, in small letters; "": known to -o only
  const char* header = "";
  std::string (*extract)(const Row&) = nullptr;
  std::int64_t (*number)(const Row&) = nullptr;  // for sorting; null: by text
  bool splits = false;  // where rows are groups: members that differ in this do not share a row
};

// One column of a format, before it is known whether there is such a column.
struct FormatField {
  std::string before;       // literal text that stands before the value
  std::string name;         // a letter or a name
  std::uint32_t width = 0;  // 0: as long as the value
  bool right = false;
  bool widest = false;  // '#': as wide as the widest value
  std::string after;    // literal text behind the value
};

// "%[.][width]letter" among literal text; "%%" is a percent sign.
Result<std::vector<FormatField>> parse_short_format(std::string_view format);
// "name[:[.][width][text]]", separated by commas; 20 wide unless told.
Result<std::vector<FormatField>> parse_long_format(std::string_view format);

// The value cut or padded to the field, between its literal texts.
void append_field(std::string& out, const FormatField& field, std::string_view value);

// A format resolved against a table of columns.
template <class Row>
struct Format {
  std::vector<FormatField> fields;
  std::vector<const Column<Row>*> columns;  // for each field; null: literal text only

  std::string header() const {
    std::string out;
    for (std::size_t i = 0; i < fields.size(); ++i)
      append_field(out, fields[i], columns[i] ? columns[i]->header : "");
    return out + "\n";
  }
  void append_row(std::string& out, const Row& row) const {
    for (std::size_t i = 0; i < fields.size(); ++i)
      append_field(out, fields[i], columns[i] ? columns[i]->extract(row) : std::string());
    out += '\n';
  }
  // Settles the fields that are to be as wide as their widest value.
  void fit(const std::vector<Row>& rows) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].widest || !columns[i]) continue;
      std::size_t width = std::string_view(columns[i]->header).size();
      for (const Row& row : rows) width = std::max(width, columns[i]->extract(row).size());
      fields[i].width = static_cast<std::uint32_t>(std::min<std::size_t>(width, kFieldWidthMax));
    }
  }
};

std::string unknown_column(std::string_view name, const std::vector<std::string_view>& names);

template <class Row>
Result<Format<Row>> resolve_format(std::vector<FormatField> fields,
                                   const std::vector<Column<Row>>& table, bool by_name) {
  Format<Row> out{.fields = std::move(fields)};
  for (const FormatField& field : out.fields) {
    const Column<Row>* found = nullptr;
    for (const Column<Row>& column : table) {
      bool same = by_name ? field.name == column.name
                          : column.letter != 0 && field.name == std::string_view(&column.letter, 1);
      if (same && !field.name.empty()) {
        found = &column;
        break;
      }
    }
    if (!found && !field.name.empty()) {
      std::vector<std::string_view> names;
      if (by_name)
        for (const Column<Row>& column : table) names.push_back(column.name);
      return std::unexpected(Error{.text = unknown_column(field.name, names)});
    }
    out.columns.push_back(found);
  }
  return out;
}

// One key of --sort: a column, perhaps the other way round.
template <class Row>
struct SortKey {
  const Column<Row>* column = nullptr;
  bool descending = false;
};
// "P,t,-p": letters of -o, or names of -O, each perhaps with + or -.
template <class Row>
Result<std::vector<SortKey<Row>>> parse_sort(std::string_view text,
                                             const std::vector<Column<Row>>& table);

template <class Row>
int compare_by(const SortKey<Row>& key, const Row& a, const Row& b) {
  int order = 0;
  if (key.column->number) {
    std::int64_t x = key.column->number(a), y = key.column->number(b);
    order = x < y ? -1 : x > y ? 1 : 0;
  } else {
    order = key.column->extract(a).compare(key.column->extract(b));
  }
  return key.descending ? -order : order;
}

struct SortWord {
  std::string name;
  bool descending = false;
};
Result<std::vector<SortWord>> parse_sort_words(std::string_view text);

template <class Row>
Result<std::vector<SortKey<Row>>> parse_sort(std::string_view text,
                                             const std::vector<Column<Row>>& table) {
  auto words = parse_sort_words(text);
  if (!words) return std::unexpected(words.error());
  std::vector<SortKey<Row>> out;
  for (const SortWord& word : *words) {
    const Column<Row>* found = nullptr;
    for (const Column<Row>& column : table)
      if (!found &&
          ((word.name.size() == 1 && column.letter == word.name[0]) || word.name == column.name))
        found = &column;
    if (!found) return std::unexpected(Error{.text = "Invalid sort specification: " + word.name});
    out.push_back({.column = found, .descending = word.descending});
  }
  return out;
}

}  // namespace ym::cli
