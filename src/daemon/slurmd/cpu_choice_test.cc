// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/cpu_choice.h"

#include <gtest/gtest.h>

#include "os/environment_block.h"

namespace ym {
namespace {

Machine machine() {
  Machine out{.cpus = 4, .cores_per_socket = 4};
  for (std::uint32_t n = 0; n < 4; ++n) out.places.push_back({.number = n, .core = n});
  return out;
}
ClusterConfig config(std::uint32_t nodes, std::uint32_t cpus) {
  ClusterConfig out;
  for (std::uint32_t n = 0; n < nodes; ++n)
    out.nodes.push_back({.name = "n" + std::to_string(n), .hostname = "h", .cpus = cpus});
  return out;
}
CpuChoice choice(const ClusterConfig& with, bool root = true) {
  return CpuChoice(machine(), with.nodes[0], with, root);
}
ShepherdOrder order(std::uint64_t sluid, std::uint32_t step, std::uint32_t tasks) {
  ShepherdOrder out{.sluid = Sluid{sluid}, .step = {step}, .node = "n0"};
  out.environment = std::string("SLURM_CPU_BIND=old\0", 19);
  for (std::uint32_t n = 0; n < tasks; ++n) out.tasks.push_back({.rank = n});
  return out;
}

TEST(CpuChoice, GivesJobsStepsAndTasksTheirCpus) {
  agent::Agent agent;
  CpuChoice cpus = choice(config(1, 4));
  ShepherdOrder first = order(1, 0, 2);
  cpus.give(first, {.job_cpus = 3, .cpus = 2}, agent);
  EXPECT_EQ(first.job_cpus, "0-2");
  EXPECT_EQ(first.cpus, "0-1");
  EXPECT_EQ(first.tasks[1].cpus, "1");
  EXPECT_EQ(EnvironmentBlock(first.environment).get("SLURM_CPU_BIND"), "quiet,mask_cpu:0x1,0x2");
}

TEST(CpuChoice, ABatchScriptHasAllOfItsJobsCpus) {
  agent::Agent agent;
  CpuChoice cpus = choice(config(1, 4));
  LaunchJob job{.nodes = "n[0-1]", .cpus = {2, 1}};
  ShepherdOrder batch = order(1, kBatchStep.value, 1);
  cpus.give(batch, cpu_wish(job, "n0"), agent);
  EXPECT_EQ(batch.cpus, "0-1");
  EXPECT_EQ(batch.tasks[0].cpus, "0-1");
}

TEST(CpuChoice, PretendedNodesBindNothing) {
  agent::Agent agent;
  for (const ClusterConfig& with : {config(1, 64), config(2, 1)}) {
    CpuChoice cpus = choice(with);
    ShepherdOrder one = order(1, 0, 1);
    cpus.give(one, {.job_cpus = 1, .cpus = 1}, agent);
    EXPECT_EQ(one.cpus + one.job_cpus + one.tasks[0].cpus, "");
    EXPECT_FALSE(EnvironmentBlock(one.environment).has("SLURM_CPU_BIND"));
  }
}

TEST(CpuChoice, ADaemonThatIsNotRootBindsOnlyOnRequest) {
  agent::Agent agent;
  CpuChoice cpus = choice(config(1, 4), false);
  ShepherdOrder one = order(1, 0, 1), two = order(1, 1, 1);
  cpus.give(one, {.job_cpus = 2, .cpus = 1}, agent);
  EXPECT_EQ(one.tasks[0].cpus, "");
  cpus.give(two, {.job_cpus = 2, .cpus = 1, .binding = {.cpu_bind = "cores"}}, agent);
  EXPECT_NE(two.tasks[0].cpus, "");
}

TEST(CpuChoice, ARestartedDaemonGoesOnFromItsSpool) {
  agent::Agent agent;
  agent::Outbox out;
  agent.recover({{.job = JobId{1}, .sluid = Sluid{1}, .step = {0}, .found = agent::Found::Alive}},
                out);
  CpuChoice cpus = choice(config(1, 4));
  ShepherdOrder known = order(1, 0, 1);
  known.job_cpus = "0-2";
  known.cpus = "0";
  cpus.adopt(known, true);
  ShepherdOrder second = order(1, 1, 1), other = order(2, 0, 1);
  cpus.give(second, {.job_cpus = 3, .cpus = 2}, agent);
  EXPECT_EQ(second.cpus, "1-2");
  cpus.give(other, {.job_cpus = 1, .cpus = 1}, agent);
  EXPECT_EQ(other.cpus, "3");
}

}  // namespace
}  // namespace ym
