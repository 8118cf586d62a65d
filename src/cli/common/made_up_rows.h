// SPDX-License-Identifier: Apache-2.0
// A small cluster for tests of what is printed about it. Included by tests only.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "model/job_messages.h"
#include "model/node_messages.h"

namespace ym::cli::made_up {

inline constexpr Instant kNow{1'700'003'661'000};

inline JobSpec spec(std::string name) {
  JobSpec out;
  out.name = std::move(name);
  out.user_name = "ada";
  out.uid = {1000};
  out.gid = {4242};
  out.work_dir = "/data/ada";
  out.std_out = "slurm-%j.out";
  out.command = "/data/ada/job.sh";
  out.submit_host = "login";
  out.partitions = "debug";
  out.batch = true;
  return out;
}

inline JobRow pending(std::uint32_t id, JobSpec with) {
  JobRow row;
  row.job.id = {id};
  row.job.sluid = {id};
  row.job.spec = Ref<JobSpec>(std::move(with));
  row.job.submit = row.job.eligible = Instant::from_unix_seconds(1'700'000'000);
  row.job.priority = 100;
  row.reason = Reason::Priority;
  row.partition = "debug";
  return row;
}

inline JobRow running(std::uint32_t id, JobSpec with) {
  JobRow row = pending(id, std::move(with));
  row.job.state = JobState::Running;
  row.job.start = Instant::from_unix_seconds(1'700'000'060);
  row.job.limit_end = Instant::from_unix_seconds(1'700'000'060 + 7200);
  row.job.allocation =
      Ref<Allocation>(Allocation{.nodes = {{.node = {1}, .cpus = 2, .memory_mb = 512},
                                           {.node = {2}, .cpus = 2, .memory_mb = 512}}});
  row.reason = Reason::None;
  row.nodes = "n[1-2]";
  row.batch_host = "n1";
  return row;
}

inline NodeRow node(std::uint32_t id, std::uint32_t used = 0) {
  NodeSpec spec;
  spec.name = "n" + std::to_string(id);
  spec.cpus = spec.sockets = 4;
  spec.memory_mb = 2000;
  NodeRow row;
  row.node.id = {id};
  row.node.spec = Ref<NodeSpec>(std::move(spec));
  row.node.condition = NodeCondition::Up;
  row.node.responding = true;
  row.node.cpus_used = used;
  row.node.jobs = used > 0 ? 1 : 0;
  row.partitions = {"debug"};
  return row;
}

inline PartitionRow partition(std::uint32_t id, std::string name, bool is_default) {
  PartitionSpec spec;
  spec.name = std::move(name);
  spec.is_default = is_default;
  spec.nodes = "n[1-4]";
  PartitionRow row;
  row.partition.id = {id};
  row.partition.spec = Ref<PartitionSpec>(std::move(spec));
  row.cpus = 16;
  row.node_count = 4;
  return row;
}

}  // namespace ym::cli::made_up
