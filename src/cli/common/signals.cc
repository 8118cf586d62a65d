// SPDX-License-Identifier: Apache-2.0
#include "cli/common/signals.h"

#include <signal.h>

#include <array>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace ym::cli {
namespace {

// Not one of the kernel's: how Slurm tells that a task was killed for its memory.
constexpr std::uint16_t kOomSignal = 125;

struct Named {
  std::string_view name, text;
  int number;
};

constexpr std::array kSignals{
    Named{"HUP", "Hangup", SIGHUP},
    Named{"INT", "Interrupt", SIGINT},
    Named{"QUIT", "Quit", SIGQUIT},
    Named{"ILL", "Illegal instruction", SIGILL},
    Named{"TRAP", "Trace/breakpoint trap", SIGTRAP},
    Named{"ABRT", "Aborted", SIGABRT},
    Named{"BUS", "Bus error", SIGBUS},
    Named{"FPE", "Floating point exception", SIGFPE},
    Named{"KILL", "Killed", SIGKILL},
    Named{"USR1", "User defined signal 1", SIGUSR1},
    Named{"SEGV", "Segmentation fault", SIGSEGV},
    Named{"USR2", "User defined signal 2", SIGUSR2},
    Named{"PIPE", "Broken pipe", SIGPIPE},
    Named{"ALRM", "Alarm clock", SIGALRM},
    Named{"TERM", "Terminated", SIGTERM},
    Named{"CHLD", "Child exited", SIGCHLD},
    Named{"CONT", "Continued", SIGCONT},
    Named{"STOP", "Stopped (signal)", SIGSTOP},
    Named{"TSTP", "Stopped", SIGTSTP},
    Named{"TTIN", "Stopped (tty input)", SIGTTIN},
    Named{"TTOU", "Stopped (tty output)", SIGTTOU},
    Named{"URG", "Urgent I/O condition", SIGURG},
    Named{"XCPU", "CPU time limit exceeded", SIGXCPU},
    Named{"XFSZ", "File size limit exceeded", SIGXFSZ},
};

const Named* find_signal(int number) {
  for (const Named& signal : kSignals)
    if (signal.number == number) return &signal;
  return nullptr;
}

}  // namespace

std::optional<std::uint16_t> parse_signal(std::string_view text) {
  if (auto number = parse_unsigned<std::uint16_t>(text)) {
    if (*number >= NSIG) return std::nullopt;
    return number;
  }
  if (starts_with_ignoring_case(text, "SIG")) text.remove_prefix(3);
  for (const Named& signal : kSignals)
    if (same_ignoring_case(text, signal.name)) return static_cast<std::uint16_t>(signal.number);
  return std::nullopt;
}

std::string signal_name(std::uint16_t signal) {
  const Named* named = find_signal(signal);
  return named ? fmt::format("SIG{}", named->name) : fmt::format("{}", signal);
}

std::string signal_text(std::uint16_t signal) {
  if (signal == kOomSignal) return "Out Of Memory";
  const Named* named = find_signal(signal);
  return named ? std::string(named->text) : fmt::format("Signal {}", signal);
}

}  // namespace ym::cli
