// SPDX-License-Identifier: Apache-2.0
// squeue: parse, ask once, render.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/report.h"
#include "cli/common/targets.h"
#include "model/job_messages.h"
#include "model/step_messages.h"

namespace ym::cli {

struct SqueueSettings {
  ReportWish report;
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions, accounts, qos, names, licenses, reservations;
  StateChoice states;
  std::string nodes;
  bool start = false, steps = false, single_elements = false, all = false;
  bool by_partition = false;  // -P: a pending job has a line for each of its partitions
  bool only_state = false;
  bool headed = false;  // what stands above the rows has been printed
};

CommandPage squeue_page();
std::vector<Option<SqueueSettings>> squeue_table();
// The question to the controller that the settings make.
JobFilter squeue_filter(const SqueueSettings& settings);
// Everything that is printed for these rows, or for these steps of them. What the format has of
// unknown columns is added to `complaints`, if there is one; a wrong sort order is an error.
Result<std::string> render_queue(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, const std::vector<StepRow>& steps = {},
                                 std::vector<std::string>* complaints = nullptr);
int squeue_main(const Arguments& arguments);

}  // namespace ym::cli
