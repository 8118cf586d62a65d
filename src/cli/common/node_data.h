// SPDX-License-Identifier: Apache-2.0
// Nodes and partitions as --json and --yaml tell them: names and structure as Slurm's data_parser
// documents them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/data_writer.h"
#include "model/node_messages.h"

namespace ym::cli {

// "IDLE", "DRAIN": the base state and its flags.
std::vector<std::string> state_flags(const Node& node);
void write_node(DataWriter& data, const NodeRow& row, std::string_view cluster);
// `key` is empty within a list.
void write_partition(DataWriter& data, std::string_view key, const PartitionRow& row,
                     std::string_view cluster);

}  // namespace ym::cli
