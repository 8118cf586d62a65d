// SPDX-License-Identifier: Apache-2.0
#include "config/lex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ym {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "3:A=1;B=2" for each line: its number and its assignments.
std::vector<std::string> lines_of(const std::string& text) {
  Diagnostics diagnostics;
  std::vector<std::string> files, out;
  auto read = [&](const std::string&) -> Result<std::string> { return text; };
  for (const ConfigLine& line : read_lines("/etc/slurm.conf", read, diagnostics, files)) {
    std::string row = std::to_string(line.place.line) + ":";
    for (const Assignment& assignment : line.assignments)
      row += assignment.key + "=" + assignment.value + ";";
    out.push_back(row);
  }
  if (diagnostics.failed()) out.push_back(diagnostics.errors());
  return out;
}

TEST(Lex, comments_and_blank_lines_are_nothing) {
  EXPECT_THAT(lines_of("# all\n\n  \t \n   # more\n#"), IsEmpty());
}

TEST(Lex, a_comment_may_follow_a_value) {
  EXPECT_THAT(lines_of("A=1 # one\nB=2# two\n"), ElementsAre("1:A=1;", "2:B=2;"));
}

TEST(Lex, an_escaped_or_quoted_hash_is_no_comment) {
  EXPECT_THAT(lines_of("A=x\\#y # c\nB=\"x # y\" # c\n"), ElementsAre("1:A=x#y;", "2:B=x # y;"));
}

TEST(Lex, a_quote_in_a_comment_means_nothing) {
  EXPECT_THAT(lines_of("A=1 # don't say \"x\nB=2\n"), ElementsAre("1:A=1;", "2:B=2;"));
}

TEST(Lex, carriage_returns_and_tabs_are_blanks) {
  EXPECT_THAT(lines_of("A=1\tB=2\r\n\tC=3\r\n"), ElementsAre("1:A=1;B=2;", "2:C=3;"));
}

TEST(Lex, blanks_may_stand_around_the_equals_sign) {
  EXPECT_THAT(lines_of("A = 1  B= \"2 3\"\n"), ElementsAre("1:A=1;B=2 3;"));
}

TEST(Lex, a_backslash_joins_lines_and_the_first_one_counts) {
  EXPECT_THAT(lines_of("A=1,\\\n2 \\  \r\n  B=3\nC=4\\"), ElementsAre("1:A=1,2;B=3;", "4:C=4;"));
}

TEST(Lex, two_backslashes_are_one_and_join_nothing) {
  EXPECT_THAT(lines_of("A=1\\\\\nB=2\n"), ElementsAre("1:A=1\\;", "2:B=2;"));
}

TEST(Lex, a_comment_hides_its_backslash) {
  EXPECT_THAT(lines_of("A=1 # and \\\nB=2\n"), ElementsAre("1:A=1;", "2:B=2;"));
}

TEST(Lex, values_may_hold_equals_signs_and_brackets) {
  EXPECT_THAT(lines_of("P=a=1,b=2 N=n[1-3,7]\n"), ElementsAre("1:P=a=1,b=2;N=n[1-3,7];"));
}

TEST(Lex, what_is_no_assignment_is_an_error_with_its_line) {
  EXPECT_THAT(lines_of("\nA=1 word\n"), ElementsAre("slurm.conf:2: expected Key=Value at 'word'"));
  EXPECT_THAT(lines_of("A=\"1\"x\n"),
              ElementsAre("slurm.conf:1: a blank must follow the quoted value of A"));
  EXPECT_THAT(lines_of("A=1\x01\n"),
              ElementsAre("slurm.conf:1: the value of A has a control character in it"));
  EXPECT_THAT(lines_of("=1\n"), ElementsAre("slurm.conf:1: expected Key=Value at '=1'"));
}

TEST(Lex, a_line_without_end_is_refused) {
  EXPECT_THAT(lines_of("A=" + std::string(kConfigLineBytesMax, 'x')),
              ElementsAre("slurm.conf:1: the line is longer than 1048576 bytes"));
}

}  // namespace
}  // namespace ym
