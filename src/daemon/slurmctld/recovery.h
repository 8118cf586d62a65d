// SPDX-License-Identifier: Apache-2.0
// From files to state: the newest snapshot and the tail of the log.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/state.h"
#include "store/journal.h"

namespace ym {

struct RecoveredState {
  State state;
  Recovered log;
};

// `accept_loss` is slurmctld -i: start in spite of damage, keep everything before it.
// O(snapshot + tail): see bench/recovery for a million jobs.
Result<RecoveredState> recover(Disk& disk, const std::string& dir, bool accept_loss);

}  // namespace ym
