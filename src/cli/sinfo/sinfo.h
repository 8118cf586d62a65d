// SPDX-License-Identifier: Apache-2.0
// sinfo: partitions and nodes, those alike on one line.
#pragma once
#include <string>
#include <vector>

#include "cli/common/report.h"
#include "cli/sinfo/node_states.h"
#include "model/node_messages.h"
#include "model/reservation.h"

namespace ym::cli {

struct SinfoSettings {
  ReportWish report;
  std::vector<std::string> partitions;
  NodeStateChoice states;
  std::string nodes;
  bool by_node = false, summary = false, reasons = false, all = false, exact = false;
  bool dead_only = false, responding_only = false, reservations = false;
};

// Nodes of one partition that share a line. `nodes` may be empty: a partition without any.
struct NodeGroup {
  const PartitionRow* partition = nullptr;
  std::vector<const NodeRow*> nodes;
  std::string_view cluster;
};

const std::vector<Column<NodeGroup>>& node_columns();
CommandPage sinfo_page();
std::vector<Option<SinfoSettings>> sinfo_table();
// What the format has of unknown columns is added to `complaints`, if there is one.
Result<std::string> render_nodes(const SinfoSettings& settings,
                                 const std::vector<PartitionRow>& partitions,
                                 const std::vector<NodeRow>& nodes, Instant now,
                                 std::vector<std::string>* complaints = nullptr);
// -T. Times as the environment wants them.
std::string render_reservations(const std::vector<ReservationRow>& rows, bool heading, Instant now);
// Nodes or CPUs of a group by what they do.
struct Counts {
  std::uint64_t allocated = 0, idle = 0, other = 0, total = 0;
};
Counts count_nodes(const NodeGroup& group);
Counts count_cpus(const NodeGroup& group);
// The group as --json and --yaml tell it.
void write_group(DataWriter& data, const NodeGroup& group);
int sinfo_main(const Arguments& arguments);

}  // namespace ym::cli
