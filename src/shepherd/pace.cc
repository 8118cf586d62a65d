// SPDX-License-Identifier: Apache-2.0
#include "shepherd/pace.h"

namespace ym {

bool Pace::may_read(Replay& replay, bool connected, Duration now) {
  if (!replay.would_spill()) {
    since_ = Duration(0);
    if (spilling_) spilling_ = replay.backlog_in_file();
    return true;
  }
  if (!connected || spilling_) {
    since_ = Duration(0);
    return replay.has_room();
  }
  if (since_ == Duration(0) || now - since_ >= kPaceWindow) {
    bool quick = since_ == Duration(0) || replay.sent_total() - sent_then_ >= kQuickBytes;
    since_ = quick ? now : Duration(0);
    sent_then_ = replay.sent_total();
    spilling_ = !quick;
  }
  return spilling_ && replay.has_room();
}

}  // namespace ym
