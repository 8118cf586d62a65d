// SPDX-License-Identifier: Apache-2.0
#include "shepherd/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/files.h"
#include "shepherd/containment.h"
#include "shepherd/descendants.h"
#include "shepherd/packet.h"
#include "shepherd/record.h"
#include "shepherd/task.h"
#include "wire/codec.h"

namespace ym {
namespace {

constexpr std::size_t kReadSize = 64 << 10;
constexpr Duration kKillAgain{50};
constexpr int kLastReads = 16;   // a pipe holds no more; what is left behind may write for ever
constexpr int kLastTries = 250;  // five seconds
constexpr int kLookAgainMs = 50;
constexpr std::size_t kShownMax = 1024;

Status leave_mark(const Fd& record) {
  StartedMark mark{.pid = static_cast<std::uint32_t>(::getpid()), .at = wall_clock()};
  return append_part(record.get(), encode_part(mark));
}
void leave_result(const Fd& record, const ShepherdResult& result) {
  auto wrote = append_part(record.get(), encode_part(result));
  if (!wrote) ::dprintf(STDERR_FILENO, "slurmstepd: %s\n", wrote.error().text.c_str());
}
void ignore_signals() {
  for (int signal : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGTTOU, SIGTTIN, SIGTSTP, SIGQUIT})
    ::signal(signal, SIG_IGN);
}
Result<Fd> watch_children() {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  Fd fd(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd) return fail(errno_text("signalfd"));
  return fd;
}

class Programs {
 public:
  // RunInJob: in the extern step's groups, so that the job's end is theirs, too. Otherwise in none:
  // a daemon that a prolog starts may outlive it.
  Programs(const ShepherdOrder& order, const Fd& control)
      : order_(order),
        control_(control),
        containment_(order.cgroup, order.node, order.job, order.sluid, kExternStep) {}

  ShepherdResult run() {
    auto children = watch_children();
    if (!children) return failed(children.error().text);
    children_ = std::move(*children);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that a daemon is found when it must be killed
    if (order_.in_extern) containment_.make(order_);
    bool limited = order_.time_limit > Duration(0);
    deadline_ = limited ? monotonic_clock() + order_.time_limit : Duration(0);
    for (const TaskOrder& task : order_.tasks) {
      ShepherdResult result = run_one(task);
      if (!result.exit.ok() || !result.error.empty()) return result;
    }
    return {};
  }

 private:
  static ShepherdResult failed(std::string text) {
    return {.exit = {.code = 1, .signal = 0}, .error = std::move(text)};
  }

  ShepherdResult run_one(const TaskOrder& task) {
    tail_.clear();
    rlimit open_files{};
    ::getrlimit(RLIMIT_NOFILE, &open_files);
    auto started = start_task({.order = order_,
                               .task = task,
                               .script = {},
                               .containment = containment_,
                               .open_files = open_files,
                               .control = control_.get(),
                               .on_control = [this] { look_at_control(); }});
    std::string name = task.arguments.empty() ? std::string() : task.arguments.front();
    if (!started) return failed(fmt::format("{}: {}", name, started.error().text));
    int status = 0;
    while (!reaped(started->pid, status)) turn(started->streams);
    ::kill(-started->pid, SIGKILL);
    for (Fd* fd : {&started->streams.out, &started->streams.err})
      for (int more = kLastReads; more > 0 && read_some(*fd); --more) {
      }
    return result_of(name, status);
  }

  ShepherdResult result_of(const std::string& name, int status) {
    ShepherdResult result;
    if (WIFSIGNALED(status))
      result.exit.signal = static_cast<std::uint8_t>(WTERMSIG(status));
    else
      result.exit.code = static_cast<std::uint8_t>(WEXITSTATUS(status));
    if (timed_out_)
      result.error =
          fmt::format("{}: timed out after {} s", name, order_.time_limit.count() / 1000);
    else if (killed_)
      result.error = fmt::format("{}: killed", name);
    else if (WIFSIGNALED(status))
      result.error = fmt::format("{}: signal {}", name, WTERMSIG(status));
    else if (result.exit.code != 0)
      result.error = fmt::format("{}: exit code {}", name, WEXITSTATUS(status));
    result.on_order = killed_ && !timed_out_;
    if (!result.error.empty() && !tail_.empty())
      result.error +=
          ": " +
          printable(tail_.substr(tail_.size() - std::min(tail_.size(), kShownMax)), kShownMax);
    if (!result.error.empty()) signal_descendants(SIGKILL);
    return result;
  }

  static bool reaped(pid_t pid, int& status) {
    int ended = 0;
    for (pid_t one; (one = ::waitpid(-1, &ended, WNOHANG)) > 0;) {
      if (one != pid) continue;  // an orphan that came to us
      status = ended;
      return true;
    }
    return false;
  }

  void turn(TaskStreams& streams) {
    pollfd fds[4] = {{.fd = children_.get(), .events = POLLIN, .revents = 0},
                     {.fd = control_.get(), .events = POLLIN, .revents = 0},
                     {.fd = streams.out.get(), .events = POLLIN, .revents = 0},
                     {.fd = streams.err.get(), .events = POLLIN, .revents = 0}};
    ::poll(fds, 4, wait_ms());
    signalfd_siginfo ignored;
    while (::read(children_.get(), &ignored, sizeof ignored) > 0) {
    }
    if (fds[1].revents != 0) look_at_control();
    if (fds[2].revents != 0) read_some(streams.out);
    if (fds[3].revents != 0) read_some(streams.err);
    if (deadline_ > Duration(0) && monotonic_clock() >= deadline_) timed_out_ = true;
    if (timed_out_ || killed_) signal_descendants(SIGKILL);
  }

  int wait_ms() const {
    if (timed_out_ || killed_) return static_cast<int>(kKillAgain.count());
    if (deadline_ == Duration(0)) return -1;
    return static_cast<int>(std::max(deadline_ - monotonic_clock(), Duration(0)).count()) + 1;
  }

  void look_at_control() {
    while (auto packet = take_packet(control_.get())) {
      if (packet->kind != ControlKind::Signal || packet->signal != SIGKILL) continue;
      killed_ = true;
      signal_descendants(SIGKILL);
    }
  }

  // True if there may be more. All of it is read, so that the program never waits for us; the end
  // of it is kept.
  bool read_some(Fd& fd) {
    if (!fd) return false;
    buffer_.resize(kReadSize);
    ssize_t got = ::read(fd.get(), buffer_.data(), buffer_.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    if (got <= 0) {
      fd = Fd();
      return false;
    }
    tail_.append(buffer_, 0, static_cast<std::size_t>(got));
    if (tail_.size() > kProgramTailMax) tail_.erase(0, tail_.size() - kProgramTailMax);
    return true;
  }

  const ShepherdOrder& order_;
  const Fd& control_;
  Fd children_;
  Containment containment_;
  std::string tail_, buffer_;
  Duration deadline_{0};  // monotonic; 0: none
  bool timed_out_ = false, killed_ = false;
};

}  // namespace

int run_programs(const ShepherdOrder& order, PlainInherited inherited) {
  ignore_signals();
  auto marked = leave_mark(inherited.record);
  leave_result(inherited.record, marked ? Programs(order, inherited.control).run()
                                        : ShepherdResult{.exit = {.code = 1, .signal = 0},
                                                         .error = marked.error().text});
  return 0;
}

int run_extern(const ShepherdOrder& order, PlainInherited inherited) {
  ignore_signals();
  ShepherdResult result;
  if (auto marked = leave_mark(inherited.record); !marked) {
    result = {.exit = {.code = 1, .signal = 0}, .error = marked.error().text};
  } else {
    Containment containment(order);
    containment.make(order);
    // SIGTERM is passed on, and there is time until SIGKILL, as for any other step.
    bool told = false, kill = false;
    auto answer = [&](const ControlPacket& packet, int caller) {
      if (packet.kind != ControlKind::Memory) return false;
      answer_memory(caller, containment, packet.memory_mb, 0);
      return true;
    };
    while (!told || (!kill && !containment.members().empty())) {
      pollfd fd{.fd = inherited.control.get(), .events = POLLIN, .revents = 0};
      ::poll(&fd, 1, told ? kLookAgainMs : -1);
      while (auto packet = take_packet(inherited.control.get(), answer)) {
        if (packet->kind != ControlKind::Signal) continue;
        kill = kill || packet->signal == SIGKILL;
        if (packet->signal == SIGTERM && !told)
          for (pid_t pid : containment.members()) ::kill(pid, SIGTERM);
        told = told || kill || packet->signal == SIGTERM;
      }
    }
    // A killed process takes a moment to leave its group.
    for (int tries = 0; tries < kLastTries && !containment.members().empty(); ++tries) {
      containment.kill();
      ::poll(nullptr, 0, 20);
    }
    containment.remove();
  }
  leave_result(inherited.record, result);
  return 0;
}

}  // namespace ym
