// SPDX-License-Identifier: Apache-2.0
// From a log to state: the newest snapshot and the tail of the log.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/state.h"
#include "store/log_home.h"
#include "wire/snapshot.h"

namespace ym {

// A state that grows with what is replayed.
class StateBuilder {
 public:
  StateBuilder() = default;
  // Goes on from there.
  explicit StateBuilder(State state) : state_(std::move(state)) {}

  // Valid as long as this stays where it is.
  Replay replay();
  // After a snapshot that no record followed.
  Status finish();
  // REQUIRES: finish() succeeded.
  const State& state() const { return state_; }
  State take() { return std::move(state_); }

 private:
  Status add_record(std::uint64_t seq, std::string_view bytes);

  State state_;
  wire::SnapshotReader reader_;
  bool in_snapshot_ = false;
};

struct RecoveredState {
  State state;
  OpenedLog log;
};

struct Recovery {
  bool accept_loss = false;  // slurmctld -i: start in spite of damage, keep everything before it
  State known = {};          // a standby has followed the log so far; empty: read everything
};
// What the files of a log say, for those who do not go on with it.
Result<State> read_state(Disk& disk, const std::string& dir);

// REQUIRES: leads (log_home.h).
// O(snapshot + tail), or what `known` lacks: see bench/recovery for a million jobs.
Result<RecoveredState> recover(LogHome& home, Recovery how);

}  // namespace ym
