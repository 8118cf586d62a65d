// SPDX-License-Identifier: Apache-2.0
// The notations of -o, -O and --sort, before it is known which columns there are.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym::cli {

inline constexpr std::size_t kFormatFieldsMax = 1000;
inline constexpr std::uint32_t kFieldWidthMax = 65535;
inline constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// One column of a format, before it is known whether there is such a column.
struct FormatField {
  std::string before;       // literal text that stands before the value
  std::string name;         // a letter, "all", or a name in small letters; "": literal text only
  std::string raw;          // as the user wrote it: "%.5q", "CPUFreq"
  std::uint32_t width = 0;  // 0: as long as the value
  bool right = false;
  bool widest = false;  // '#': as wide as the widest value, and at least `width`
  std::string after;    // literal text behind the value
};

// "%[.][width]letter" among literal text; "%%" is a percent sign.
Result<std::vector<FormatField>> parse_short_format(std::string_view format);
// "name[:[.][width][text]]", separated by commas; 20 wide unless told.
Result<std::vector<FormatField>> parse_long_format(std::string_view format);

// The value cut or padded to the field, between its literal texts.
void append_field(std::string& out, const FormatField& field, std::string_view value);
// The same of "1-00:00:00", which is not cut; words for a span are.
void append_span(std::string& out, FormatField field, std::string_view value);
// "debug*" in four columns: "deb*".
std::string cut_before_star(std::string value, std::uint32_t width);

// "Invalid job format specification: jobidd; did you mean jobid?"
std::string unknown_column(std::string_view noun, const FormatField& field,
                           const std::vector<std::string_view>& names);

struct SortWord {
  std::string name;
  bool descending = false;
  bool by_position = false;
};
Result<std::vector<SortWord>> parse_sort_words(std::string_view text);

}  // namespace ym::cli
