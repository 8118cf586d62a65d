// SPDX-License-Identifier: Apache-2.0
#include "cli/common/options.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

OptionSet some_options() {
  return OptionSet({
      {.name = "nodes", .letter = 'N', .takes = Takes::Value, .argument = "N", .help = "Nodes"},
      {.name = "nodelist",
       .letter = 'w',
       .takes = Takes::Value,
       .argument = "HOSTS",
       .help = "Names"},
      {.name = "nice", .takes = Takes::Maybe, .argument = "N", .help = "Nice"},
      {.name = "label", .letter = 'l', .help = "Label"},
      {.name = "verbose", .letter = 'v', .help = "More"},
      {.name = "kill", .letter = 'K', .takes = Takes::Maybe, .argument = "N", .help = "Kill"},
  });
}

std::string shown(const std::vector<std::string>& arguments,
                  Operands operands = Operands::EndOptions) {
  OptionSet set = some_options();
  auto line = set.parse(arguments, operands);
  if (!line) return "error: " + line.error().text;
  std::string out;
  for (const GivenOption& given : line->options)
    out += fmt::format("{}[{}] ", set.shown(given.option), given.value);
  for (const std::string& operand : line->operands) out += fmt::format("<{}> ", operand);
  return std::string(trim(out));
}

struct Row {
  std::vector<std::string> arguments;
  std::string expected;
};

TEST(Options, AreReadAsGetoptReadsThem) {
  const Row rows[] = {
      {{}, ""},
      {{"--nodes=2"}, "--nodes[2]"},
      {{"--nodes", "2"}, "--nodes[2]"},
      {{"-N2"}, "--nodes[2]"},
      {{"-N", "2"}, "--nodes[2]"},
      {{"--nodes="}, "--nodes[]"},
      {{"--lab"}, "--label[]"},
      {{"--nodel=n1"}, "--nodelist[n1]"},
      {{"-lvN4"}, "--label[] --verbose[] --nodes[4]"},
      {{"--nice"}, "--nice[]"},
      {{"--nice", "5"}, "--nice[] <5>"},
      {{"--nice=5"}, "--nice[5]"},
      {{"-K", "x"}, "--kill[] <x>"},
      {{"-K1", "x"}, "--kill[1] <x>"},
      {{"prog", "-l"}, "<prog> <-l>"},
      {{"-l", "--", "-v"}, "--label[] <-v>"},
      {{"-"}, "<->"},
      {{"-N", "--", "x"}, "--nodes[--] <x>"},
  };
  for (const Row& row : rows) EXPECT_EQ(shown(row.arguments), row.expected);
}

TEST(Options, MayStandBehindOperandsWhereTheCommandWantsIt) {
  EXPECT_EQ(shown({"7", "-l", "8"}, Operands::Mix), "--label[] <7> <8>");
  EXPECT_EQ(shown({"7", "--", "-l"}, Operands::Mix), "<7> <-l>");
}

TEST(Options, RefusalsSayWhatIsWrongAndWhatWasMeant) {
  EXPECT_EQ(shown({"--verbos=1"}), "error: option '--verbose' doesn't allow an argument");
  EXPECT_EQ(shown({"--nodes"}), "error: option '--nodes' requires an argument");
  EXPECT_EQ(shown({"-N"}), "error: option requires an argument -- 'N'");
  EXPECT_EQ(shown({"-z"}), "error: invalid option -- 'z'");
  EXPECT_EQ(shown({"--node"}),
            "error: option '--node' is ambiguous; possibilities: '--nodelist' '--nodes'");
  EXPECT_EQ(shown({"--labell"}), "error: unrecognized option '--labell'; did you mean '--label'?");
  EXPECT_EQ(shown({"--xyzzy"}), "error: unrecognized option '--xyzzy'");
  EXPECT_EQ(shown({"--=x"}).substr(0, 29), "error: unrecognized option '-");
}

TEST(Options, AHiddenOptionAnswersToItsFullNameOnly) {
  OptionSet set({{.name = "secret", .help = "x", .hidden = true}});
  EXPECT_TRUE(set.parse(std::vector<std::string>{"--secret"}, Operands::Mix));
  EXPECT_FALSE(set.parse(std::vector<std::string>{"--secr"}, Operands::Mix));
}

}  // namespace
}  // namespace ym::cli
