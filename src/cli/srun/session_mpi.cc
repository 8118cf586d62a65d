// SPDX-License-Identifier: Apache-2.0
// What the tasks of an MPI program want of each other, through srun.
#include <signal.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/srun/session.h"
#include "os/clock.h"

namespace ym::cli {

std::uint32_t Session::number_of(const NodeStream& stream) const {
  auto found =
      std::ranges::find_if(streams_, [&](const auto& one) { return one.get() == &stream; });
  return static_cast<std::uint32_t>(found - streams_.begin());
}

void Session::take_fence(NodeStream& stream, StepFence part) {
  auto answer = fences_.take(number_of(stream), std::move(part));
  if (!answer) {
    if (!aborting_) end_step(answer.error().text, 1);
    return;
  }
  for (std::uint32_t node : answer->to) {
    if (node < streams_.size() && !streams_[node]->over()) streams_[node]->send(answer->all);
  }
}

void Session::take_abort(const StepAbort& abort) {
  if (aborting_) return;
  abort_code_ = (abort.status & 0xff) != 0 ? abort.status & 0xff : 1;
  end_step(printable(abort.text), 1);
}

void Session::end_step(const std::string& why, int code) {
  aborting_ = true;
  complain("srun", fmt::format("{}: {}", step_name(), why));
  failure_code_ = std::max(failure_code_, code);
  send_signal(SIGCONT);
  send_signal(SIGTERM);
  if (kill_at_ == Duration(0)) kill_at_ = monotonic_clock() + controller_.config().kill_wait;
}

}  // namespace ym::cli
