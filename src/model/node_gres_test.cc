// SPDX-License-Identifier: Apache-2.0
#include "model/node_gres.h"

#include <gtest/gtest.h>

#include "model/apply.h"
#include "model/state.h"

namespace ym {
namespace {

NodeSpec spec(const char* gres) { return {.name = "n1", .cores_per_socket = 2, .gres = gres}; }
NodeRegistration found(std::vector<GresItem> items) {
  NodeRegistration registration;
  registration.gres = std::move(items);
  return registration;
}
const std::vector<GresItem> kTwoTypes{
    {.name = "gpu", .type = "a", .count = 2, .files = "/dev/nvidia[0-1]", .cores = "0-1"},
    {.name = "gpu", .type = "b", .count = 1, .files = "/dev/nvidia2", .cores = "2-3"}};

TEST(NodeGres, DevicesOfOneNameAreNumberedWhateverTheirTypes) {
  GresKinds kinds = gres_of(spec("gpu:3"), found(kTwoTypes));
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].first, 0u);
  EXPECT_EQ(kinds[0].devices.size(), 2u);
  EXPECT_EQ(kinds[1].first, 2u);
  EXPECT_EQ(kinds[1].type, "b");
}

TEST(NodeGres, IsCountedUntilTheNodeHasSaidMore) {
  GresKinds kinds = gres_of(spec("gpu:a:2,tool:no_consume:3"), {});
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].count, 2u);
  EXPECT_TRUE(kinds[0].devices.empty());
  EXPECT_TRUE(kinds[1].no_consume);
}

TEST(NodeGres, ThereIsNotMoreThanSlurmConfSays) {
  EXPECT_EQ(gres_of(spec("gpu:1"), found(kTwoTypes)).at(0).count, 1u);
  EXPECT_TRUE(gres_of(spec("gpu:c:1"), found(kTwoTypes)).empty());
  auto trimmed = trim_gres(spec("gpu:b:1,gpu:a:1"), kTwoTypes);
  ASSERT_EQ(trimmed.size(), 2u);
  EXPECT_EQ(trimmed[0].files, "/dev/nvidia0");
  EXPECT_EQ(trimmed[1].files, "/dev/nvidia2");
}

TEST(NodeGres, ShardsArePartsOfTheGpus) {
  auto items = kTwoTypes;
  items.push_back({.name = "shard", .count = 7});
  GresKinds kinds = gres_of(spec("gpu:3,shard:7"), found(items));
  ASSERT_EQ(kinds.size(), 4u);
  EXPECT_TRUE(kinds[2].shared);
  EXPECT_EQ(kinds[2].devices[0].room, 3u);
  EXPECT_EQ(kinds[2].devices[1].room, 2u);
  EXPECT_EQ(kinds[3].type, "b");
  EXPECT_EQ(kinds[3].count, 2u);
}

TEST(NodeGres, TellsWhatIsMissingInSlurmsWords) {
  EXPECT_EQ(gres_shortcoming(spec("gpu:4"), found(kTwoTypes)),
            "gres/gpu count reported lower than configured (3 < 4)");
  EXPECT_EQ(gres_shortcoming(spec("gpu:2"), found(kTwoTypes)), "");
  EXPECT_EQ(gres_shortcoming(spec("gpu:a:1,gpu:b:1"), {}),
            "gres/gpu count reported lower than configured (0 < 2)");
}

TEST(NodeGres, WhatIsHeldIsGivenBack) {
  GresKinds kinds = gres_of(spec("gpu:3,tool:2"), found(kTwoTypes));
  GresKinds before = kinds;
  GresShare share{.node = {1}, .name = "gpu", .type = "a", .count = 2, .devices = {0, 1}};
  GresShare tools{.node = {1}, .name = "tool", .count = 1};
  hold_gres(kinds, share);
  hold_gres(kinds, tools);
  EXPECT_EQ(kinds[0].used, 2u);
  release_gres(kinds, share);
  release_gres(kinds, tools);
  EXPECT_EQ(kinds, before);
}

TEST(NodeGres, IsShownAsSlurmShowsIt) {
  Node node{.id = {1}};
  node.spec = Ref(spec("gpu:3,tool:4096"));
  node.registration = Ref(found(kTwoTypes));
  GresKinds kinds = gres_of(*node.spec, *node.registration);
  GresShares shares{{.node = {1}, .name = "gpu", .type = "b", .count = 1, .devices = {2}},
                    {.node = {1}, .name = "tool", .count = 2}};
  for (const GresShare& share : shares) hold_gres(kinds, share);
  node.gres = Ref(kinds);
  EXPECT_EQ(gres_text(node), "gpu:a:2(S:0),gpu:b:1(S:1),tool:4K");
  EXPECT_EQ(gres_used_text(node), "gpu:a:0(IDX:N/A),gpu:b:1(IDX:2),tool:2");
  EXPECT_EQ(gres_detail_text(shares, {1}), "gpu:b:1(IDX:2),tool(CNT:2)");
  EXPECT_EQ(gres_total_text(shares), "gpu:b:1,tool:2");
  EXPECT_EQ(gres_tres_text(shares), ",gres/gpu=1,gres/gpu:b=1,gres/tool=2");
}

// A cluster with one node of three GPUs, and a job that holds two of them.
class HeldGres : public testing::Test {
 protected:
  HeldGres() {
    happen(ClusterFounded{.name = "c", .first_job_id = 1});
    happen(NodesDefined{{{{1}, Ref(spec("gpu:3"))}}});
    happen(NodeRegistered{.node = {1}, .registration = Ref(found(kTwoTypes))});
    happen(JobSubmitted{.job = {1}, .sluid = {1}, .spec = Ref(JobSpec{.name = "j"})});
    Allocation held{.nodes = {{{1}, 1, 0}}};
    held.gres =
        Ref(GresShares{{.node = {1}, .name = "gpu", .type = "a", .count = 2, .devices = {0, 1}}});
    happen(JobStarted{.job = {1}, .allocation = Ref(held), .limit_end = {9000}});
  }
  void happen(EventBody body) {
    apply(state, {.seq = {state.seq.value + 1}, .at = {1000}, .body = std::move(body)});
  }
  std::string used() { return gres_used_text(state.nodes.at(1)); }
  State state;
};

TEST_F(HeldGres, IsHeldUntilTheNodeIsClean) {
  EXPECT_EQ(used(), "gpu:a:2(IDX:0-1),gpu:b:0(IDX:N/A)");
  happen(JobFinished{.job = {1}});
  EXPECT_EQ(used(), "gpu:a:2(IDX:0-1),gpu:b:0(IDX:N/A)");
  happen(JobNodeReleased{.job = {1}, .node = {1}});
  EXPECT_EQ(used(), "gpu:a:0(IDX:N/A),gpu:b:0(IDX:N/A)");
}

TEST_F(HeldGres, StaysHeldWhenTheNodeSaysSomethingElse) {
  auto other = kTwoTypes;
  other[0].cores = "0-3";
  happen(NodeRegistered{.node = {1}, .registration = Ref(found(other))});
  EXPECT_EQ(used(), "gpu:a:2(IDX:0-1),gpu:b:0(IDX:N/A)");
  // A device that went takes its holder's mark with it, and comes back with it.
  happen(NodeRegistered{.node = {1}, .registration = Ref(found({other[1]}))});
  EXPECT_EQ(used(), "gpu:b:1(IDX:0)");
  happen(NodeRegistered{.node = {1}, .registration = Ref(found(kTwoTypes))});
  EXPECT_EQ(used(), "gpu:a:2(IDX:0-1),gpu:b:0(IDX:N/A)");
  happen(JobFinished{.job = {1}});
  happen(JobNodeReleased{.job = {1}, .node = {1}});
  EXPECT_EQ(used(), "gpu:a:0(IDX:N/A),gpu:b:0(IDX:N/A)");
}

}  // namespace
}  // namespace ym
