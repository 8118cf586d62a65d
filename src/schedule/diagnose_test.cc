// SPDX-License-Identifier: Apache-2.0
#include "schedule/diagnose.h"

#include <gtest/gtest.h>

#include "base/format.h"
#include "model/apply.h"

namespace ym {
namespace {

// Two nodes of 8 cpus in one partition; only the first is up.
State half_up() {
  State state;
  auto happen = [&](EventBody body) {
    apply(state, {.seq = {state.seq.value + 1}, .at = {}, .body = std::move(body)});
  };
  NodesDefined defined;
  for (std::uint32_t i = 1; i <= 2; ++i)
    defined.nodes.push_back({{i}, Ref(NodeSpec{.name = fmt::format("n{}", i), .cpus = 8})});
  happen(defined);
  happen(NodeRegistered{.node = {1}, .registration = Ref(NodeRegistration{.cpus = 8})});
  happen(NodeStateChanged{.node = {1}, .condition = NodeCondition::Up});
  happen(NodeStateChanged{.node = {2}, .condition = NodeCondition::Down});
  happen(PartitionDefined{.partition = {1},
                          .spec = Ref(PartitionSpec{.name = "p"}),
                          .nodes = Ref(std::vector<NodeId>{{1}, {2}})});
  return state;
}

JobSpec on_nodes(std::uint32_t tasks, const char* nodes) {
  JobSpec spec{.partitions = "p", .tasks = tasks};
  JobExtras extras;
  extras.required_nodes = nodes;
  spec.extras = Ref(std::move(extras));
  return spec;
}

TEST(Diagnose, ARequestThatWouldFitIfAllWereUpAndEmptyWaitsForResources) {
  State state = half_up();
  EXPECT_EQ(diagnose(state, {.partitions = "p", .tasks = 16}, {}).reason, Reason::Resources);
  EXPECT_TRUE(fits_when_empty(state, *state.find(PartitionId{1}), {.tasks = 16}, {}));
}

TEST(Diagnose, OneThatNeverFitsIsWrongForItsPartition) {
  State state = half_up();
  EXPECT_EQ(diagnose(state, {.partitions = "p", .tasks = 17}, {}).reason, Reason::PartitionConfig);
  EXPECT_FALSE(fits_when_empty(state, *state.find(PartitionId{1}), {.tasks = 17}, {}));
}

TEST(Diagnose, NodesThatAreNamedAndAwayAreTold) {
  Diagnosis found = diagnose(half_up(), on_nodes(1, "n2"), {});
  EXPECT_EQ(found.reason, Reason::ReqNodeNotAvail);
  EXPECT_EQ(found.text, "UnavailableNodes:n2");
  EXPECT_EQ(diagnose(half_up(), on_nodes(1, "n1"), {}).reason, Reason::Resources);
}

}  // namespace
}  // namespace ym
