// SPDX-License-Identifier: Apache-2.0
// A job as commands show it: the answers to "how long", "how many", "why not" that squeue and
// scontrol share.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/job_messages.h"

namespace ym::cli {

struct JobView {
  const JobRow* row = nullptr;
  Instant now;
  // One waiting element of the array, shown on a line of its own.
  std::optional<std::uint32_t> task;
  std::string_view cluster;
  // One of the partitions that a pending job may go to, where each has a line; else "".
  std::string_view one_partition;

  const Job& job() const { return row->job; }
  const JobSpec& spec() const { return *row->job.spec; }
  const JobExtras& extras() const { return *row->job.spec->extras; }
  const JobSpecials& specials() const { return *row->job.spec->extras->specials; }
  std::string_view partition() const {
    return one_partition.empty() ? std::string_view(row->partition) : one_partition;
  }
};

std::string shown_id(const JobView& view);  // "7", "7_3", "7_[1-5%2]", "7+1"
std::string shown_user(const JobView& view);
Duration time_used(const JobView& view);
// Seconds; nothing if none is known, kUnlimited if there is none.
std::optional<std::uint32_t> time_limit_of(const JobView& view);
std::uint32_t node_count_of(const JobView& view);
std::uint32_t cpu_count_of(const JobView& view);
std::string reason_of(const JobView& view);        // "Priority"
std::string nodes_or_reason(const JobView& view);  // "n[1-2]" or "(Priority)"
// What is asked for of each node, tasks included.
std::uint32_t least_cpus_per_node(const JobSpec& spec);
// Real or expected; of a job that ended before it had begun, its end.
Instant start_of(const JobView& view);
Instant end_of(const JobView& view);  // real or at the limit; not set if there is neither
// "cpu=4,mem=8G,node=1,billing=4"; what was asked for, or what the job holds.
std::string requested_tres(const JobView& view);
std::string allocated_tres(const JobView& view);
// "gres/gpu:2": --gres and --gpus-per-node.
std::string tres_per_node(const JobView& view);
// Line feeds and other control characters become \xNN.
std::string on_one_line(std::string_view text);
// Patterns of file names resolved as far as the job itself can tell.
std::string shown_file(const JobView& view, const std::string& pattern);

}  // namespace ym::cli
