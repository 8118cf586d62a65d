// SPDX-License-Identifier: Apache-2.0
#include "cli/options/refusal.h"

#include <gtest/gtest.h>

#include "model/errc.h"

namespace ym::cli {
namespace {

ClusterConfig cluster(std::string gres_types) {
  ClusterConfig out;
  out.cluster_name = "yard";
  out.nodes = {{.name = "n1", .cpus = 4, .memory_mb = 2000}};
  out.partitions = {{.name = "debug"}};
  out.shown = {{"GresTypes", std::move(gres_types)}};
  return out;
}

std::string verdict(const JobOptions& options, const char* gres_types = "(null)") {
  Status fine = check_against(options, cluster(gres_types));
  return fine ? "fine" : fine.error().text;
}

TEST(Refusal, OtherClustersCannotBeReached) {
  JobOptions options;
  for (const char* ours : {"", "yard", "other,yard", "all"}) {
    options.clusters = ours;
    EXPECT_EQ(verdict(options), "fine") << ours;
  }
  options.clusters = "other";
  EXPECT_TRUE(verdict(options).starts_with("'other' can't be reached now"));
}

TEST(Refusal, GenericResourcesThatAreNotThereAreRefused) {
  JobOptions options;
  EXPECT_EQ(verdict(options), "fine");
  options.extras.gres = "gpu:1";
  EXPECT_EQ(verdict(options), "Invalid generic resource (gres) specification");
  EXPECT_EQ(verdict(options, "shard,gpu"), "fine");
  options.extras.gres.clear();
  options.specials.tasks_per_tres = 1;
  EXPECT_EQ(verdict(options), "Invalid generic resource (gres) specification");
}

TEST(Refusal, WhatNoNodeCanFulfilIsNamedFirst) {
  auto lines = [](Errc code, const JobSpec& spec) {
    return lines_before_refusal(refuse(code).error(), spec, cluster(""));
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(lines(Errc::InvalidPartition, {.partitions = "debug,nowhere"}),
            Lines{"invalid partition specified: nowhere"});
  constexpr Errc kNever = Errc::RequestedNodeConfigUnavailable;
  EXPECT_EQ(lines(kNever, {.cpus_per_task = 5}), Lines{"CPU count per node can not be satisfied"});
  EXPECT_EQ(lines(kNever, {.tasks_per_node = 5}), Lines{"CPU count per node can not be satisfied"});
  EXPECT_EQ(lines(kNever, {.memory_per_node_mb = 3000}),
            Lines{"Memory specification can not be satisfied"});
  EXPECT_EQ(lines(kNever, {.tasks = 9}), Lines{});
}

}  // namespace
}  // namespace ym::cli
