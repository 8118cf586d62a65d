// SPDX-License-Identifier: Apache-2.0
#include "config/parse.h"
#include "config/diagnostics.h"
#include "config/main_keys.h"
#include "config/security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

Result<ParsedConfig> parse_files(const Files& files) {
  return parse_config("/etc/slurm/slurm.conf", [&](const std::string& path) -> Result<std::string> {
    auto found = files.find(path);
    if (found == files.end()) return fail("no such file");
    return found->second;
  });
}

constexpr std::string_view kHead = "ClusterName=c\nSlurmctldHost=ctl\n";

// Lines behind a minimal head, so they begin at line 3.
Result<ParsedConfig> parse(std::string_view text) {
  return parse_files({{"/etc/slurm/slurm.conf", std::string(kHead) + std::string(text)}});
}

std::string error_of(std::string_view text) {
  auto parsed = parse(text);
  return parsed ? "" : parsed.error().text;
}

Result<MainConfig> main_keys_of(const std::string& text) {
  return parse_main_keys("/etc/slurm/slurm.conf",
                         [&](const std::string& path) -> Result<std::string> {
                           if (path != "/etc/slurm/slurm.conf") return fail("no such file");
                           return text;
                         });
}

ClusterConfig config_of(std::string_view text) {
  auto parsed = parse(text);
  EXPECT_TRUE(parsed) << parsed.error().text;
  return parsed ? parsed->config : ClusterConfig{};
}

std::string shown(const ClusterConfig& config, std::string_view key) {
  for (const auto& [name, value] : config.shown)
    if (name == key) return value;
  return "(absent)";
}

std::filesystem::path testdata() {
  auto folder = std::filesystem::canonical("/proc/self/exe").parent_path();
  while (folder.has_relative_path() && !std::filesystem::exists(folder / "src/config/testdata"))
    folder = folder.parent_path();
  return folder / "src/config/testdata";
}

Result<std::string> read_real_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail("cannot open it");
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

Result<ParsedConfig> parse_site() { return parse_config(testdata() / "site.conf", read_real_file); }

TEST(ParseConfig, the_smallest_configuration_has_a_name_and_a_controller) {
  auto parsed = parse("");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(parsed->config.cluster_name, "c");
  EXPECT_THAT(parsed->config.controllers, ElementsAre(ControllerHost{"ctl", "ctl"}));
  EXPECT_THAT(parsed->warnings, IsEmpty());
  EXPECT_THAT(parsed->files, ElementsAre("/etc/slurm/slurm.conf"));
}

TEST(ParseConfig, without_cluster_name_or_controller_it_says_which_is_missing) {
  auto parsed = parse_files({{"/etc/slurm/slurm.conf", "SlurmUser=slurm\n"}});
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text, HasSubstr("slurm.conf: ClusterName is missing"));
  EXPECT_THAT(parsed.error().text, HasSubstr("slurm.conf: SlurmctldHost is missing"));
}

TEST(ParseConfig, a_file_that_cannot_be_read_is_an_error) {
  auto parsed = parse_files({});
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().text, "slurm.conf: cannot read /etc/slurm/slurm.conf: no such file");
}

struct BadLine {
  std::string_view text, message;
};

TEST(ParseConfig, each_mistake_is_answered_with_its_place_and_what_would_be_right) {
  const BadLine cases[] = {
      {"SlurmdTimout=3", "slurm.conf:3: unknown key SlurmdTimout, did you mean SlurmdTimeout?"},
      {"NodeName=n1 CPU=3", "slurm.conf:3: unknown key CPU on a NodeName line, did you mean CPUs?"},
      {"Xyzzyplugh=1", "slurm.conf:3: unknown key Xyzzyplugh"},
      {"KillWait=soon", "slurm.conf:3: KillWait: 'soon' is not a number from 0 to 65533"},
      {"KillWait=70000", "slurm.conf:3: KillWait: '70000' is not a number from 0 to 65533"},
      {"SelectType=select/magic",
       "slurm.conf:3: SelectType: 'select/magic' is not one of select/cons_tres, select/linear"},
      {"SlurmctldDebug=loud",
       "slurm.conf:3: SlurmctldDebug: 'loud' is not a level from quiet, fatal, error, info, "
       "verbose, debug to debug5, or 0 to 9"},
      {"SlurmctldPort=0",
       "slurm.conf:3: SlurmctldPort: '0' is not a port such as 6817 or a range such as 6817-6820"},
      {"KillWait", "slurm.conf:3: expected Key=Value at 'KillWait'"},
      {"KillWait=", "slurm.conf:3: KillWait has no value"},
      {"MailProg=\"/bin/x", "slurm.conf:3: the quote of MailProg is never closed"},
      {"MailProg=\"\"", "slurm.conf:3: MailProg is empty"},
      {"FrontendName=fe1 State=UP",
       "slurm.conf:3: FrontendName: front-end nodes are not supported, Slurm itself "
       "removed them in 25.05"},
      {"FirstJobId=10\nMaxJobId=5", "slurm.conf: FirstJobId=10 is more than MaxJobId=5"},
      {"SlurmctldHost=a(b", "slurm.conf:3: SlurmctldHost: 'a(b' is not a host or host(address)"},
      {"SlurmctldHost=ctl", "slurm.conf:3: SlurmctldHost=ctl is given twice"},
      {"NodeName=n[1-3", "slurm.conf:3: NodeName: "},
      {"NodeName=n[1-3] NodeAddr=10.0.0.[1-2]",
       "slurm.conf:3: NodeAddr gives 2 for 3 nodes: give one for each, or one for all"},
      {"NodeName=n[1-3] Port=[7001-7002]",
       "slurm.conf:3: Port gives 2 for 3 nodes: give one for each, or one for all"},
      {"NodeName=n[1-3] Port=[7001-7009]", "slurm.conf:3: Port gives more for 3 nodes"},
      {"NodeName=n1 Port=web",
       "slurm.conf:3: Port: 'web' is not a port or a range such as [7001-7100]"},
      {"NodeName=n1 CPUs=2 CPUs=3", "slurm.conf:3: CPUs is given twice on one line"},
      {"NodeName=n1 State=SLEEPY", "slurm.conf:3: State: 'SLEEPY' is not one of UNKNOWN"},
      {"NodeName=n1 Sockets=1000 CoresPerSocket=1000",
       "slurm.conf:3: a node cannot have 1000000 CPUs"},
      {"NodeName=n[1-4]\n\nNodeName=n3",
       "slurm.conf:5: node n3 is already defined at slurm.conf:3"},
      {"NodeName=n[1-2000000]", "slurm.conf:3: more than 1000000 nodes"},
      {"NodeName=node1\nPartitionName=p Nodes=nod1",
       "slurm.conf:4: Nodes: no NodeName line defines nod1, did you mean node1?"},
      {"NodeName=n1\nDownNodes=n[1-2] State=DOWN",
       "slurm.conf:4: DownNodes: no NodeName line defines n2"},
      {"PartitionName=p\nPartitionName=p",
       "slurm.conf:4: partition p is already defined at slurm.conf:3"},
      {"PartitionName=a,b", "slurm.conf:3: PartitionName: 'a,b' cannot be a name"},
      {"PartitionName=p State=SIDEWAYS",
       "slurm.conf:3: State: 'SIDEWAYS' is not one of UP, DOWN, DRAIN, INACTIVE"},
      {"PartitionName=p MaxTime=later",
       "slurm.conf:3: MaxTime: 'later' is not a time such as 30, 12:00:00, 7-00:00:00 or "
       "UNLIMITED"},
      {"PartitionName=p Default=maybe", "slurm.conf:3: Default: 'maybe' is not YES or NO"},
      {"PartitionName=p Shared=YES:0",
       "slurm.conf:3: OverSubscribe: 'YES:0' is not NO, EXCLUSIVE, YES:count or"},
      {"PartitionName=p MinNodes=4 MaxNodes=2", "slurm.conf:3: MinNodes=4 is more than MaxNodes=2"},
      {"PartitionName=p DefaultTime=2:00:00 MaxTime=60",
       "slurm.conf:3: DefaultTime=02:00:00 is longer than MaxTime=01:00:00"},
      {"NodeSet=s", "slurm.conf:3: NodeSet=s needs Feature= or Nodes="},
      {"NodeName=s\nNodeSet=s Nodes=s", "slurm.conf:4: NodeSet=s has the name of a node"},
      {"Include nothere.conf", "slurm.conf:3: cannot read /etc/slurm/nothere.conf: no such file"},
  };
  for (const BadLine& bad : cases)
    EXPECT_THAT(error_of(bad.text), HasSubstr(bad.message)) << bad.text;
}

TEST(ParseConfig, all_mistakes_are_told_at_once_but_not_without_end) {
  std::string text = "KillWait=x\n# fine\nMinJobAge=y\nNodeName=n1 Weight=z\n";
  EXPECT_EQ(split(error_of(text), '\n').size(), 3u);
  std::string flood;
  for (int i = 0; i < 100; ++i) flood += "NoSuchKeyAtAll=1\n";
  EXPECT_LE(split(error_of(flood), '\n').size(), kConfigErrorsMax + 1);
}

TEST(ParseConfig, includes_are_found_beside_the_file_that_includes_them) {
  auto parsed = parse_files({
      {"/etc/slurm/slurm.conf", "ClusterName=oak\nInclude conf.d/%c.conf\nSlurmctldHost=ctl\n"},
      {"/etc/slurm/conf.d/oak.conf", "include nodes.conf\nInclude\t/shared/parts.conf\n"},
      {"/etc/slurm/conf.d/nodes.conf", "NodeName=n[1-2]\n"},
      {"/shared/parts.conf", "PartitionName=p Nodes=ALL\n"},
  });
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_EQ(parsed->config.nodes.size(), 2u);
  EXPECT_EQ(parsed->config.partitions.at(0).nodes, "n[1-2]");
  EXPECT_THAT(parsed->files, ElementsAre("/etc/slurm/slurm.conf", "/etc/slurm/conf.d/oak.conf",
                                         "/etc/slurm/conf.d/nodes.conf", "/shared/parts.conf"));
}

TEST(ParseConfig, an_error_in_an_included_file_names_that_file) {
  auto parsed = parse_files(
      {{"/etc/slurm/slurm.conf", std::string(kHead) + "Include sub/a.conf\nKillWait=x\n"},
       {"/etc/slurm/sub/a.conf", "\nMinJobAge=x\n"}});
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text, HasSubstr("sub/a.conf:2: MinJobAge"));
  EXPECT_THAT(parsed.error().text, HasSubstr("slurm.conf:4: KillWait"));
}

TEST(ParseConfig, a_file_that_includes_itself_is_stopped) {
  EXPECT_THAT(error_of("Include slurm.conf\n"),
              HasSubstr("files include each other more than 16 deep"));
}

TEST(ParseConfig, the_cluster_name_must_stand_before_an_include_that_uses_it) {
  auto parsed = parse_files({{"/etc/slurm/slurm.conf", "Include %c.conf\n"}});
  ASSERT_FALSE(parsed);
  EXPECT_THAT(parsed.error().text,
              HasSubstr("slurm.conf:1: Include uses %c, but no ClusterName stands before it"));
}

TEST(ParseConfig, main_keys_reach_the_configuration) {
  ClusterConfig c = config_of(
      "slurmctldport=7000\nSLURMDPORT=7001\nSlurmctldDebug=5\nKillWait=7\nOverTimeLimit="
      "UNLIMITED\nJobRequeue=0\n"
      "AuthInfo=key_file=/k,jwks_file=/"
      "j,clock_skew=9999\nPrivateData=jobs,cloud\nDefMemPerNode=100\nSelectType=select/"
      "linear\nSlurmdParameters=config_overrides\n");
  EXPECT_EQ(c.controller_port, 7000);
  EXPECT_EQ(c.node_port, 7001);
  EXPECT_EQ(c.controller_debug, "debug");
  EXPECT_EQ(c.kill_wait, std::chrono::seconds(7));
  EXPECT_EQ(c.over_time_limit, std::chrono::minutes(0xffffffff));
  EXPECT_FALSE(c.requeue_by_default);
  EXPECT_EQ(c.key_file, "/k");
  EXPECT_EQ(security_of(c).jwks_file, "/j");
  EXPECT_EQ(security_of(c).clock_skew, std::chrono::seconds(600)) << "not more than that";
  EXPECT_TRUE(security_of(c).hidden.jobs);
  EXPECT_FALSE(security_of(c).hidden.nodes);
  EXPECT_FALSE(c.power.hide_cloud);
  EXPECT_EQ(c.default_memory_per_node_mb, 100u);
  EXPECT_TRUE(c.whole_nodes);
  EXPECT_FALSE(c.memory_is_consumable);
  EXPECT_TRUE(c.config_overrides);
}

TEST(ParseConfig, jobs_share_no_cores_unless_the_site_wants_it) {
  struct Row {
    const char* text;
    CpuUnit unit;
    bool memory;
  };
  for (const Row& row : {Row{"", CpuUnit::Core, true},
                         {"SelectTypeParameters=CR_Core\n", CpuUnit::Core, false},
                         {"SelectTypeParameters=CR_CPU\n", CpuUnit::Cpu, false},
                         {"SelectTypeParameters=CR_CPU_Memory\n", CpuUnit::Cpu, true},
                         {"SelectTypeParameters=CR_Socket\n", CpuUnit::Socket, false},
                         {"SelectTypeParameters=CR_Socket_Memory\n", CpuUnit::Socket, true}}) {
    auto parsed = parse(row.text);
    ASSERT_TRUE(parsed) << parsed.error().text;
    EXPECT_EQ(parsed->config.cpu_unit, row.unit) << row.text;
    EXPECT_EQ(parsed->config.memory_is_consumable, row.memory) << row.text;
    EXPECT_THAT(parsed->warnings, IsEmpty());
  }
}

TEST(ParseConfig, partitions_of_one_user_at_a_time_are_not_warned_of) {
  auto parsed = parse(
      "NodeName=n[1-2]\nPartitionName=a Nodes=n1 ExclusiveUser=YES\n"
      "PartitionName=b Nodes=n2 Exclusive=USER\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_TRUE(parsed->config.partitions[0].exclusive_user);
  EXPECT_TRUE(parsed->config.partitions[1].exclusive_user);
  EXPECT_THAT(parsed->warnings, IsEmpty());
}

TEST(ParseConfig, the_old_words_for_controllers_still_work) {
  auto parsed = parse_files(
      {{"/etc/slurm/slurm.conf",
        "ClusterName=c\nControlMachine=a\nControlAddr=10.0.0.1\nBackupController=b\n"}});
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(parsed->config.controllers,
              ElementsAre(ControllerHost{"a", "10.0.0.1"}, ControllerHost{"b", "b"}));
  EXPECT_EQ(parsed->warnings.size(), 3u);
}

TEST(ParseConfig, a_port_range_gives_its_first_port_and_a_warning) {
  auto parsed = parse("SlurmctldPort=6820-6823\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->config.controller_port, 6820);
  EXPECT_THAT(
      parsed->warnings,
      ElementsAre("slurm.conf:3: SlurmctldPort=6820-6823: one port is enough, 6820 is used"));
}

TEST(ParseConfig, one_warning_names_every_key_that_is_not_acted_on) {
  auto parsed = parse(
      "ResvProlog=/p\nSwitchType=switch/none\nTreeWidth=16\nNodeName=n[1-2] Topology=a\nNodeName=m "
      "Topology=b\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(parsed->warnings,
              ElementsAre("known but not acted on yet: ResvProlog, Topology on NodeName lines"));
  ASSERT_EQ(parsed->not_acted_on.size(), 2u);
  EXPECT_EQ(parsed->not_acted_on[1].count, 2u);
  EXPECT_EQ(parsed->not_acted_on[1].place, "slurm.conf:6");
}

TEST(ParseConfig, words_of_private_data_that_hide_nothing_are_named) {
  auto parsed = parse("PrivateData=jobs,events,usage,reservations,users,accounts\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(parsed->warnings,
              ElementsAre("known but not acted on yet: PrivateData=events, PrivateData=usage, "
                          "PrivateData=users, PrivateData=accounts"));
  auto all = parse("PrivateData=all\n");
  ASSERT_TRUE(all);
  EXPECT_THAT(all->warnings, IsEmpty());
}

TEST(ParseConfig, obsolete_keys_are_ignored_with_a_hint) {
  auto parsed = parse("FastSchedule=1\n");
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->warnings,
              ElementsAre("slurm.conf:3: FastSchedule is obsolete and ignored: 2 is now "
                          "SlurmdParameters=config_overrides"));
}

TEST(ParseConfig, a_key_given_twice_warns_and_the_last_counts) {
  auto parsed = parse("KillWait=5\nKillWait=6\n");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->config.kill_wait, std::chrono::seconds(6));
  EXPECT_THAT(
      parsed->warnings,
      ElementsAre(
          "slurm.conf:4: KillWait was given at slurm.conf:3 already, the last value is used"));
}

TEST(ParseConfig, every_key_is_shown_as_scontrol_prints_it) {
  ClusterConfig c = config_of(
      "SlurmdTimeout=120\nUsePAM=1\nPriorityMaxAge=30\nDefMemPerCPU=10\nSlurmctldHost=b(1.2.3.4)"
      "\n");
  EXPECT_EQ(shown(c, "SlurmdTimeout"), "120 sec");
  EXPECT_EQ(shown(c, "KillWait"), "30 sec");
  EXPECT_EQ(shown(c, "UsePam"), "Yes");
  EXPECT_EQ(shown(c, "TrackWCKey"), "No");
  EXPECT_EQ(shown(c, "PriorityMaxAge"), "00:30:00");
  EXPECT_EQ(shown(c, "PriorityDecayHalfLife"), "7-00:00:00");
  EXPECT_EQ(shown(c, "ResumeRate"), "300 nodes/min");
  EXPECT_EQ(shown(c, "DefMemPerCPU"), "10");
  EXPECT_EQ(shown(c, "DefMemPerNode"), "(absent)");
  EXPECT_EQ(shown(c, "MaxMemPerNode"), "UNLIMITED");
  EXPECT_EQ(shown(c, "SlurmctldHost[0]"), "ctl");
  EXPECT_EQ(shown(c, "SlurmctldHost[1]"), "b(1.2.3.4)");
  EXPECT_EQ(shown(c, "MailDomain"), "(null)");
  EXPECT_EQ(shown(c, "SLURM_CONF"), "/etc/slurm/slurm.conf");
  EXPECT_EQ(shown(c, "FastSchedule"), "(absent)");
  EXPECT_GT(c.shown.size(), 180u);
}

TEST(ParseConfig, a_password_is_never_shown) {
  ClusterConfig c = config_of("AccountingStoragePass=secret\nJobCompPass=secret\n");
  for (const auto& [key, value] : c.shown) EXPECT_NE(value, "secret") << key;
}

TEST(ParseConfig, the_file_of_a_site_is_understood) {
  auto parsed = parse_site();
  ASSERT_TRUE(parsed) << parsed.error().text;
  const ClusterConfig& c = parsed->config;
  EXPECT_EQ(c.cluster_name, "alder");
  EXPECT_EQ(c.nodes.size(), 140u);
  EXPECT_EQ(c.nodes[127].name, "c128");
  EXPECT_EQ(c.nodes[127].address, "10.10.1.128");
  EXPECT_EQ(c.nodes[0].cpus, 64u);
  EXPECT_EQ(c.nodes[132].gres, "gpu:a100:4");
  EXPECT_EQ(c.nodes[132].cpus, 128u);
  ASSERT_EQ(c.partitions.size(), 8u);
  EXPECT_EQ(c.partitions[4].nodes, "gpu[01-08]");
  EXPECT_EQ(c.partitions[4].default_time_s, 3600u);
  EXPECT_EQ(c.partitions[5].nodes, "c[001-128],fat[1-4],gpu[01-08]");
  EXPECT_TRUE(c.partitions[1].is_default);
  EXPECT_TRUE(c.partitions[6].exclusive);
  EXPECT_EQ(c.partitions[7].oversubscribe, "FORCE:2");
  EXPECT_EQ(c.partitions[7].priority_tier, 7u);
  EXPECT_EQ(c.down_nodes.at(0).reason, "DIMM errors, ticket 4711 # open");
  EXPECT_EQ(
      shown(c, "SchedulerParameters"),
      "bf_window=10080,bf_resolution=300,bf_max_job_user=50,bf_continue,default_queue_depth=1000");
}

TEST(ParseMainKeys, LooksAtNothingElse) {
  std::string text = std::string(kHead) +
                     "KillWait=7\n"
                     "  nodename=n1 Nonsense=1 \\\n  CPUs=\"\n"
                     "NodeName=n1 KillWait=9\nPartitionName=p Nodes=nobody\n"
                     "DownNodes=x\nNodeSet=y\n"
                     "SlurmdPort=99 PartitionName=p KillWait=8\nMaxArraySize=5\n";
  ASSERT_FALSE(parse_files({{"/etc/slurm/slurm.conf", text}}));
  auto config = main_keys_of(text);
  ASSERT_TRUE(config) << config.error().text;
  EXPECT_EQ(config->kill_wait, std::chrono::seconds(7));
  EXPECT_EQ(config->node_port, 99);
  EXPECT_EQ(config->max_array_size, 5u);
  EXPECT_EQ(config->controllers.at(0).name, "ctl");
}

TEST(ParseMainKeys, RefusesWhatIsWrongWithThem) {
  auto refused = main_keys_of(std::string(kHead) + "NodeName=n1 Nonsense=1\nKillWait=soon\n");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("slurm.conf:4: KillWait"));
  EXPECT_FALSE(main_keys_of("KillWait=7\n"));
}

TEST(ParseMainKeys, ShowsThoseThatAreGiven) {
  auto config = main_keys_of(std::string(kHead) + "TLSType=none\nKillWait=7\n").value();
  using Pair = std::pair<std::string, std::string>;
  EXPECT_THAT(config.shown, ElementsAre(Pair("ClusterName", "c"), Pair("TLSType", "none"),
                                        Pair("KillWait", "7 sec")));
}

// The fuzz target of slurm.conf tries the same on anything.
TEST(ParseMainKeys, AgreesWithTheWholeOfARealSite) {
  auto whole = parse_site();
  auto alone = parse_main_keys(testdata() / "site.conf", read_real_file);
  ASSERT_TRUE(whole && alone);
  ASSERT_FALSE(whole->config.nodes.empty());
  for (const auto& given : alone->shown)
    EXPECT_TRUE(std::ranges::count(whole->config.shown, given)) << given.first;
  alone->shown = whole->config.shown;
  EXPECT_TRUE(*alone == static_cast<const MainConfig&>(whole->config));
}

}  // namespace
}  // namespace ym
