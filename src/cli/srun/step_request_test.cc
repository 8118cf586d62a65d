// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/step_request.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

JobOptions options_with(const char* node_list) {
  JobOptions options;
  options.extras.required_nodes = node_list;
  return options;
}

TEST(StepRequest, WithinAnAllocationOfItsOwnTheStepHasItAll) {
  JobOptions options = options_with("n1");
  options.extras.excluded_nodes = "n4";
  options.extras.features = "d";
  options.tasks = 2;
  options.soft_nodes = 2;
  CreateStep own = step_request(options, JobId{7}, true);
  EXPECT_EQ(own.tasks, 2u);
  EXPECT_EQ(own.nodes, 0u);
  EXPECT_EQ(own.node_list + own.excluded_nodes + own.features, "");
  CreateStep within = step_request(options, JobId{7}, false);
  EXPECT_EQ(within.node_list, "n1");
  EXPECT_EQ(within.excluded_nodes, "n4");
  EXPECT_EQ(within.features, "d");
}

TEST(StepRequest, NodesAreARange) {
  JobOptions options;
  options.tasks = 3;
  options.min_nodes = 2;
  options.max_nodes = 5;
  CreateStep range = step_request(options, JobId{7}, false);
  EXPECT_EQ(range.nodes, 2u);
  EXPECT_EQ(range.max_nodes, 5u);
  options.min_nodes = options.max_nodes = 5;
  EXPECT_EQ(step_request(options, JobId{7}, false).nodes, 3u);
}

TEST(StepRequest, TheNodesOfTheJobAroundAreTakenWithoutAWish) {
  JobOptions options;
  options.soft_nodes = 2;
  EXPECT_EQ(step_request(options, JobId{7}, false).nodes, 0u);
  EXPECT_EQ(step_request(options, JobId{7}, false).max_nodes, 2u);
  options.tasks_per_node = 3;
  EXPECT_EQ(step_request(options, JobId{7}, false).tasks, 6u);
  options.extras.required_nodes = "n2";
  EXPECT_EQ(step_request(options, JobId{7}, false).max_nodes, 0u);
  EXPECT_EQ(step_request(options, JobId{7}, false).tasks, 3u);
}

TEST(StepRequest, ATooLongListOfNodesIsShortened) {
  JobOptions options = options_with("n3,n2,n1");
  options.min_nodes = 1;
  options.max_nodes = 2;
  EXPECT_EQ(shorten_node_list(options),
            "Required nodelist includes more nodes than permitted by max-node count (3 > 2). "
            "Eliminating nodes from the nodelist.");
  EXPECT_EQ(options.extras.required_nodes, "n[3,2]");
  EXPECT_EQ(shorten_node_list(options), std::nullopt);
}

TEST(StepRequest, TasksCountMoreThanTasksPerNode) {
  JobOptions options;
  options.tasks = 3;
  options.tasks_per_node = 2;
  EXPECT_EQ(settle_tasks_per_node(options), std::nullopt);
  options.min_nodes = options.max_nodes = 2;
  EXPECT_EQ(settle_tasks_per_node(options), std::nullopt);
  options.min_nodes = options.max_nodes = 1;
  EXPECT_EQ(settle_tasks_per_node(options),
            "Warning: can't honor --ntasks-per-node set to 2 which doesn't match the requested "
            "tasks 3 with the number of requested nodes 1. Ignoring --ntasks-per-node.");
  EXPECT_EQ(options.tasks_per_node, std::nullopt);
}

}  // namespace
}  // namespace ym::cli
