// SPDX-License-Identifier: Apache-2.0
// sattach: hear, and talk to, the tasks of a step that somebody else's srun has started.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "model/step_messages.h"
#include "notation/job_id.h"

namespace ym::cli {

struct SattachSettings {
  std::optional<std::uint32_t> input_task, output_task, error_task;  // unset: all
  bool label = false, layout = false, pty = false, quiet = false;
  std::uint32_t verbose = 0;
};

CommandPage sattach_page();
std::vector<Option<SattachSettings>> sattach_table();
// Whether the row is the step that the user means.
bool names(const JobRef& wanted, StepId step, const StepRow& row);
// What --layout prints.
std::string layout_text(const StepRow& row);
int sattach_main(const Arguments& arguments);

}  // namespace ym::cli
