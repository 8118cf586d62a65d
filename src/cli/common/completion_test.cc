// SPDX-License-Identifier: Apache-2.0
// Table, manual page and completion tell of the same options.
#include "cli/common/completion.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/yardmaster.h"

namespace ym::cli {
namespace {

using Names = std::set<std::string>;

Names names_of(const CompletedCommand& command) {
  Names out;
  for (const OptionInfo& option : command.options)
    if (!option.hidden && !option.name.empty()) out.insert(std::string(option.name));
  return out;
}

// Every "--name" of a text: as far as letters, digits, - and _ go.
Names long_options_in(std::string_view text, std::string_view mark) {
  Names out;
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    auto end = at + mark.size();
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) ||
                                 text[end] == '-' || text[end] == '_'))
      ++end;
    out.emplace(text.substr(at + mark.size(), end - at - mark.size()));
  }
  return out;
}

TEST(Completion, OffersExactlyTheOptionsOfTheTables) {
  for (const CompletedCommand& command : completed_commands()) {
    Names wanted = names_of(command);
    std::string bash = completion_script(Shell::Bash, {command});
    auto start = bash.find("_yardmaster_offer \"", bash.find("\"" + command.name + " -\"*)"));
    ASSERT_NE(start, bash.npos) << command.name;
    std::string_view line = std::string_view(bash).substr(start, bash.find('\n', start) - start);
    EXPECT_EQ(long_options_in(line, "--"), wanted) << command.name;
    std::string zsh = completion_script(Shell::Zsh, {command});
    EXPECT_EQ(long_options_in(zsh, "        '--"), wanted) << command.name;
    std::string fish = completion_script(Shell::Fish, {command});
    EXPECT_EQ(long_options_in(fish, command.name + " -l "), wanted) << command.name;
  }
}

TEST(Completion, TheManualPageTellsOfTheSameOptions) {
  for (const CompletedCommand& command : completed_commands()) {
    std::string manual = manual_page({.name = command.name}, command.options);
    for (const std::string& name : names_of(command)) {
      std::string escaped;
      for (char c : name) escaped += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_NE(manual.find("\\-\\-" + escaped), manual.npos) << command.name << " --" << name;
    }
  }
}

TEST(Completion, ValuesThatTheClusterKnowsAreAskedFor) {
  EXPECT_EQ(values_of({.name = "partition", .takes = Takes::Value}).kind, Values::Partitions);
  EXPECT_EQ(values_of({.name = "nodelist", .takes = Takes::Value}).kind, Values::Nodes);
  EXPECT_EQ(values_of({.name = "nodes", .takes = Takes::Value, .argument = "MIN[-MAX]"}).kind,
            Values::Unknown);
  EXPECT_EQ(values_of({.name = "jobid", .takes = Takes::Value}).kind, Values::Jobs);
  EXPECT_EQ(values_of({.name = "partition"}).kind, Values::Unknown);
  auto words = values_of({.name = "x", .takes = Takes::Value, .argument = "yes|no"});
  EXPECT_EQ(words.words, (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(values_of({.name = "x", .takes = Takes::Value, .argument = "FILE|FD"}).kind,
            Values::Unknown);
}

// What real shells make of it: tests/cli/test_completion.py.
TEST(Completion, OperandsAreOneGrammarForAllShells) {
  CompletedCommand command{.name = "x",
                           .operands = {{"", {.kind = Values::Words, .words = {"go"}}},
                                        {"go job*", {.kind = Values::Jobs}}}};
  for (Shell shell : {Shell::Bash, Shell::Zsh}) {
    std::string script = completion_script(shell, {command});
    EXPECT_NE(script.find("\"x\") printf '%s\\n' go ;;"), script.npos);
    EXPECT_NE(script.find("\"x go job\"*\"\") squeue -h -o %i"), script.npos);
  }
}

}  // namespace
}  // namespace ym::cli
