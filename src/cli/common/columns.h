// SPDX-License-Identifier: Apache-2.0
// Columns as a table: letter, name, header, and how the value is taken from a row. Formats choose
// among them:
//   -o "%.18i %.9P|%j"       letters with literal text around; '.' right-justifies, a number is the
//                            width; "%all" is every letter
//   -O "jobid:10,name:.20"   names with widths; what follows the width stands behind each value
// A column that nobody knows is complained about and passed over, as in Slurm: the other columns
// are what the user came for.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/common/format_fields.h"

namespace ym::cli {

// Where rows are groups: whether members that differ in a column share a row.
enum class Splits : std::uint8_t { No, Always, Exact };  // Exact: only if sizes count (--exact)

template <class Row>
struct Column {
  char letter = 0;        // 0: known to -O only
  const char* name = "";  // as -O has it, in small letters; "": known to -o only
  const char* header = "";
  std::string (*extract)(const Row&) = nullptr;
  std::int64_t (*number)(const Row&) = nullptr;  // for sorting; null: by text
  Splits splits = Splits::No;
  bool keeps_star = false;      // a star at the value's end survives a cut
  bool by_position = false;     // `number` is the configured order: only for the sort key "#X"
  std::uint64_t needs = ~0ull;  // what of the row both take, in the bits of the question for it
  bool spans = false;           // spans of time, which are never cut where they stand to the right
};

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
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!columns[i])
        append_field(out, fields[i], "");
      else if (columns[i]->keeps_star)
        append_field(out, fields[i], cut_before_star(columns[i]->extract(row), fields[i].width));
      else if (columns[i]->spans && fields[i].right)
        append_span(out, fields[i], columns[i]->extract(row));
      else
        append_field(out, fields[i], columns[i]->extract(row));
    }
    out += '\n';
  }
  bool fits_itself() const {
    return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.widest; });
  }
  // Settles the fields that are to be as wide as their widest value.
  void fit(const std::vector<Row>& rows) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!fields[i].widest || !columns[i]) continue;
      std::size_t width =
          std::max<std::size_t>(fields[i].width, std::string_view(columns[i]->header).size());
      for (const Row& row : rows) width = std::max(width, columns[i]->extract(row).size());
      fields[i].width = static_cast<std::uint32_t>(std::min<std::size_t>(width, kFieldWidthMax));
    }
  }
};

// "%all": every column with a letter, small letters first, bars between.
template <class Row>
void append_all(Format<Row>& out, const FormatField& field, const std::vector<Column<Row>>& table) {
  std::string before = field.before;
  for (char letter : kLetters)
    for (const Column<Row>& column : table) {
      if (column.letter != letter) continue;
      out.fields.push_back({.before = before, .name = std::string(1, letter)});
      out.columns.push_back(&column);
      before = "|";
      break;
    }
  if (!out.fields.empty()) out.fields.back().after = field.after;
}

template <class Row>
const Column<Row>* find_column(std::string_view name, const std::vector<Column<Row>>& table,
                               bool by_name) {
  for (const Column<Row>& column : table)
    if (by_name ? name == column.name : name.size() == 1 && column.letter == name[0])
      return &column;
  return nullptr;
}

// What is not known: `noun` says of what ("job"), `complaints` gets a text for each.
struct Complaints {
  std::string_view noun;
  std::vector<std::string> texts;
};

template <class Row>
Format<Row> resolve_format(std::vector<FormatField> fields, const std::vector<Column<Row>>& table,
                           bool by_name, Complaints& complaints) {
  Format<Row> out;
  for (FormatField& field : fields) {
    if (!by_name && field.name == "all") {
      append_all(out, field, table);
      continue;
    }
    const Column<Row>* found = find_column<Row>(field.name, table, by_name);
    if (!found && !field.name.empty()) {
      std::vector<std::string_view> names;
      if (by_name)
        for (const Column<Row>& column : table) names.push_back(column.name);
      complaints.texts.push_back(unknown_column(complaints.noun, field, names));
      if (by_name) continue;
      field = {.before = field.before + field.raw, .after = field.after};
    }
    out.fields.push_back(std::move(field));
    out.columns.push_back(found);
  }
  return out;
}

// One key of --sort: a column, perhaps the other way round.
template <class Row>
struct SortKey {
  const Column<Row>* column = nullptr;
  bool descending = false;
  bool by_number = false;
};

// "P,t,-p": letters of -o, or names of -O, each perhaps with + or -; "#P" for the configured order.
template <class Row>
Result<std::vector<SortKey<Row>>> parse_sort(std::string_view text,
                                             const std::vector<Column<Row>>& table) {
  auto words = parse_sort_words(text);
  if (!words) return std::unexpected(words.error());
  std::vector<SortKey<Row>> out;
  for (const SortWord& word : *words) {
    const Column<Row>* found = find_column<Row>(word.name, table, false);
    if (!found) found = find_column<Row>(word.name, table, true);
    if (!found) return std::unexpected(Error{.text = "Invalid sort specification: " + word.name});
    bool by_number = found->number && (!found->by_position || word.by_position);
    out.push_back({.column = found, .descending = word.descending, .by_number = by_number});
  }
  return out;
}

// Sorts by the keys, then by `before`. Each key's value is taken once for each row:
// O(rows × keys) extractions.
template <class Row, class Before>
void sort_rows(std::vector<Row>& rows, const std::vector<SortKey<Row>>& keys, Before before) {
  struct Value {
    std::int64_t number = 0;
    std::string text;
  };
  std::vector<Value> values(rows.size() * keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < keys.size(); ++k) {
      Value& value = values[i * keys.size() + k];
      if (keys[k].by_number)
        value.number = keys[k].column->number(rows[i]);
      else
        value.text = keys[k].column->extract(rows[i]);
    }
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const Value& x = values[a * keys.size() + k];
      const Value& y = values[b * keys.size() + k];
      int by = keys[k].by_number ? (x.number > y.number) - (x.number < y.number)
                                 : x.text.compare(y.text);
      if (by != 0) return keys[k].descending ? by > 0 : by < 0;
    }
    return before(rows[a], rows[b]);
  });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace ym::cli
