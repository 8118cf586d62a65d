// SPDX-License-Identifier: Apache-2.0
#include "schedule/het.h"

#include <gtest/gtest.h>

#include "base/format.h"

namespace ym {
namespace {

// Two nodes of four CPUs in partition "p"; jobs 1 and 2 are components of one job.
State cluster() {
  State state;
  std::vector<NodeId> ids;
  std::map<std::string, NodeId, std::less<>> names;
  for (std::uint32_t id = 1; id <= 2; ++id) {
    Node& node = state.nodes.edit(id);
    node.id = {id};
    node.spec = Ref(NodeSpec{.name = fmt::format("n{}", id), .cpus = 4, .memory_mb = 1000});
    node.condition = NodeCondition::Up;
    node.responding = true;
    ids.push_back(node.id);
    names[node.spec->name] = node.id;
  }
  state.node_names = Ref(std::move(names));
  state.partitions.put(1, Partition{.id = {1},
                                    .spec = Ref(PartitionSpec{.name = "p", .nodes = "n[1-2]"}),
                                    .nodes = Ref(std::move(ids))});
  std::map<std::string, PartitionId, std::less<>> partitions{{"p", PartitionId{1}}};
  state.partition_names = Ref(std::move(partitions));
  for (std::uint32_t id = 1; id <= 2; ++id) {
    Job& job = state.jobs.edit(id);
    job.id = {id};
    job.het_job = {1};
    job.het_offset = id - 1;
    job.het_count = 2;
    job.priority = 1;
    JobSpec spec{.partitions = "p"};
    spec.cpus_per_task = 3;
    spec.time_limit_s = 60;
    job.spec = Ref(std::move(spec));
  }
  return state;
}

TEST(Het, ComponentsAreFoundFromAnyOfThemAndOnlyAllTogether) {
  State state = cluster();
  EXPECT_EQ(components_of(state, state.jobs.at(2)).size(), 2u);
  EXPECT_TRUE(may_start(components_of(state, state.jobs.at(1))));
  state.jobs.edit(2).holds.user = true;
  EXPECT_FALSE(may_start(components_of(state, state.jobs.at(1))));
  state.jobs.erase(2);
  EXPECT_TRUE(components_of(state, state.jobs.at(1)).empty());
  EXPECT_FALSE(may_start({}));
  Job alone{.id = {9}};
  EXPECT_EQ(components_of(state, alone), std::vector<const Job*>{&alone});
}

TEST(Het, TheShapeOfAJobIsThatOfAllItsComponents) {
  State state = cluster();
  const Job& first = state.jobs.at(1);
  std::string both = shape_key(components_of(state, first));
  EXPECT_NE(both, shape_key(std::vector<const Job*>{&first}));
  state.jobs.edit(2).eligible = {77};
  EXPECT_EQ(eligible_from(components_of(state, first)), Instant{77});
}

}  // namespace
}  // namespace ym
