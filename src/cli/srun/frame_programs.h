// SPDX-License-Identifier: Apache-2.0
// SrunProlog and SrunEpilog, --prolog and --epilog: run by srun itself, as the user, before and
// after the step. How they end changes nothing for the step.
#pragma once
#include <string>
#include <vector>

#include "cli/options/job_options.h"
#include "model/config.h"
#include "model/step_messages.h"

namespace ym::cli {

// What the option says, else what the configuration says; empty for "none".
std::string frame_program(const std::string& option, const std::string& configured);

class FramePrograms {
 public:
  struct Step {
    const JobOptions& options;
    const MainConfig& config;
    const StepCreated& created;
    JobId job;
    const std::vector<std::string>& command;
    const std::vector<std::string>& environment;
  };
  explicit FramePrograms(const Step& step);

  // Until the program has ended.
  void run_prolog() const;
  void run_epilog() const;

 private:
  void run(const std::string& program, const char* context) const;

  std::string prolog_, epilog_;
  std::vector<std::string> command_;
  std::string environment_;  // empty where nothing runs
};

}  // namespace ym::cli
