// SPDX-License-Identifier: Apache-2.0
// squeue: parse, ask once, render.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/targets.h"
#include "model/job_messages.h"
#include "model/step_messages.h"

namespace ym::cli {

struct SqueueSettings {
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions, accounts, qos, names, licenses, reservations;
  StateChoice states;
  std::string nodes;
  std::string format, long_format, sort;
  bool header = true, longer = false, start = false, steps = false, single_elements = false,
       all = false;
  bool only_state = false;
  std::uint32_t iterate_s = 0;
};

CommandPage squeue_page();
std::vector<Option<SqueueSettings>> squeue_table();
// The question to the controller that the settings make.
JobFilter squeue_filter(const SqueueSettings& settings);
// Everything that is printed for these rows, or for these steps of them; an error if the format or
// the sort order is wrong.
Result<std::string> render_queue(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, const std::vector<StepRow>& steps = {});
int squeue_main(const Arguments& arguments);

}  // namespace ym::cli
