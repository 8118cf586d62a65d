// SPDX-License-Identifier: Apache-2.0
// Whether the tasks' output is read now.
//
// Memory comes first. When that is full, a reader at least as quick as a disk (kQuickBytes in each
// kPaceWindow) sets the pace, as a pipe would, so that a quick stream never touches the disk. A
// slower one, or one that is away, does not hold up the tasks: what they say goes to the file,
// until that is full as well. Then they wait, whether srun is there or not: nothing is dropped.
#pragma once
#include <cstdint>

#include "base/time.h"
#include "shepherd/replay.h"

namespace ym {

inline constexpr Duration kPaceWindow{20};
inline constexpr std::uint64_t kQuickBytes = 4 << 20;

class Pace {
 public:
  // `now` is monotonic.
  bool may_read(Replay& replay, bool connected, Duration now);
  // may_read has said no for the time being: ask again after kPaceWindow, whatever happens.
  bool waiting() const { return since_ > Duration(0); }

 private:
  Duration since_{0};  // the reader is being given time
  std::uint64_t sent_then_ = 0;
  bool spilling_ = false;
};

}  // namespace ym
