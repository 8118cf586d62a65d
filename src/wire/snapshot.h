// SPDX-License-Identifier: Apache-2.0
// A whole State as a stream of chunks and back; what store/ writes as a snapshot file.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/state.h"

namespace ym::wire {

// Calls `sink` with one chunk after another, each of some 64 KiB; stops early and returns false if
// it does. Runs on a copy of the state, on any thread. O(state).
bool write_snapshot(const State& state, const std::function<bool(std::string_view)>& sink);

// Folds one chunk into `state`, which was empty before the first. The name tables are complete
// after finish().
class SnapshotReader {
 public:
  Status add(std::string_view chunk);
  // REQUIRES: every chunk was added. Refuses if the head was missing.
  Result<State> finish();

 private:
  State state_;
  bool have_head_ = false;
};

// Equal durable states have equal hashes. O(state); for simulation and recovery tests.
std::uint64_t hash_of(const State& state);

}  // namespace ym::wire
