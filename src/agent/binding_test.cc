// SPDX-License-Identifier: Apache-2.0
#include "agent/binding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/prng.h"

namespace ym::agent {
namespace {

// Two sockets of four cores with two threads: core n is CPUs n and n+8.
const Topology kBig = Topology::regular(2, 4, 2);

// "0,8|4,12": the CPUs of each task.
std::string dealt(const Topology& machine, std::uint32_t tasks, std::uint32_t cpus_per_task,
                  const char* distribution) {
  std::string out;
  for (const CpuNumbers& cpus : deal_cpus(machine.cpus, tasks, cpus_per_task, distribution))
    out += fmt::format("{}{}", out.empty() ? "" : "|", print_cpu_list(cpus));
  return out;
}

TEST(DealCpus, CyclicGoesRoundTheSocketsAndBlockFillsThem) {
  EXPECT_EQ(dealt(kBig, 4, 1, ""), "0|4|1|5");
  EXPECT_EQ(dealt(kBig, 4, 1, "*:cyclic"), "0|4|1|5");
  EXPECT_EQ(dealt(kBig, 4, 1, "*:block"), "0|1|2|3");
  EXPECT_EQ(dealt(kBig, 5, 1, "*:block"), "0|1|2|3|8");
}

TEST(DealCpus, TheCpusOfATaskStayTogether) {
  EXPECT_EQ(dealt(kBig, 2, 2, ""), "0,8|4,12");
  EXPECT_EQ(dealt(kBig, 2, 4, ""), "0-1,8-9|4-5,12-13");
  EXPECT_EQ(dealt(kBig, 2, 4, "*:fcyclic"), "0-1,4-5|2-3,6-7");
  EXPECT_EQ(dealt(kBig, 2, 2, "*:block:fcyclic"), "0-1|2-3");
}

TEST(DealCpus, ThreadsOfACoreAreUsedInTurnOrTogether) {
  Topology small = Topology::regular(1, 2, 2);  // cores 0,2 and 1,3
  EXPECT_EQ(dealt(small, 4, 1, "*:block:block"), "0|2|1|3");
  EXPECT_EQ(dealt(small, 4, 1, "*:block:cyclic"), "0|1|2|3");
  EXPECT_EQ(dealt(small, 2, 1, "*:block:block"), "0|1");
}

TEST(DealCpus, TooFewCpusAreSharedInTurn) {
  Topology two = Topology::regular(1, 2, 1);
  EXPECT_EQ(dealt(two, 5, 1, ""), "0|1|0|1|0");
  EXPECT_EQ(dealt(two, 1, 9, ""), "0-1");
  EXPECT_EQ(deal_cpus({}, 2, 1, "").size(), 2u);
}

TEST(DealCpus, NoCpuIsGivenTwiceWhileThereAreEnough) {
  Prng prng(23);
  for (int round = 0; round < 400; ++round) {
    auto dice = [&](std::uint64_t most) {
      return static_cast<std::uint32_t>(1 + prng.below(most));
    };
    Topology machine = Topology::regular(dice(3), dice(4), dice(2));
    std::uint32_t per_task = dice(4);
    auto tasks = static_cast<std::uint32_t>(machine.cpus.size() / per_task);
    static constexpr const char* kKinds[] = {
        "", "*:block", "*:fcyclic", "*:cyclic:block", "*:block:cyclic", "*:*:fcyclic"};
    std::map<std::uint32_t, int> seen;
    for (const CpuNumbers& cpus :
         deal_cpus(machine.cpus, tasks, per_task, kKinds[prng.below(std::size(kKinds))])) {
      EXPECT_EQ(cpus.size(), per_task);
      for (std::uint32_t cpu : cpus) EXPECT_EQ(++seen[cpu], 1);
    }
  }
}

struct Asked {
  std::uint32_t tasks = 1, cpus_per_task = 1;
  const char* cpu_bind = "";
  const char* mem_bind = "";
  const char* cpus = "0-15";
  std::uint32_t threads_per_core = 0;
  const char* distribution = "";
};
StepBinding bound(const Asked& asked, const BindingRules& rules = {}) {
  BindingRequest request{.topology = kBig,
                         .cpus = parse_cpu_list(asked.cpus).value(),
                         .cpus_per_task = asked.cpus_per_task,
                         .wish = {.cpu_bind = asked.cpu_bind,
                                  .mem_bind = asked.mem_bind,
                                  .distribution = asked.distribution,
                                  .threads_per_core = asked.threads_per_core},
                         .node = "n1"};
  for (std::uint32_t n = 0; n < asked.tasks; ++n) request.ranks.push_back(n + 4);
  return bind_step(request, rules);
}
std::string masks(const StepBinding& binding) {
  std::string out;
  for (const TaskBinding& task : binding.tasks)
    out += fmt::format("{}{}", out.empty() ? "" : "|",
                       task.cpus.empty() ? "-" : print_cpu_list(task.cpus));
  return out;
}
std::string variable(const StepBinding& binding, std::string_view name) {
  for (const auto& [known, value] : binding.environment)
    if (known == name) return value;
  return "?";
}

TEST(Binding, IsAutomaticWhereTheTasksFit) {
  EXPECT_EQ(masks(bound({.tasks = 2})), "0-3,8-11|4-7,12-15");  // two sockets
  EXPECT_EQ(masks(bound({.tasks = 8})), "0,8|4,12|1,9|5,13|2,10|6,14|3,11|7,15");
  EXPECT_EQ(masks(bound({.tasks = 4, .cpus_per_task = 2})), "0,8|4,12|1,9|5,13");
  EXPECT_EQ(masks(bound({.tasks = 8, .cpus_per_task = 2})),
            "0,8|4,12|1,9|5,13|2,10|6,14|3,11|7,15");
  EXPECT_EQ(masks(bound({.tasks = 4, .cpus = "0-1,8-9"})), "0|1|8|9");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpus = "0-1,8-9"})), "0,8|1,9");
  EXPECT_EQ(masks(bound({.tasks = 3})), "0-15|0-15|0-15");  // fits nothing: all that it has
  EXPECT_EQ(masks(bound({.tasks = 1, .cpus = "0-1"})), "0-1");
}

TEST(Binding, TheUserChooses) {
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "none"})), "-|-");
  EXPECT_EQ(masks(bound({.tasks = 3, .cpu_bind = "cores"})), "0,8|4,12|1,9");
  EXPECT_EQ(masks(bound({.tasks = 3, .cpu_bind = "threads"})), "0|4|1");
  EXPECT_EQ(masks(bound({.tasks = 3, .cpu_bind = "sockets"})), "0-3,8-11|4-7,12-15|0-3,8-11");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "ldoms"})), "0-3,8-11|4-7,12-15");
  EXPECT_EQ(masks(bound({.tasks = 3, .cpu_bind = "rank"})), "0|1|2");
  EXPECT_EQ(masks(bound({.tasks = 3, .cpu_bind = "map_cpu:3,5"})), "3|5|3");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "mask_cpu:0x3,0xf0"})), "0-1|4-7");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "rank_ldom"})), "0-3,8-11|4-7,12-15");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "map_ldom:1"})), "4-7,12-15|4-7,12-15");
  EXPECT_EQ(masks(bound({.tasks = 1, .cpu_bind = "mask_ldom:0x3"})), "0-15");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "cores", .distribution = "*:block"})), "0,8|1,9");
}

TEST(Binding, CpusOfOthersAreNotToBeHad) {
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "map_cpu:1,7", .cpus = "0-3"})), "1|0-3");
  EXPECT_EQ(masks(bound({.tasks = 1, .cpu_bind = "mask_cpu:0xff", .cpus = "0-3"})), "0-3");
}

TEST(Binding, ThreadsThatAreNotWantedStayIdle) {
  EXPECT_EQ(masks(bound({.tasks = 8, .threads_per_core = 1})), "0|4|1|5|2|6|3|7");
  EXPECT_EQ(masks(bound({.tasks = 3, .threads_per_core = 1})), "0-7|0-7|0-7");
}

TEST(Binding, WithoutChosenCpusOnlyWishesBind) {
  EXPECT_EQ(masks(bound({.tasks = 2, .cpus = ""})), "-|-");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "map_cpu:0,1", .cpus = ""})), "0|1");
  EXPECT_EQ(masks(bound({.tasks = 2, .cpu_bind = "map_cpu:0,1"}, {.enabled = false})), "-|-");
  EXPECT_EQ(masks(bound({.tasks = 2}, {.automatic = false})), "-|-");
}

TEST(Binding, MemoryFollowsTheCpusOrTheList) {
  StepBinding local = bound({.tasks = 2, .mem_bind = "local"});
  EXPECT_EQ(local.tasks[1].mem_nodes, CpuNumbers{1});
  EXPECT_EQ(local.tasks[1].mem_policy, kMemBind);
  StepBinding map = bound({.tasks = 2, .mem_bind = "prefer,map_mem:1,0"});
  EXPECT_EQ(map.tasks[0].mem_nodes, CpuNumbers{1});
  EXPECT_EQ(map.tasks[0].mem_policy, kMemPreferred);
  EXPECT_EQ(variable(map, "SLURM_MEM_BIND"), "quiet,prefer,map_mem:1,0");
  EXPECT_EQ(variable(map, "SLURM_MEM_BIND_TYPE"), "map_mem:");
  EXPECT_EQ(variable(map, "SLURM_MEM_BIND_LIST"), "1,0");
  EXPECT_EQ(variable(map, "SLURM_MEM_BIND_PREFER"), "prefer");
  EXPECT_TRUE(bound({.mem_bind = "map_mem:7"}).tasks[0].mem_nodes.empty());
  EXPECT_EQ(variable(bound({}), "SLURM_MEM_BIND"), "");
}

TEST(Binding, TheEnvironmentTellsTheMasks) {
  StepBinding two = bound({.tasks = 2, .cpu_bind = "verbose,map_cpu:0,9"});
  EXPECT_EQ(variable(two, "SLURM_CPU_BIND"), "verbose,mask_cpu:0x0001,0x0200");
  EXPECT_EQ(variable(two, "SLURM_CPU_BIND_TYPE"), "mask_cpu:");
  EXPECT_EQ(variable(two, "SLURM_CPU_BIND_LIST"), "0x0001,0x0200");
  EXPECT_EQ(variable(two, "SLURM_CPU_BIND_VERBOSE"), "verbose");
  EXPECT_EQ(variable(bound({.cpu_bind = "none"}), "SLURM_CPU_BIND"), "quiet,none");
  EXPECT_EQ(variable(bound({.cpus = ""}), "SLURM_CPU_BIND"), "");
}

TEST(Binding, TheNoticeReadsAsUsersKnowIt) {
  StepBinding two = bound({.tasks = 2, .cpu_bind = "verbose,map_cpu:0,9", .mem_bind = "v,local"});
  EXPECT_EQ(two.tasks[1].notice,
            "cpu-bind=MASK - n1, task  5  1 [%p]: mask 0x200 set\n"
            "mem-bind=LOC - n1, task  5  1 [%p]: mask 0x1 set\n");
  EXPECT_EQ(bound({.cpu_bind = "verbose,none"}).tasks[0].notice,
            "cpu-bind=NONE - n1, task  4  0 [%p]: mask 0xffff\n");
  EXPECT_EQ(bound({}).tasks[0].notice, "");
}

TEST(BindingRules, FollowTheConfiguration) {
  EXPECT_TRUE(binding_rules("", "", true).automatic);
  EXPECT_FALSE(binding_rules("", "", false).automatic);
  EXPECT_TRUE(binding_rules("", "", false).enabled);
  EXPECT_TRUE(binding_rules("task/cgroup,task/affinity", "", true).automatic);
  EXPECT_FALSE(binding_rules("task/cgroup", "", true).enabled);
  EXPECT_FALSE(binding_rules("task/none", "", true).enabled);
  BindingRules rules = binding_rules("task/affinity", "Verbose,autobind=threads", true);
  EXPECT_TRUE(rules.verbose);
  EXPECT_EQ(rules.fallback, CpuBindKind::Threads);
  EXPECT_EQ(masks(bound({.tasks = 3}, rules)), "0|4|1");
  EXPECT_EQ(masks(bound({.tasks = 3}, binding_rules("", "cores", true))), "0,8|4,12|1,9");
  EXPECT_EQ(masks(bound({.tasks = 8}, binding_rules("", "none", true))), "-|-|-|-|-|-|-|-");
}

}  // namespace
}  // namespace ym::agent
