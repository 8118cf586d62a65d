// SPDX-License-Identifier: Apache-2.0
// sprio: what the priorities of pending jobs are made of.
#pragma once
#include <string>
#include <vector>

#include "cli/common/columns.h"
#include "cli/common/report.h"
#include "cli/common/targets.h"
#include "model/job_messages.h"

namespace ym::cli {

struct SprioSettings {
  ReportWish report;
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions;
  bool normalized = false, weights = false;
  // As the controller's configuration has them.
  PriorityRules rules;
  std::string tres_weights;
};

// A pending job, or the weights themselves.
struct SprioRow {
  const JobRow* job = nullptr;  // null: the weights
  std::string partition;
  std::string_view cluster;
  const PriorityParts* parts = nullptr;  // of the job in this partition
  PriorityRules weights;
  std::string tres_weights;
};

CommandPage sprio_page();
std::vector<Option<SprioSettings>> sprio_table();
const std::vector<Column<SprioRow>>& sprio_columns();
Result<std::string> render_priorities(const SprioSettings& settings,
                                      const std::vector<JobRow>& rows);
int sprio_main(const Arguments& arguments);

}  // namespace ym::cli
