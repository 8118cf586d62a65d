// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.h"
#include "base/prng.h"
#include "config/parse.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

Result<ParsedConfig> parse_text(const std::string& text) {
  return parse_config("slurm.conf",
                      [&](const std::string&) -> Result<std::string> { return text; });
}

std::string word(Prng& prng) {
  static constexpr std::string_view kWords[] = {
      "",    "a,b",       "two words",  "hash # it", "back\\slash", "a\"quote",
      "x=1", "tab\there", "gpu:a100:4", "\"",        "#",           "ends\\"};
  return std::string(kWords[prng.below(std::size(kWords))]);
}

NodeSpec random_node(Prng& prng, std::uint16_t node_port) {
  NodeSpec n;
  n.boards = static_cast<std::uint32_t>(prng.between(1, 2));
  n.sockets = n.boards * static_cast<std::uint32_t>(prng.between(1, 4));
  n.cores_per_socket = static_cast<std::uint32_t>(prng.between(1, 64));
  n.threads_per_core = static_cast<std::uint32_t>(prng.between(1, 2));
  n.cpus = n.sockets * n.cores_per_socket * (prng.chance(1, 2) ? n.threads_per_core : 1);
  n.memory_mb = prng.chance(1, 2) ? 1 : prng.below(1 << 20) + 0xfffffff0;
  n.tmp_mb = prng.below(3);
  n.weight = static_cast<std::uint32_t>(prng.below(3));
  n.features = word(prng);
  n.gres = prng.chance(1, 2) ? "gpu:a100:2,tool:no_consume:3" : "";
  n.reason = word(prng);
  n.cpu_spec_list = prng.chance(1, 4) ? "0,1" : "";
  n.core_spec_count = static_cast<std::uint32_t>(prng.below(2));
  n.system_cpus = count_system_cpus(n);
  n.mem_spec_limit_mb = prng.below(2) * 100;
  static constexpr std::string_view kStates[] = {"UNKNOWN", "DOWN", "DRAIN", "FUTURE", "CLOUD"};
  n.state = kStates[prng.below(std::size(kStates))];
  n.port = node_port;
  return n;
}

// Runs of nodes alike, whose hosts, addresses and ports are regular, all one, or in disorder.
void add_nodes(Prng& prng, ClusterConfig& config) {
  std::string prefix = fmt::format("n{}x", config.nodes.size());
  NodeSpec spec = random_node(prng, config.node_port);
  auto hosts = prng.below(4), addresses = prng.below(4), ports = prng.below(4);
  for (std::uint64_t i = 0, count = 1 + prng.below(12); i < count; ++i) {
    spec.name =
        prng.chance(1, 8) ? fmt::format("{}{:04}", prefix, i) : fmt::format("{}{}", prefix, i);
    spec.hostname = hosts == 0   ? spec.name
                    : hosts == 1 ? "box"
                                 : fmt::format("h{}", hosts == 2 ? i : prng.below(99));
    spec.address = addresses == 0   ? spec.hostname
                   : addresses == 1 ? fmt::format("10.0.0.{}", i)
                   : addresses == 2 ? fmt::format("fd00::{}", i)
                                    : "127.0.0.1";
    if (ports == 1) spec.port = 7000;
    if (ports == 2) spec.port = static_cast<std::uint16_t>(7000 + i);
    if (ports == 3) spec.port = static_cast<std::uint16_t>(1 + prng.below(65535));
    config.nodes.push_back(spec);
  }
}

PartitionSpec random_partition(Prng& prng, const ClusterConfig& config, std::uint64_t number) {
  PartitionSpec p;
  p.name = fmt::format("part-{}", number);
  Hostlist nodes;
  for (const NodeSpec& node : config.nodes)
    if (prng.chance(1, 2)) nodes.push_back(node.name);
  p.nodes = nodes.str();
  p.state = static_cast<PartitionState>(prng.below(4));
  p.hidden = prng.chance(1, 2);
  p.root_only = prng.chance(1, 2);
  p.disable_root = prng.chance(1, 2);
  p.exclusive_user = prng.chance(1, 2);
  p.lln = prng.chance(1, 2);
  p.req_resv = prng.chance(1, 2);
  p.default_time_s = static_cast<std::uint32_t>(prng.below(5000));
  p.max_time_s = prng.chance(1, 2)
                     ? 0xffffffff
                     : p.default_time_s + static_cast<std::uint32_t>(prng.below(1'000'000));
  p.min_nodes = static_cast<std::uint32_t>(prng.below(3));
  p.max_nodes = prng.chance(1, 2) ? 0xffffffff : 5;
  p.max_cpus_per_node = prng.chance(1, 2) ? 0xffffffff : 0;
  p.priority_tier = static_cast<std::uint32_t>(prng.below(3));
  p.priority_job_factor = static_cast<std::uint32_t>(prng.below(3));
  (prng.chance(1, 2) ? p.default_memory_per_cpu_mb : p.default_memory_per_node_mb) =
      prng.below(2) * 4294967295u;
  (prng.chance(1, 2) ? p.max_memory_per_cpu_mb : p.max_memory_per_node_mb) = prng.below(2) * 5000;
  p.grace_time_s = static_cast<std::uint32_t>(prng.below(2) * 60);
  p.allow_groups = word(prng);
  p.deny_accounts = word(prng);
  p.topology = word(prng);
  p.tres_billing_weights = prng.chance(1, 2) ? "" : "CPU=1.0,Mem=0.25G,GRES/gpu:a100=2";
  p.alloc_nodes = prng.chance(1, 2) ? "ALL" : "login1";
  static constexpr std::string_view kSharing[] = {"NO", "YES:4", "FORCE:2", "EXCLUSIVE"};
  p.oversubscribe = kSharing[prng.below(std::size(kSharing))];
  p.exclusive = p.oversubscribe == "EXCLUSIVE";
  p.exclusive_topo = p.exclusive && prng.chance(1, 2);
  static constexpr std::uint32_t kOver[] = {kOverTimeOfCluster, 0xffffffff, 0, 5};
  p.over_time_limit_min = kOver[prng.below(std::size(kOver))];
  p.preempt_mode = prng.chance(1, 2) ? "OFF" : "REQUEUE";
  p.default_cpus_per_gpu = static_cast<std::uint32_t>(prng.below(3));
  p.default_memory_per_gpu_mb = prng.below(3);
  return p;
}

ClusterConfig random_config(Prng& prng) {
  ClusterConfig c;
  c.cluster_name = "oak";
  c.controllers = {{"ctl1", "ctl1"}};
  if (prng.chance(1, 2)) c.controllers.push_back({"ctl2", "10.0.0.2"});
  c.node_port = prng.chance(1, 2) ? 6818 : 7000;
  c.controller_log = prng.chance(1, 2) ? "/var/log/with blank" : "";
  c.key_file = prng.chance(1, 2) ? "/etc/key" : "";
  c.preempt.by = prng.chance(1, 2) ? PreemptBy::Qos : PreemptBy::PartitionTier;
  c.preempt.mode_text = prng.chance(1, 2) ? "CANCEL" : "GANG,SUSPEND";
  c.preempt.cluster = parse_preempt_mode(c.preempt.mode_text);
  c.preempt.exempt_s = static_cast<std::uint32_t>(prng.below(2) * 90);
  c.preempt.slice_s = static_cast<std::uint32_t>(30 + prng.below(2) * 60);
  c.preempt.youngest_first = prng.chance(1, 2);
  c.preempt.suspend_grace_s = static_cast<std::uint32_t>(prng.below(3));
  c.over_time_limit = std::chrono::minutes(prng.below(2) ? 0xffffffff : prng.below(9));
  c.whole_nodes = prng.chance(1, 2);
  c.memory_is_consumable = prng.chance(1, 2);
  static constexpr CpuUnit kUnits[] = {CpuUnit::Cpu, CpuUnit::Core, CpuUnit::Socket};
  if (!c.whole_nodes) c.cpu_unit = kUnits[prng.below(std::size(kUnits))];
  c.kill_wait = std::chrono::seconds(prng.below(99));
  c.requeue_by_default = prng.chance(1, 2);
  c.gres_types = prng.chance(1, 2) ? "gpu,tool" : "";
  c.default_cpus_per_gpu = static_cast<std::uint32_t>(prng.below(3));
  c.default_memory_per_gpu_mb = prng.below(3);
  c.gres_enforce_binding = prng.chance(1, 2);
  c.gres_many_per_shared = prng.chance(1, 2);
  for (std::uint64_t i = prng.below(6); i > 0; --i) add_nodes(prng, c);
  if (!c.nodes.empty() && prng.chance(1, 2))
    c.down_nodes.push_back({c.nodes[0].name, "DOWN", word(prng)});
  for (std::uint64_t i = prng.below(4); i > 0; --i)
    c.partitions.push_back(random_partition(prng, c, i));
  if (!c.partitions.empty()) c.partitions[0].is_default = true;
  return c;
}

TEST(PrintConfig, what_is_printed_parses_to_the_same_configuration) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Prng prng(seed);
    ClusterConfig config = random_config(prng);
    std::string text = print_config(config);
    auto again = parse_text(text);
    ASSERT_TRUE(again) << "seed " << seed << "\n" << again.error().text << "\n" << text;
    again->config.shown.clear();
    ASSERT_EQ(again->config, config) << "seed " << seed << "\n" << text;
  }
}

TEST(PrintConfig, nodes_alike_share_a_line) {
  auto parsed = parse_text(
      "ClusterName=c\nSlurmctldHost=h\nNodeName=n[1-1000] CPUs=4 NodeAddr=10.1.[0-9].[1-100]\n");
  ASSERT_TRUE(parsed) << parsed.error().text;
  EXPECT_THAT(print_config(parsed->config),
              testing::HasSubstr("\nNodeName=n[1-1000] NodeAddr=10.1.0.[1-100],10.1.1.[1-100],"));
}

TEST(PrintConfig, very_long_lines_are_split) {
  ClusterConfig config;
  config.controllers = {{"h", "h"}};
  config.memory_is_consumable = true;
  NodeSpec spec{.port = 6818, .state = "UNKNOWN"};
  for (int i = 0; i < 200'000; ++i) {
    spec.name = spec.hostname = spec.address = fmt::format("node-{}-name", i * 7);
    config.nodes.push_back(spec);
  }
  auto again = parse_text(print_config(config));
  ASSERT_TRUE(again) << again.error().text;
  again->config.shown.clear();
  EXPECT_TRUE(again->config == config);
}

}  // namespace
}  // namespace ym
