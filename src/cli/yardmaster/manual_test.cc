// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/manual.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/yardmaster/key_help.h"
#include "config/cgroup_conf.h"

namespace ym::cli {
namespace {

constexpr KeyScope kScopes[] = {KeyScope::Main, KeyScope::Node, KeyScope::Partition,
                                KeyScope::NodeSet, KeyScope::DownNodes};

bool has_help(KeyScope scope, std::string_view name) {
  return std::ranges::any_of(slurm_conf_help(), [&](const KeyHelp& help) {
    return help.scope == scope && help.name == name;
  });
}

TEST(ManualTest, EachWordOfSlurmConfThatWeActOnIsExplained) {
  for (KeyScope scope : kScopes)
    for_each_key(scope, [&](const KeyInfo& key) {
      // Old spellings of the controller's address have their successor's row.
      if (key.status != KeyStatus::ActedOn || key.note == "SlurmctldHost") return;
      EXPECT_TRUE(has_help(scope, key.name)) << key.name;
    });
}

TEST(ManualTest, NothingIsExplainedThatWeDoNotActOn) {
  for (const KeyHelp& help : slurm_conf_help()) {
    const KeyInfo* key = find_key(help.scope, help.name);
    ASSERT_TRUE(key) << help.name;
    EXPECT_EQ(key->name, help.name);
    EXPECT_EQ(key->status, KeyStatus::ActedOn) << help.name;
    EXPECT_FALSE(help.help.empty() || help.help.ends_with('.')) << help.name;
  }
}

TEST(ManualTest, TheWordsOfCgroupConfAreThoseThatItsParserTakes) {
  for (const CgroupKeyHelp& key : cgroup_conf_help()) {
    std::string value(key.value.substr(0, key.value.find('|')));
    if (value == "PERCENT" || value == "MB") value = "50";
    if (value == "PATH") value = "/x";
    std::string text = std::string(key.name) + "=" + value + "\n";
    auto parsed = parse_cgroup_conf(
        "cgroup.conf", [&](const std::string&) -> Result<std::string> { return text; });
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_TRUE(parsed->warnings.empty()) << key.name << ": " << parsed->warnings[0];
  }
}

TEST(ManualTest, PagesHaveTheirPartsAndUnknownOnesAreRefused) {
  auto page = file_page("slurm.conf");
  ASSERT_TRUE(page);
  for (const char* part : {".TH SLURM.CONF 5", "\\fBKillWait\\fR=NUMBER", ".SH PARTITIONS",
                           "Default: 30 sec.", ".SH ACCEPTED WITHOUT EFFECT"})
    EXPECT_NE(page->find(part), std::string::npos) << part;
  EXPECT_TRUE(file_page("cgroup.conf"));
  EXPECT_FALSE(file_page("nonsense.conf"));
}

}  // namespace
}  // namespace ym::cli
