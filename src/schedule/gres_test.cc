// SPDX-License-Identifier: Apache-2.0
#include "schedule/gres.h"

#include <gtest/gtest.h>

#include "model/node_gres.h"
#include "schedule/place_gres.h"

namespace ym {
namespace {

// Four GPUs, two near each socket, of two shards each; three tools.
GresKinds machine() {
  NodeSpec spec{.name = "n1", .gres = "gpu:4,shard:8,tool:3,bw:no_consume:9"};
  NodeRegistration found;
  found.gres = {
      {.name = "gpu", .count = 1, .files = "/dev/n0", .cores = "0-1", .links = "-1,0,4,0"},
      {.name = "gpu", .count = 1, .files = "/dev/n1", .cores = "2-3", .links = "0,-1,0,4"},
      {.name = "gpu", .count = 1, .files = "/dev/n2", .cores = "0-1", .links = "4,0,-1,0"},
      {.name = "gpu", .count = 1, .files = "/dev/n3", .cores = "2-3", .links = "0,4,0,-1"},
      {.name = "shard", .count = 8},
      {.name = "tool", .count = 3},
      {.name = "bw", .count = 9}};
  return gres_of(spec, found);
}
GresRequest asking(std::string name, std::uint64_t count, GresPer per = GresPer::Node) {
  return {.wishes = {{.name = std::move(name), .count = count, .per = per}}};
}
std::string given(const GresRequest& request, GresKinds& kinds, std::uint64_t tasks = 1) {
  GresKinds givable = givable_gres(kinds);
  auto shares = take_gres(request, givable, {.tasks = tasks}, {1});
  if (!shares) return "none";
  for (const GresShare& share : *shares) hold_gres(kinds, share);
  return gres_detail_text(*shares, {1});
}

TEST(TakeGres, DevicesNearEachOtherAreGivenTogether) {
  GresKinds kinds = machine();
  EXPECT_EQ(given(asking("gpu", 2), kinds), "gpu:2(IDX:0,2)");
  EXPECT_EQ(given(asking("gpu", 2), kinds), "gpu:2(IDX:1,3)");
  EXPECT_EQ(given(asking("gpu", 1), kinds), "none");
}

TEST(TakeGres, TheSmallerGroupIsBrokenFirst) {
  GresKinds kinds = machine();
  EXPECT_EQ(given(asking("gpu", 1), kinds), "gpu:1(IDX:0)");
  EXPECT_EQ(given(asking("gpu", 1), kinds), "gpu:1(IDX:2)");
  EXPECT_EQ(given(asking("gpu", 2), kinds), "gpu:2(IDX:1,3)");
}

TEST(TakeGres, AGpuIsGivenWholeOrInParts) {
  GresKinds kinds = machine();
  EXPECT_EQ(given(asking("shard", 1), kinds), "shard:1(IDX:0)");
  EXPECT_EQ(gres_free(givable_gres(kinds), "gpu", "", false), 3u);
  EXPECT_EQ(given(asking("gpu", 3), kinds), "gpu:3(IDX:1-3)");
  EXPECT_EQ(given(asking("shard", 2), kinds), "none");
  EXPECT_EQ(given(asking("shard", 1), kinds), "shard:1(IDX:0)");
}

TEST(TakeGres, TasksMayAskForGpusThatTheyShareWithNoOtherTask) {
  GresKinds kinds = machine();
  GresRequest request = asking("shard", 1, GresPer::Task);
  request.many_per_shared = true;
  EXPECT_EQ(gres_tasks(request, givable_gres(kinds), {.tasks = 9}), 8u);
  request.one_task_per_shared = true;
  EXPECT_EQ(gres_tasks(request, givable_gres(kinds), {.tasks = 9}), 4u);
  EXPECT_EQ(given(request, kinds, 3), "shard:3(IDX:0-2)");
  // Those that are in use already are filled first.
  EXPECT_EQ(given(request, kinds, 2), "shard:2(IDX:0-1)");
  request.wishes[0].count = 2;
  EXPECT_EQ(gres_tasks(request, givable_gres(kinds), {.tasks = 9}), 1u);
  EXPECT_EQ(given(request, kinds, 2), "none");
}

TEST(TakeGres, PartsAreOfOneGpuUnlessManyWillDo) {
  GresKinds kinds = machine();
  GresRequest request = asking("shard", 3);
  EXPECT_EQ(given(request, kinds), "none");
  request.many_per_shared = true;
  EXPECT_EQ(given(request, kinds), "shard:3(IDX:2-3)");
}

TEST(TakeGres, CountedOnesRunOutAndFreeOnesDoNot) {
  GresKinds kinds = machine();
  EXPECT_EQ(given(asking("tool", 2), kinds), "tool(CNT:2)");
  EXPECT_EQ(given(asking("tool", 2), kinds), "none");
  EXPECT_EQ(given(asking("bw", 9), kinds), "bw(CNT:0)");
  EXPECT_EQ(given(asking("bw", 9), kinds), "bw(CNT:0)");
}

TEST(TakeGres, TasksAreAsManyAsTheResourcesCarry) {
  GresKinds kinds = machine();
  EXPECT_EQ(gres_tasks(asking("gpu", 1, GresPer::Task), kinds, {.tasks = 9}), 4u);
  EXPECT_EQ(gres_tasks(asking("gpu", 5), kinds, {.tasks = 9}), 0u);
  EXPECT_EQ(gres_tasks(asking("gpu", 4), kinds, {.tasks = 9}), 9u);
  GresRequest packed = asking("gpu", 2);
  packed.tasks_per_gpu = 2;
  EXPECT_EQ(gres_tasks(packed, kinds, {.tasks = 9}), 8u);
}

TEST(DealOut, NobodyStaysWithoutAsLongAsThereIsEnough) {
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(deal_out(6, {4, 4}), (Numbers{4, 2}));
  EXPECT_EQ(deal_out(2, {4, 4}), (Numbers{1, 1}));
  EXPECT_EQ(deal_out(9, {4, 4}), Numbers{});
}

TEST(JobsGres, AStepGetsWhatItsJobHasAndOthersLeave) {
  GresKinds node = machine();
  GresShares job{{.node = {1}, .name = "gpu", .count = 2, .devices = {1, 3}},
                 {.node = {1}, .name = "tool", .count = 2}};
  GresShares taken{{.node = {1}, .name = "gpu", .count = 1, .devices = {1}}};
  GresKinds left = gres_of_job(node, job, taken, {1});
  EXPECT_EQ(gres_free(left, "gpu", "", true), 1u);
  EXPECT_EQ(gres_free(left, "tool", "", true), 2u);
  EXPECT_EQ(gres_free(left, "shard", "", true), 0u);
}

// Two such nodes of eight CPUs.
class PlaceGres : public testing::Test {
 protected:
  std::string placed(JobSpec spec, JobSpecials specials) {
    JobExtras extras = *spec.extras;
    extras.specials = Ref(std::move(specials));
    spec.extras = Ref(std::move(extras));
    std::vector<Free> nodes;
    for (std::uint32_t id : {1u, 2u})
      nodes.push_back({.node = {id},
                       .cpus = 8,
                       .cpus_total = 8,
                       .memory_mb = 1000,
                       .spec = &spec_,
                       .gres = Ref(kinds_[id - 1])});
    auto allocation = place(spec, nodes, {.memory_counts = true});
    if (!allocation) return "nowhere";
    std::string out;
    for (const NodeShare& share : allocation->nodes)
      out += std::to_string(share.node.value) + " cpus=" + std::to_string(share.cpus) +
             " mem=" + std::to_string(share.memory_mb) + " " +
             gres_detail_text(*allocation->gres, share.node) + "; ";
    return out;
  }
  static JobSpecials asks(GresRequest request) {
    JobSpecials specials;
    specials.gres = Ref(std::move(request));
    return specials;
  }
  NodeSpec spec_{.name = "n", .cpus = 8, .memory_mb = 1000};
  GresKinds kinds_[2] = {machine(), machine()};
};

TEST_F(PlaceGres, GpusOfTheWholeJobMayComeFromSeveralNodes) {
  EXPECT_EQ(placed({}, asks(asking("gpu", 3, GresPer::Job))), "1 cpus=1 mem=0 gpu:3(IDX:0-2); ");
  EXPECT_EQ(placed({.tasks = 2}, asks(asking("gpu", 6, GresPer::Job))),
            "1 cpus=1 mem=0 gpu:4(IDX:0-3); 2 cpus=1 mem=0 gpu:2(IDX:0,2); ");
  EXPECT_EQ(placed({}, asks(asking("gpu", 9, GresPer::Job))), "nowhere");
}

TEST_F(PlaceGres, KindsOfTheWholeJobMayBeOnDifferentNodes) {
  for (GresKind& kind : kinds_[0])
    if (kind.name == "tool") kind.used = 2;
  for (GresKind& kind : kinds_[1])
    if (kind.name == "gpu")
      for (GresDevice& device : kind.devices) device.used = 1;
  GresRequest request{.wishes = {{.name = "gpu", .count = 3, .per = GresPer::Job},
                                 {.name = "tool", .count = 3, .per = GresPer::Job}}};
  EXPECT_EQ(placed({}, asks(request)),
            "1 cpus=1 mem=0 gpu:3(IDX:0-2),tool(CNT:1); 2 cpus=1 mem=0 tool(CNT:2); ");
}

TEST_F(PlaceGres, TasksGoWhereTheirGpusAre) {
  EXPECT_EQ(placed({.tasks = 6}, asks(asking("gpu", 1, GresPer::Task))),
            "1 cpus=4 mem=0 gpu:4(IDX:0-3); 2 cpus=2 mem=0 gpu:2(IDX:0,2); ");
}

TEST_F(PlaceGres, CpusAndMemoryFollowTheGpus) {
  GresRequest request = asking("gpu", 2);
  request.cpus_per_gpu = 3;
  request.memory_per_gpu_mb = 100;
  EXPECT_EQ(placed({}, asks(request)), "1 cpus=6 mem=200 gpu:2(IDX:0,2); ");
  request.cpus_per_gpu = 5;
  EXPECT_EQ(placed({}, asks(request)), "nowhere");
}

TEST_F(PlaceGres, AJobAloneOnItsNodesHasAllOfTheirs) {
  EXPECT_EQ(placed({.exclusive = true}, {}),
            "1 cpus=8 mem=1000 gpu:4(IDX:0-3),tool(CNT:3),bw(CNT:0); ");
  EXPECT_EQ(placed({.exclusive = true}, asks(asking("shard", 2))),
            "1 cpus=8 mem=1000 shard:2(IDX:0),gpu:3(IDX:1-3),tool(CNT:3),bw(CNT:0); ")
      << "a GPU is given whole or in parts, to one job, too";
}

TEST_F(PlaceGres, EnforcedBindingTakesNoMoreCpusThanAreNear) {
  GresRequest request = asking("gpu", 1);
  request.enforce_binding = true;
  EXPECT_EQ(placed({.tasks = 1, .cpus_per_task = 2}, asks(request)),
            "1 cpus=2 mem=0 gpu:1(IDX:0); ");
  EXPECT_EQ(placed({.tasks = 1, .cpus_per_task = 3}, asks(request)), "nowhere");
}

}  // namespace
}  // namespace ym
