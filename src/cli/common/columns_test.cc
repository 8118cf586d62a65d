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

std::string by_letters(std::string_view text) {
  auto fields = parse_short_format(text);
  if (!fields) return "error: " + fields.error().text;
  auto format = resolve_format(std::move(*fields), table(), false);
  if (!format) return "error: " + format.error().text;
  std::string out = format->header();
  format->append_row(out, {"Ada", 36});
  format->append_row(out, {"Wilhelmina", 7});
  return out;
}

std::string by_names(std::string_view text) {
  auto fields = parse_long_format(text);
  if (!fields) return "error: " + fields.error().text;
  auto format = resolve_format(std::move(*fields), table(), true);
  if (!format) return "error: " + format.error().text;
  std::string out = format->header();
  format->append_row(out, {"Ada", 36});
  return out;
}

TEST(Columns, AreJustifiedPaddedAndCut) {
  EXPECT_EQ(by_letters("%.6n %4a"), "  NAME AGE \n   Ada 36  \nWilhel 7   \n");
  EXPECT_EQ(by_letters("%n"), "NAME\nAda\nWilhelmina\n");
  EXPECT_EQ(by_letters("%n%a"), "NAMEAGE\nAda36\nWilhelmina7\n");
}

TEST(Columns, KeepTheTextAroundThem) {
  EXPECT_EQ(by_letters(R"({"n":"%n","a":%a},)"),
            "{\"n\":\"NAME\",\"a\":AGE},\n{\"n\":\"Ada\",\"a\":36},\n"
            "{\"n\":\"Wilhelmina\",\"a\":7},\n");
  EXPECT_EQ(by_letters("100%% %a"), "100% AGE\n100% 36\n100% 7\n");
  EXPECT_EQ(by_letters("%n|"), "NAME|\nAda|\nWilhelmina|\n");
}

TEST(Columns, MayBeAsWideAsTheirWidestValue) {
  auto format = resolve_format(parse_short_format("%#n|").value(), table(), false).value();
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

TEST(Columns, UnknownOnesAreRefusedWithAGuess) {
  EXPECT_EQ(by_names("nane"), "error: Invalid job format specification: nane; did you mean name?");
  EXPECT_EQ(by_letters("%q"), "error: Invalid job format specification: q");
  EXPECT_EQ(by_letters("plain").substr(0, 6), "error:");
  EXPECT_EQ(by_letters("%5").substr(0, 6), "error:");
  EXPECT_EQ(by_names("").substr(0, 6), "error:");
}

TEST(Columns, CountCharactersNotBytes) {
  FormatField field{.width = 4};
  std::string out;
  append_field(out, field, "äöüßx");
  EXPECT_EQ(out, "äöüß");
}

TEST(Columns, SortKeysGoEitherWay) {
  auto keys = parse_sort("-a,n", table());
  ASSERT_TRUE(keys);
  EXPECT_GT(compare_by((*keys)[0], {"x", 1}, {"y", 2}), 0);
  EXPECT_LT(compare_by((*keys)[1], {"x", 1}, {"y", 2}), 0);
  EXPECT_FALSE(parse_sort("q", table()));
  EXPECT_FALSE(parse_sort("-", table()));
}

}  // namespace
}  // namespace ym::cli
