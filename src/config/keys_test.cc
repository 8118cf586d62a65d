// SPDX-License-Identifier: Apache-2.0
#include "config/keys.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "config/parse.h"
#include "config/values.h"

namespace ym {
namespace {

constexpr KeyScope kScopes[] = {KeyScope::Main, KeyScope::Node, KeyScope::Partition,
                                KeyScope::NodeSet, KeyScope::DownNodes};

std::string without_unit(std::string_view shown) {
  return std::string(shown.substr(0, shown.find(' ')));
}

TEST(Keys, each_key_stands_in_its_table_once) {
  for (KeyScope scope : kScopes) {
    std::set<std::string> seen;
    for_each_key(scope, [&](const KeyInfo& key) {
      EXPECT_TRUE(seen.insert(to_lower(key.name)).second) << key.name;
    });
  }
}

TEST(Keys, the_parts_are_sorted) {
  for (KeyScope scope : kScopes)
    for (auto table : key_tables(scope))
      for (std::size_t i = 1; i < table.size(); ++i)
        EXPECT_LT(to_lower(table[i - 1].name), to_lower(table[i].name));
}

TEST(Keys, the_table_is_as_long_as_the_release) {
  std::size_t current = 0;
  for_each_key(KeyScope::Main, [&](const KeyInfo& key) {
    if (key.status == KeyStatus::ActedOn || key.status == KeyStatus::NotYet) ++current;
  });
  EXPECT_GE(current, 200u);
}

TEST(Keys, notes_are_what_their_type_and_status_need) {
  for (KeyScope scope : kScopes)
    for_each_key(scope, [&](const KeyInfo& key) {
      if (key.status == KeyStatus::Alias) {
        EXPECT_NE(find_key(scope, key.note), nullptr) << key.name;
      } else if (key.type == KeyType::Number || key.type == KeyType::Limit) {
        auto parts = split(key.note, '-');
        ASSERT_EQ(parts.size(), 2u) << key.name;
        EXPECT_TRUE(parse_u64(parts[0]) && parse_u64(parts[1])) << key.name;
      } else if (key.type == KeyType::Choice || key.type == KeyType::Choices) {
        EXPECT_FALSE(key.note.empty()) << key.name;
      }
      if (key.status == KeyStatus::Refused) EXPECT_FALSE(key.note.empty()) << key.name;
    });
}

TEST(Keys, each_default_is_a_value_that_is_shown_as_itself) {
  for (KeyScope scope : kScopes)
    for_each_key(scope, [&](const KeyInfo& key) {
      if (key.shown_default.empty() || key.shown_default.starts_with("(null") ||
          key.shown_default == "SYSTEM_DEFAULT" || key.shown_default == "0-0" ||
          key.type == KeyType::Text)
        return;
      bool yes_no_number = key.type == KeyType::Number && key.shown_default == "No";
      auto value = parse_value(key, yes_no_number ? "0" : without_unit(key.shown_default));
      ASSERT_TRUE(value) << key.name << ": " << value.error().text;
      std::string shown = shown_value(key, *value);
      EXPECT_EQ(shown == "UNLIMITED" && key.name == "SuspendTime" ? "INFINITE" : shown,
                key.shown_default)
          << key.name;
    });
}

// The table's default of a key we act on and ClusterConfig's must be the same thing.
TEST(Keys, saying_a_default_changes_nothing) {
  std::string head = "ClusterName=c\nSlurmctldHost=h\n";
  auto parse = [](const std::string& text) {
    return parse_config("slurm.conf",
                        [&](const std::string&) -> Result<std::string> { return text; });
  };
  auto plain = parse(head);
  ASSERT_TRUE(plain);
  for_each_key(KeyScope::Main, [&](const KeyInfo& key) {
    if (key.status != KeyStatus::ActedOn || key.shown_default.empty() ||
        key.shown_default.starts_with("(null"))
      return;
    if (key.name == "MailProg")
      return;  // the model leaves the choice of a mail program to the daemon
    if (key.name == "SrunPortRange") return;  // 0-0 is how none is shown
    auto said = parse(head + std::string(key.name) + "=" + without_unit(key.shown_default) + "\n");
    ASSERT_TRUE(said) << said.error().text;
    EXPECT_EQ(said->config, plain->config) << key.name;
    EXPECT_TRUE(said->not_acted_on.empty()) << key.name;
  });
}

TEST(Keys, are_found_in_any_case_and_guessed_when_mistyped) {
  ASSERT_NE(find_key(KeyScope::Main, "SLURMCTLDPORT"), nullptr);
  EXPECT_EQ(find_key(KeyScope::Main, "slurmctldport")->name, "SlurmctldPort");
  EXPECT_EQ(find_key(KeyScope::Main, "Weight"), nullptr);
  EXPECT_EQ(nearest_key(KeyScope::Node, "realmemry"), "RealMemory");
  EXPECT_EQ(nearest_key(KeyScope::Main, "qqqqqqqqqq"), "");
}

TEST(Values, debug_levels_have_names_and_numbers) {
  EXPECT_EQ(debug_level("0"), "quiet");
  EXPECT_EQ(debug_level("9"), "debug5");
  EXPECT_EQ(debug_level("Verbose"), "verbose");
  EXPECT_EQ(debug_level("10"), "");
}

TEST(Values, paths_are_expanded_for_a_node) {
  EXPECT_EQ(expand_node_path("/var/%n/%h.log", "n1", "host1"), "/var/n1/host1.log");
  EXPECT_EQ(expand_node_path("/a%%n%x%", "n1", "h"), "/a%n%x%");
}

}  // namespace
}  // namespace ym
