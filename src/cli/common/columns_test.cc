// SPDX-License-Identifier: Apache-2.0
#include "cli/common/columns.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

struct Person {
  std::string name;
  int age = 0;
};

const std::vector<Column<Person>>& table() {
  static const std::vector<Column<Person>> columns = {
      {'n', "name", "NAME", [](const Person& p) { return p.name; }},
      {'a', "age", "AGE", [](const Person& p) { return std::to_string(p.age); },
       [](const Person& p) { return static_cast<std::int64_t>(p.age); }},
  };
  return columns;
}

// The header and two rows; then the complaints.
std::string shown(Result<std::vector<FormatField>> fields, bool by_name) {
  if (!fields) return "error: " + fields.error().text;
  Complaints told{.noun = "job"};
  auto format = resolve_format(std::move(*fields), table(), by_name, told);
  std::string out = format.header();
  format.append_row(out, {"Ada", 36});
  if (!by_name) format.append_row(out, {"Wilhelmina", 7});
  for (const std::string& text : told.texts) out += text + "\n";
  return out;
}
std::string by_letters(std::string_view text) { return shown(parse_short_format(text), false); }
std::string by_names(std::string_view text) { return shown(parse_long_format(text), true); }

TEST(Columns, AreJustifiedPaddedAndCut) {
  EXPECT_EQ(by_letters("%.6n %4a"), "  NAME AGE \n   Ada 36  \nWilhel 7   \n");
  EXPECT_EQ(by_letters("%n"), "NAME\nAda\nWilhelmina\n");
  EXPECT_EQ(by_letters("%n%a"), "NAMEAGE\nAda36\nWilhelmina7\n");
}

TEST(Columns, SpansToTheRightAreNotCut) {
  std::string out;
  append_span(out, {.width = 5, .right = true}, "1-00:00:00");
  append_span(out, {.width = 5, .right = true}, "0:10");
  append_span(out, {.width = 3, .right = true}, "UNLIMITED");
  EXPECT_EQ(out, "1-00:00:00 0:10UNL");
}

TEST(Columns, KeepTheTextAroundThem) {
  EXPECT_EQ(by_letters(R"({"n":"%n","a":%a},)"),
            "{\"n\":\"NAME\",\"a\":AGE},\n{\"n\":\"Ada\",\"a\":36},\n"
            "{\"n\":\"Wilhelmina\",\"a\":7},\n");
  EXPECT_EQ(by_letters("100%% %a"), "100% AGE\n100% 36\n100% 7\n");
  EXPECT_EQ(by_letters("%n|"), "NAME|\nAda|\nWilhelmina|\n");
}

TEST(Columns, MayBeAsWideAsTheirWidestValue) {
  Complaints told;
  auto format = resolve_format(parse_short_format("%#n|").value(), table(), false, told);
  format.fit({{"Ada", 1}, {"Wilhelmina", 2}});
  std::string out = format.header();
  format.append_row(out, {"Ada", 1});
  EXPECT_EQ(out, "NAME      |\nAda       |\n");
}

TEST(Columns, ByNameAreTwentyWideUnlessTold) {
  EXPECT_EQ(by_names("name,age"),
            "NAME                AGE                 \nAda                 36                  \n");
  EXPECT_EQ(by_names("Name:6,AGE:.4"), "NAME   AGE\nAda     36\n");
  EXPECT_EQ(by_names("name:|,age:|"), "NAME|AGE|\nAda|36|\n");
  EXPECT_EQ(by_names("name:5\t,age:3"), "NAME \tAGE\nAda  \t36 \n");
}

TEST(Columns, UnknownOnesAreToldWithAGuessAndPassedOver) {
  EXPECT_EQ(by_names("nane,age:|"),
            "AGE|\n36|\nInvalid job format specification: nane; did you mean name?\n");
  EXPECT_EQ(by_letters("%.5q|%a"),
            "%.5q|AGE\n%.5q|36\n%.5q|7\nInvalid job format specification: q\n");
  EXPECT_EQ(by_letters("plain"), "plain\nplain\nplain\n");
  EXPECT_EQ(by_letters("%a%5"), "AGE\n36\n7\n");
  EXPECT_EQ(by_names(""), "\n\n");
  std::string many(3 * (kFormatFieldsMax + 1), ' ');
  for (std::size_t i = 0; i < many.size(); i += 3) many.replace(i, 2, "%a");
  EXPECT_EQ(by_letters(many).substr(0, 6), "error:");
}

TEST(Columns, AllOfThemHaveBarsBetween) {
  EXPECT_EQ(by_letters("%all"), "AGE|NAME\n36|Ada\n7|Wilhelmina\n");
}

TEST(Columns, CountCharactersNotBytes) {
  FormatField field{.width = 4};
  std::string out;
  append_field(out, field, "äöüßx");
  EXPECT_EQ(out, "äöüß");
}

TEST(Columns, SortKeysGoEitherWay) {
  auto sorted = [](std::string_view order) {
    std::vector<Person> rows = {{"x", 1}, {"y", 2}, {"z", 2}};
    auto keys = parse_sort(order, table());
    if (!keys) return "error: " + keys.error().text;
    sort_rows(rows, *keys, [](const Person& a, const Person& b) { return a.name < b.name; });
    std::string out;
    for (const Person& row : rows) out += row.name;
    return out;
  };
  EXPECT_EQ(sorted("a"), "xyz");
  EXPECT_EQ(sorted("-a"), "yzx");
  EXPECT_EQ(sorted("-a,-n"), "zyx");
  EXPECT_EQ(sorted("-name"), "zyx");
  EXPECT_EQ(sorted("+NAME"), "xyz");
  EXPECT_EQ(sorted("q"), "error: Invalid sort specification: q");
  EXPECT_EQ(sorted("-").substr(0, 6), "error:");
  EXPECT_EQ(sorted("#").substr(0, 6), "error:");
}

}  // namespace
}  // namespace ym::cli
