// SPDX-License-Identifier: Apache-2.0
// What the user's keyboard and other processes tell srun.
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "cli/common/command.h"
#include "cli/srun/session.h"
#include "os/clock.h"

namespace ym::cli {
namespace {
constexpr Duration kSecondInterrupt{1000};
}

void Session::take_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto& ignored = run_.options->ignored_signals;
    if (std::ranges::find(ignored, info.ssi_signo) != ignored.end()) continue;
    switch (static_cast<int>(info.ssi_signo)) {
      case SIGINT: interrupt(); break;
      case SIGTSTP:
      case SIGCONT: break;
      case SIGWINCH: {
        winsize size{};
        if (raw_ && ::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && !streams_.empty())
          streams_[0]->send(WindowChanged{.rows = size.ws_row, .columns = size.ws_col});
        break;
      }
      case SIGTERM:
      case SIGHUP:
      case SIGQUIT:
        remark("srun", fmt::format("forcing job termination"));
        aborting_ = true;
        send_signal(SIGTERM);
        if (kill_at_ == Duration(0)) kill_at_ = monotonic_clock() + controller_.config().kill_wait;
        break;
      default: send_signal(static_cast<std::uint16_t>(info.ssi_signo));
    }
  }
}

// Once: how is it going? Twice within a second: stop. Once more: at once.
void Session::interrupt() {
  Duration now = monotonic_clock();
  if (aborting_) {
    send_signal(SIGKILL);
    return;
  }
  if (!run_.options->quit_on_interrupt && now - interrupted_at_ > kSecondInterrupt) {
    interrupted_at_ = now;
    if (run_.options->disable_status) return send_signal(SIGINT);
    remark("srun", "interrupt (one more within 1 sec to abort)");
    say_status();
    return;
  }
  aborting_ = true;
  remark("srun", fmt::format("sending Ctrl-C to {}", step_name()));
  send_signal(SIGINT);
  auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(controller_.config().kill_wait).count();
  remark("srun", fmt::format("Job step aborted: Waiting up to {} seconds for job step to finish.",
                             seconds + 2));
  kill_at_ = now + controller_.config().kill_wait;
}

void Session::escalate() {
  Duration wait = run_.options->task_wait_s ? std::chrono::seconds(*run_.options->task_wait_s)
                                            : controller_.config().srun_wait;
  if (wait > Duration(0) && first_end_ > Duration(0) && !terminating_ &&
      monotonic_clock() >= first_end_ + wait && !exits_.all_ended()) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait).count();
    remark("srun", fmt::format("First task exited {}s ago", seconds));
    say_status();
    // They have had the time of --wait: nobody asks them first.
    terminating_ = true;
    remark("srun", fmt::format("Terminating {}", step_name()));
    send_signal(SIGKILL);
  }
  if (kill_at_ == Duration(0) || monotonic_clock() < kill_at_) return;
  kill_at_ = Duration(0);
  send_signal(SIGKILL);
}

// On the streams, which are there anyhow. Where one is lost, slurmd is asked.
void Session::send_signal(std::uint16_t signal) {
  std::map<const StepSlice*, std::vector<NodeAddress>> lost;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    NodeStream& stream = *streams_[i];
    if (stream.over()) continue;
    if (stream.open() || (stream.joining() && !stream.joined()))
      stream.send(SignalTasks{.signal = signal});
    else if (stream.launched())
      lost[&slice_of(i)].push_back(run_.created.nodes[i]);
  }
  for (auto& [slice, nodes] : lost) signal_by_tree(*slice, signal, std::move(nodes));
}

void Session::say_status() const {
  for (const std::string& line : exits_.status())
    remark("srun", fmt::format("{} {}", step_name(), line));
}

void Session::set_terminal(bool raw) {
  static termios before{};
  if (raw && ::tcgetattr(STDIN_FILENO, &before) == 0) {
    termios changed = before;
    ::cfmakeraw(&changed);
    raw_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &changed) == 0;
  } else if (!raw) {
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    raw_ = false;
  }
}

}  // namespace ym::cli
