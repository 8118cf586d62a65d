// SPDX-License-Identifier: Apache-2.0
// sinfo: partitions and nodes, those alike on one line.
#pragma once
#include <string>
#include <vector>

#include "cli/common/columns.h"
#include "cli/common/command.h"
#include "model/node_messages.h"

namespace ym::cli {

struct SinfoSettings {
  std::vector<std::string> partitions, states;
  std::string nodes, format, long_format, sort;
  bool header = true, longer = false, by_node = false, summary = false, reasons = false,
       all = false, exact = false;
  bool dead_only = false, responding_only = false;
  std::uint32_t iterate_s = 0;
};

// Nodes of one partition that share a line. `nodes` may be empty: a partition without any.
struct NodeGroup {
  const PartitionRow* partition = nullptr;
  std::vector<const NodeRow*> nodes;
  bool exact = false;
};

const std::vector<Column<NodeGroup>>& node_columns();
CommandPage sinfo_page();
std::vector<Option<SinfoSettings>> sinfo_table();
Result<std::string> render_nodes(const SinfoSettings& settings,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes, Instant now);
int sinfo_main(const Arguments& arguments);

}  // namespace ym::cli
