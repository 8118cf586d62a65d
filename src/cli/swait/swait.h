// SPDX-License-Identifier: Apache-2.0
// swait: until a job's steps, or one of them, have ended. For scripts that start them with srun
// --async.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "model/history.h"

namespace ym::cli {

struct SwaitSettings {
  bool follow = false, quiet = false;
  std::uint32_t verbose = 0;
  std::uint32_t timeout_s = 0;  // 0: none
};

// What is waited for, look by look.
class StepWait {
 public:
  StepWait(SwaitSettings settings, std::optional<StepId> only) : settings_(settings), only_(only) {}

  struct Look {
    std::string text;         // to be printed
    std::optional<int> exit;  // unset: look again
  };
  // The job as it is now. Steps that had ended before the first look are not told of.
  Look look(const HistoryRow& row);

 private:
  SwaitSettings settings_;
  std::optional<StepId> only_;
  bool first_ = true;
  std::set<StepId> alive_;  // when last looked at
};

CommandPage swait_page();
std::vector<Option<SwaitSettings>> swait_table();
int swait_main(const Arguments& arguments);

}  // namespace ym::cli
