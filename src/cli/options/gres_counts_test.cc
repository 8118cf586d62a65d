// SPDX-License-Identifier: Apache-2.0
#include "cli/options/gres_counts.h"

#include <gtest/gtest.h>

namespace ym::cli {
namespace {

std::string verdict(const JobOptions& options, bool in_job = false) {
  Status fine = check_gres(options, in_job);
  return fine ? "fine" : fine.error().text.substr(0, fine.error().text.find('\n'));
}

TEST(GresCounts, ContradictionsAreRefusedInSlurmsWords) {
  JobOptions options;
  options.extras.gres = "gpu:1,gpu:a:1";
  EXPECT_EQ(verdict(options), "Invalid GRES specification (with and without type identification)");
  options.extras.gres = "none";
  EXPECT_EQ(verdict(options), "fine");
  options.specials.tres_per_socket = "gpu:1";
  EXPECT_EQ(verdict(options), "--gpus-per-socket option requires --sockets-per-node specification");
  options.extras.sockets_per_node = 2;
  EXPECT_EQ(verdict(options), "fine");
  options.specials.tres_per_task = "gpu:1";
  EXPECT_TRUE(verdict(options).ends_with("without either --gpus or -n/--ntasks is not allowed."));
  EXPECT_EQ(verdict(options, true), "fine") << "the job has tasks";
  options.specials.tasks_per_tres = 2;
  EXPECT_TRUE(verdict(options).starts_with("--gpus-per-task is mutually exclusive"));
}

TEST(GresCounts, GpusOfTheJobAndOfItsNodesMustFitItsNodes) {
  JobOptions options;
  options.specials.tres_per_job = "gpu:4";
  options.specials.tres_per_node = "gpu:2";
  EXPECT_EQ(verdict(options), "fine");
  options.min_nodes = options.max_nodes = 3;
  EXPECT_TRUE(verdict(options).ends_with(
      "required nodes (2) doesn't fall between min_nodes (3) and max_nodes (3) boundaries."));
}

TEST(GresCounts, TasksFollowFromGpus) {
  JobOptions options;
  EXPECT_FALSE(tasks_by_gpus(options));
  options.specials.tres_per_job = "gpu:6";
  EXPECT_FALSE(tasks_by_gpus(options));
  options.specials.tres_per_task = "gpu:2";
  EXPECT_EQ(tasks_by_gpus(options), 3u);
  options.tasks = 2;
  EXPECT_FALSE(tasks_by_gpus(options));
  JobOptions packed;
  packed.specials.tres_per_node = "gpu:2";
  packed.specials.tasks_per_tres = 3;
  packed.min_nodes = 2;
  EXPECT_EQ(tasks_by_gpus(packed), 12u);
}

TEST(GresCounts, CpusOfATaskFollowFromItsGpus) {
  JobOptions options;
  EXPECT_EQ(cpus_by_gpus(options), 1u);
  options.specials.cpus_per_tres = "gpu:4";
  EXPECT_EQ(cpus_by_gpus(options), 1u);
  options.specials.tres_per_task = "gpu:2";
  EXPECT_EQ(cpus_by_gpus(options), 8u);
}

TEST(GresCounts, TasksWithGpusOfTheirOwnAreBoundToThem) {
  JobOptions options;
  EXPECT_EQ(gpu_binding(options), "");
  options.specials.tres_per_task = "gpu:a:2";
  EXPECT_EQ(gpu_binding(options), "gpu:per_task:2");
  JobOptions apart;
  apart.specials.tres_per_task = "shard:1";
  EXPECT_EQ(gpu_binding(apart), "");
  apart.specials.gres_flags = "one-task-per-sharing";
  EXPECT_EQ(gpu_binding(apart), "gpu:per_task:1");
  options.specials.tres_bind = "gpu:closest";
  EXPECT_EQ(gpu_binding(options), "gpu:closest");
}

}  // namespace
}  // namespace ym::cli
