// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/gres_order.h"

#include <gtest/gtest.h>

namespace ym {
namespace {

// Four GPUs, two for each half of eight cores. Their files are numbered backwards.
GresHere machine() {
  GresHere here;
  for (std::uint32_t i = 0; i < 4; ++i)
    here.devices.push_back({.name = "gpu",
                            .index = i,
                            .number = 3 - i,
                            .rules = {"c 195:" + std::to_string(3 - i) + " rwm"},
                            .cores = i < 2 ? CpuNumbers{0, 1, 2, 3} : CpuNumbers{4, 5, 6, 7}});
  return here;
}
GresShares gpus(std::vector<std::uint32_t> numbers) {
  return {{.node = {1}, .name = "gpu", .count = numbers.size(), .devices = std::move(numbers)}};
}
ShepherdOrder order_of(std::size_t tasks) {
  ShepherdOrder order;
  order.tasks.resize(tasks);
  return order;
}
std::vector<std::string> seen(const GresGiven& given, const GresHere& here, std::size_t tasks,
                              std::vector<CpuNumbers> cores = {}) {
  ShepherdOrder order = order_of(tasks);
  set_gres(order, given, here);
  std::size_t next = 0;
  bind_gres(order, given, here,
            [&](const TaskOrder&) { return next < cores.size() ? cores[next++] : CpuNumbers{}; });
  std::vector<std::string> out;
  for (const TaskOrder& task : order.tasks)
    out.push_back(
        EnvironmentBlock(task.environment + order.environment).get("CUDA_VISIBLE_DEVICES"));
  return out;
}
using Lists = std::vector<std::string>;

TEST(GresOrder, ProgramsAreToldTheNumbersOfTheirDevices) {
  EnvironmentBlock environment;
  set_gres_variables(environment, {.job = gpus({0, 1}), .mine = gpus({0, 1})}, machine());
  EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "3,2");
  EXPECT_EQ(environment.get("SLURM_JOB_GPUS"), "3,2");
  EXPECT_EQ(environment.get("SLURM_GPUS_ON_NODE"), "2");
  EXPECT_FALSE(environment.has("SLURM_STEP_GPUS"));
}

TEST(GresOrder, WhereTheyCanOpenNoOthersTheyCountFromZero) {
  GresHere here = machine();
  here.constrained = true;
  EnvironmentBlock environment;
  set_gres_variables(environment, {.job = gpus({1, 2}), .mine = gpus({2}), .step = true}, here);
  EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "0");
  EXPECT_EQ(environment.get("SLURM_STEP_GPUS"), "1");
}

TEST(GresOrder, OnlyTheVariablesOfTheirKindAreSet) {
  GresHere here = machine();
  for (GresDeviceHere& device : here.devices) device.flags = kGresAmdEnv;
  EnvironmentBlock environment;
  set_gres_variables(environment, {.job = gpus({0}), .mine = gpus({0})}, here);
  EXPECT_EQ(environment.get("ROCR_VISIBLE_DEVICES"), "3");
  EXPECT_FALSE(environment.has("CUDA_VISIBLE_DEVICES"));
  for (GresDeviceHere& device : here.devices) device.flags = kGresNoGpuEnv;
  EnvironmentBlock none;
  set_gres_variables(none, {.job = gpus({0}), .mine = gpus({0})}, here);
  EXPECT_FALSE(none.has("ROCR_VISIBLE_DEVICES"));
  EXPECT_EQ(none.get("SLURM_JOB_GPUS"), "3");
}

TEST(GresOrder, AStepWithoutGpusDoesNotSeeThoseOfItsJob) {
  EnvironmentBlock environment;
  environment.set("CUDA_VISIBLE_DEVICES", "0,1");
  set_gres_variables(environment, {.job = gpus({0, 1}), .mine = {}, .step = true}, machine());
  EXPECT_FALSE(environment.has("CUDA_VISIBLE_DEVICES"));
  // Of a job without any it is the user's own.
  environment.set("CUDA_VISIBLE_DEVICES", "7");
  set_gres_variables(environment, {.step = true}, machine());
  EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "7");
}

TEST(GresOrder, TheDevicesAreThoseOfTheStep) {
  ShepherdOrder order = order_of(1);
  GresShares shards{{.node = {1}, .name = "shard", .count = 2, .devices = {2}, .parts = {2}}};
  set_gres(order, {.job = shards, .mine = shards}, machine());
  EXPECT_EQ(order.devices, (Lists{"c 195:1 rwm"}));
}

TEST(GresBinding, EachWay) {
  auto bound = [](const char* way, std::size_t tasks) {
    return seen({.job = gpus({0, 1, 2}), .mine = gpus({0, 1, 2}), .step = true, .bind = way},
                machine(), tasks);
  };
  EXPECT_EQ(bound("", 2), (Lists{"3,2,1", "3,2,1"}));
  EXPECT_EQ(bound("gpu:none", 2), (Lists{"3,2,1", "3,2,1"}));
  EXPECT_EQ(bound("gpu:single:1", 4), (Lists{"3", "2", "1", "3"}));
  EXPECT_EQ(bound("gpu:single:2", 3), (Lists{"3", "3", "2"}));
  EXPECT_EQ(bound("gpu:per_task:1", 3), (Lists{"3", "2", "1"}));
  EXPECT_EQ(bound("gres/gpu:map_gpu:1,3*2", 3), (Lists{"1", "3", "3"}));
  EXPECT_EQ(bound("gpu:mask_gpu:0xa,0x2", 2), (Lists{"3,1", "1"}));
  EXPECT_EQ(bound("gpu:map_gpu:0", 1), (Lists{"3,2,1"})) << "it has no such: all it has";
}

TEST(GresBinding, ClosestAreThoseNearTheTasksCores) {
  GresGiven given{
      .job = gpus({0, 2, 3}), .mine = gpus({0, 2, 3}), .step = true, .bind = "gpu:closest"};
  EXPECT_EQ(seen(given, machine(), 3, {{0}, {7}, {3, 4}}), (Lists{"3", "1,0", "3,1,0"}));
}

TEST(GresBinding, IsToldWhereItIsAskedFor) {
  ShepherdOrder order = order_of(1);
  GresGiven given{
      .job = gpus({0, 1}), .mine = gpus({0, 1}), .step = true, .bind = "gpu:verbose,single:1"};
  set_gres(order, given, machine());
  bind_gres(order, given, machine(), [](const TaskOrder&) { return CpuNumbers{}; });
  EXPECT_EQ(order.tasks[0].notice,
            "gpu-bind: usable_gres=0x1; bit_alloc=0x3; local_inx=2; global_list=3; local_list=3\n");
}

}  // namespace
}  // namespace ym
