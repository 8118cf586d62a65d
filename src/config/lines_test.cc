// SPDX-License-Identifier: Apache-2.0
// Node and partition lines: what they say, what follows from it, what DEFAULT adds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "config/cpus.h"
#include "config/fields.h"
#include "config/nodes.h"
#include "config/parse.h"
#include "config/partitions.h"

namespace ym {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ParsedConfig parsed(const std::string& text) {
  std::string all = "ClusterName=c\nSlurmctldHost=h\n" + text;
  auto result =
      parse_config("slurm.conf", [&](const std::string&) -> Result<std::string> { return all; });
  EXPECT_TRUE(result) << text << ": " << result.error().text;
  return result ? *result : ParsedConfig{};
}

NodeSpec node(const std::string& rest) { return parsed("NodeName=n1 " + rest).config.nodes.at(0); }
PartitionSpec partition(const std::string& rest) {
  return parsed("NodeName=n[1-9]\nPartitionName=p " + rest).config.partitions.at(0);
}

struct CpuCase {
  std::string line;
  std::string result;  // cpus boards sockets cores threads
  bool warns = false;
};

TEST(NodeLine, cpus_are_worked_out_as_slurm_does) {
  const CpuCase cases[] = {
      {"", "1 1 1 1 1"},
      {"CPUs=8", "8 1 8 1 1"},
      {"Procs=8", "8 1 8 1 1"},
      {"Sockets=2 CoresPerSocket=16 ThreadsPerCore=2", "64 1 2 16 2"},
      {"CPUs=64 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2", "64 1 2 16 2"},
      {"CPUs=32 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2", "32 1 2 16 2"},  // cores count
      {"CPUs=64 CoresPerSocket=16 ThreadsPerCore=2", "64 1 2 16 2"},
      {"CPUs=16 CoresPerSocket=16 ThreadsPerCore=2", "16 1 1 16 2"},
      {"Boards=2 SocketsPerBoard=4 CoresPerSocket=8", "64 2 8 8 1"},
      {"Boards=2 CoresPerSocket=8", "16 2 2 8 1"},
      {"Boards=4 Sockets=2", "2 1 2 1 1", true},
      {"Sockets=3 SocketsPerBoard=2", "2 1 2 1 1", true},
      {"CPUs=7 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2", "16 1 2 4 2", true},
  };
  for (const CpuCase& c : cases) {
    ParsedConfig config = parsed("NodeName=n1 " + c.line);
    const NodeSpec& n = config.config.nodes.at(0);
    EXPECT_EQ(fmt::format("{} {} {} {} {}", n.cpus, n.boards, n.sockets, n.cores_per_socket,
                          n.threads_per_core),
              c.result)
        << c.line;
    EXPECT_EQ(!config.warnings.empty(), c.warns) << c.line;
  }
}

TEST(NodeLine, names_hosts_addresses_and_ports_go_in_step) {
  auto nodes =
      parsed("NodeName=n[1-100] NodeHostname=host[01-100] NodeAddr=10.0.0.[1-100] Port=[7001-7100]")
          .config.nodes;
  ASSERT_EQ(nodes.size(), 100u);
  EXPECT_EQ(nodes[0].hostname, "host01");
  EXPECT_EQ(nodes[98].name, "n99");
  EXPECT_EQ(nodes[98].hostname, "host99");
  EXPECT_EQ(nodes[99].hostname, "host100");
  EXPECT_EQ(nodes[99].address, "10.0.0.100");
  EXPECT_EQ(nodes[99].port, 7100);
}

TEST(NodeLine, one_host_serves_many_nodes_on_their_own_ports) {
  for (const char* ports : {"7001-7003", "[7001-7003]", "7001,7002,7003", "[7001,7002-7003]"}) {
    auto nodes =
        parsed(fmt::format("NodeName=n[1-3] NodeHostname=box NodeAddr=127.0.0.1 Port={}", ports))
            .config.nodes;
    ASSERT_EQ(nodes.size(), 3u);
    EXPECT_EQ(nodes[2].hostname, "box");
    EXPECT_EQ(nodes[2].address, "127.0.0.1");
    EXPECT_EQ(nodes[2].port, 7003) << ports;
  }
}

TEST(NodeLine, what_is_not_said_follows_from_the_name_and_slurmd_port) {
  NodeSpec n = parsed("NodeName=n1 NodeHostname=h1\nSlurmdPort=7777").config.nodes.at(0);
  EXPECT_EQ(n.address, "h1");
  EXPECT_EQ(n.port, 7777);
  EXPECT_EQ(n.state, "UNKNOWN");
  EXPECT_EQ(n.memory_mb, 1u);
}

TEST(NodeLine, an_ipv6_address_is_taken_as_it_is) {
  EXPECT_EQ(node("NodeAddr=fd00::1").address, "fd00::1");
}

TEST(NodeLine, default_lines_add_up_and_hold_for_what_follows) {
  auto nodes =
      parsed(
          "NodeName=a\nNodeName=DEFAULT CPUs=4 Weight=5\nNodeName=b\nnodename=default Weight=6\n"
          "NodeName=c\nNodeName=d CPUs=2")
          .config.nodes;
  std::string seen;
  for (const NodeSpec& n : nodes) seen += fmt::format("{}:{}:{} ", n.name, n.cpus, n.weight);
  EXPECT_EQ(seen, "a:1:1 b:4:5 c:4:6 d:2:6 ");
}

TEST(NodeLine, the_other_words_are_kept) {
  NodeSpec n = node(
      "Feature=a,b Gres=gpu:2 State=drain Reason=\"bad disk\" TmpDisk=9 RealMemory=7 "
      "CpuSpecList=0,1 "
      "CoreSpecCount=2 MemSpecLimit=3");
  EXPECT_EQ(n.features, "a,b");
  EXPECT_EQ(n.gres, "gpu:2");
  EXPECT_EQ(n.state, "DRAIN");
  EXPECT_EQ(n.reason, "bad disk");
  EXPECT_EQ(n.tmp_mb, 9u);
  EXPECT_EQ(n.memory_mb, 7u);
  EXPECT_EQ(n.cpu_spec_list, "0,1");
  EXPECT_EQ(n.core_spec_count, 2u);
  EXPECT_EQ(n.mem_spec_limit_mb, 3u);
}

TEST(NodeLine, idle_is_not_for_the_file_to_say) {
  ParsedConfig config = parsed("NodeName=n1 State=IDLE");
  EXPECT_EQ(config.config.nodes.at(0).state, "UNKNOWN");
  EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("State=UNKNOWN is used")));
}

TEST(NodeSet, stands_for_its_nodes_in_partitions) {
  auto config =
      parsed(
          "NodeName=a[1-3] Feature=gpu,x\nNodeName=b[1-3]\nNodeName=c1 Feature=gpux\n"
          "NodeSet=g Feature=gpu\nNodeSet=m Nodes=b2 Feature=gpux\n"
          "PartitionName=p Nodes=g,b1\nPartitionName=q Nodes=m\nPartitionName=r Nodes=b3,b1")
          .config;
  EXPECT_EQ(config.partitions[0].nodes, "a[1-3],b1");
  EXPECT_EQ(config.partitions[1].nodes, "b2,c1");
  EXPECT_EQ(config.partitions[2].nodes, "b[3,1]");
}

TEST(DownNodes, are_kept_with_their_defaults) {
  auto config = parsed(
                    "NodeName=n[1-9]\nDownNodes=DEFAULT State=DOWN Reason=old\nDownNodes=n[1-2]\n"
                    "DownNodes=n3 State=drain Reason=new")
                    .config;
  EXPECT_THAT(config.down_nodes, ElementsAre(ClusterConfig::DownNodes{"n[1-2]", "DOWN", "old"},
                                             ClusterConfig::DownNodes{"n3", "DRAIN", "new"}));
}

TEST(PartitionLine, a_lone_partition_is_no_default) {
  EXPECT_FALSE(partition("Nodes=ALL").is_default);
}

TEST(PartitionLine, of_several_defaults_the_last_stays) {
  ParsedConfig config =
      parsed("PartitionName=a Default=YES\nPartitionName=b Default=YES\nPartitionName=c");
  EXPECT_FALSE(config.config.partitions[0].is_default);
  EXPECT_TRUE(config.config.partitions[1].is_default);
  EXPECT_THAT(config.warnings,
              ElementsAre("slurm.conf:4: b has Default=YES, as a had: the last one is used"));
}

TEST(PartitionLine, has_the_memory_limit_of_the_cluster_unless_it_has_its_own) {
  std::string partitions =
      "\nNodeName=n1\nPartitionName=a\nPartitionName=b MaxMemPerCPU=7\nPartitionName=c "
      "MaxMemPerNode=9";
  ParsedConfig by_cpu = parsed("MaxMemPerCPU=5" + partitions);
  EXPECT_EQ(by_cpu.config.partitions[0].max_memory_per_cpu_mb, 5u);
  EXPECT_EQ(by_cpu.config.partitions[1].max_memory_per_cpu_mb, 7u);
  EXPECT_EQ(by_cpu.config.partitions[2].max_memory_per_cpu_mb, 0u);
  EXPECT_EQ(by_cpu.config.partitions[2].max_memory_per_node_mb, 9u);
  ParsedConfig by_node = parsed("MaxMemPerNode=6" + partitions);
  EXPECT_EQ(by_node.config.partitions[0].max_memory_per_node_mb, 6u);
  EXPECT_EQ(by_node.config.partitions[1].max_memory_per_node_mb, 0u);
}

TEST(PartitionLine, says_all_it_can_say) {
  PartitionSpec p = partition(
      "Nodes=n[1-3] MaxTime=2-0 DefaultTime=90 MinNodes=1 MaxNodes=3 MaxCPUsPerNode=4 "
      "PriorityTier=9 Hidden=YES "
      "RootOnly=yes DisableRootJobs=TRUE ExclusiveUser=1 DefMemPerCPU=10 MaxMemPerNode=20 "
      "GraceTime=30 "
      "AllowGroups=g AllowAccounts=ALL DenyQos=q QOS=z Alternate=y PreemptMode=cancel LLN=YES "
      "ReqResv=YES State=drain");
  EXPECT_EQ(p.nodes, "n[1-3]");
  EXPECT_EQ(p.max_time_s, 172800u);
  EXPECT_EQ(p.default_time_s, 5400u);
  EXPECT_EQ(p.min_nodes, 1u);
  EXPECT_EQ(p.max_nodes, 3u);
  EXPECT_EQ(p.max_cpus_per_node, 4u);
  EXPECT_EQ(p.priority_tier, 9u);
  EXPECT_EQ(p.priority_job_factor, 1u);
  EXPECT_TRUE(p.hidden && p.root_only && p.disable_root && p.exclusive_user && p.lln && p.req_resv);
  EXPECT_EQ(p.default_memory_per_cpu_mb, 10u);
  EXPECT_EQ(p.max_memory_per_node_mb, 20u);
  EXPECT_EQ(p.grace_time_s, 30u);
  EXPECT_EQ(p.allow_groups, "g");
  EXPECT_EQ(p.allow_accounts, "");
  EXPECT_EQ(p.deny_qos, "q");
  EXPECT_EQ(p.preempt_mode, "CANCEL");
  EXPECT_EQ(p.over_time_limit_min, kOverTimeOfCluster);
  EXPECT_EQ(p.state, PartitionState::Drain);
}

TEST(PartitionLine, sharing_has_old_and_new_words) {
  const std::pair<const char*, const char*> cases[] = {{"", "NO"},
                                                       {"Shared=yes", "YES:4"},
                                                       {"OverSubscribe=FORCE:8", "FORCE:8"},
                                                       {"Shared=EXCLUSIVE", "EXCLUSIVE"},
                                                       {"Exclusive=NODE", "EXCLUSIVE"},
                                                       {"Exclusive=NO", "NO"},
                                                       {"Exclusive=USER", "NO"},
                                                       {"ExclusiveTopo=YES", "EXCLUSIVE"}};
  for (auto [text, want] : cases) {
    PartitionSpec p = partition(text);
    EXPECT_EQ(p.oversubscribe, want) << text;
    EXPECT_EQ(p.exclusive, p.oversubscribe == "EXCLUSIVE") << text;
  }
  EXPECT_TRUE(partition("Exclusive=USER").exclusive_user);
}

TEST(PartitionLine, the_old_priority_sets_both_new_ones) {
  EXPECT_EQ(partition("Priority=5").priority_tier, 5u);
  EXPECT_EQ(partition("Priority=5").priority_job_factor, 5u);
  EXPECT_EQ(partition("Priority=5 PriorityTier=6").priority_tier, 6u);
}

TEST(PartitionLine, a_node_named_twice_counts_once) {
  EXPECT_EQ(partition("Nodes=n[1-3],n2").nodes, "n[1-3]");
}

TEST(PartitionLine, unlimited_times_are_the_default) {
  EXPECT_EQ(partition("MaxTime=INFINITE").max_time_s, 0xffffffffu);
  EXPECT_EQ(partition("").max_time_s, 0xffffffffu);
  EXPECT_EQ(partition("").default_time_s, 0u);
}

TEST(PartitionLine, job_defaults_are_those_for_gpus) {
  PartitionSpec p = partition("JobDefaults=DefCpuPerGPU=2,DefMemPerGPU=1024");
  EXPECT_EQ(p.default_cpus_per_gpu, 2u);
  EXPECT_EQ(p.default_memory_per_gpu_mb, 1024u);
  EXPECT_EQ(p.job_defaults, "DefCpuPerGPU=2,DefMemPerGPU=1024");
}

}  // namespace
}  // namespace ym
