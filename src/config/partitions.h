// SPDX-License-Identifier: Apache-2.0
// PartitionName lines.
#pragma once
#include <vector>

#include "config/fields.h"
#include "config/nodes.h"
#include "model/config.h"

namespace ym {

inline constexpr std::size_t kConfigPartitionsMax = 100'000;

class PartitionLines {
 public:
  explicit PartitionLines(Findings& findings) : findings_(findings) {}

  // The assignments of the line from number `from` on, which is PartitionName.
  void add(const ConfigLine& line, std::size_t from);

  // REQUIRES: nodes.finish was called. Fills config.partitions. With several Default=YES the last
  // one stays, as in Slurm, with a warning; a lone partition is no default unless it says so.
  void finish(const NodeLines& nodes, ClusterConfig& config);

 private:
  struct Line {
    Fields fields;
    Place place;
  };
  PartitionSpec spec_of(const Line& line, const NodeLines& nodes);
  void set_sharing(const Line& line, PartitionSpec& spec);
  void set_memory(const Line& line, PartitionSpec& spec);
  void set_gpu_defaults(const Line& line, PartitionSpec& spec);
  void find_duplicates();
  void keep_one_default(std::vector<PartitionSpec>& partitions);

  Findings& findings_;
  Fields defaults_;
  std::vector<Line> lines_;
};

}  // namespace ym
