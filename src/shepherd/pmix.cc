// SPDX-License-Identifier: Apache-2.0
#include "shepherd/pmix.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {
namespace {

constexpr Duration kStartMax = std::chrono::seconds(30);
constexpr Duration kStopMax = std::chrono::seconds(2);
constexpr std::size_t kReadSize = 64 << 10;

// ------------------------------------------------------------------------ in the child

void become_user(const ShepherdOrder& order) {
  if (::geteuid() != 0) return;
  std::vector<gid_t> groups(order.groups.begin(), order.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0 ||
      ::setresgid(order.gid, order.gid, order.gid) != 0 ||
      ::setresuid(order.uid, order.uid, order.uid) != 0)
    ::_exit(126);
}

// What users tune the library with; nothing that changes which code runs.
std::vector<std::string> helper_environment(const ShepherdOrder& order) {
  std::vector<std::string> kept = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  for (std::string_view entry : split(order.environment, '\0')) {
    if (entry.starts_with("PMIX_MCA_") || entry.starts_with("TMPDIR=")) kept.emplace_back(entry);
  }
  return kept;
}

[[noreturn]] void run_helper(const ShepherdOrder& order, const std::string& program, int fd) {
  ::setsid();
  // Signals for the step's tasks are not for it: it ends with its connection.
  for (int signal = 1; signal < NSIG; ++signal) {
    bool own_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
                     signal == SIGFPE || signal == SIGABRT;
    ::signal(signal, own_fault || signal == SIGCHLD ? SIG_DFL : SIG_IGN);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  int kept = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (kept < 0 || null < 0 || ::dup2(kept, kPmixFd) < 0 || ::dup2(null, 0) < 0 ||
      ::dup2(null, 1) < 0 || ::dup2(null, 2) < 0 || ::chdir("/") != 0)
    ::_exit(126);
  become_user(order);
  std::vector<std::string> environment = helper_environment(order);
  std::vector<char*> envp;
  for (std::string& entry : environment) envp.push_back(entry.data());
  envp.push_back(nullptr);
  std::string name = program;
  char* argv[] = {name.data(), nullptr};
  ::execve(program.c_str(), argv, envp.data());
  ::_exit(127);
}

// ------------------------------------------------------------------- and in the parent

class PmixTasks final : public MpiSupport {
 public:
  PmixTasks(MpiVoice voice, Fd socket, pid_t pid)
      : voice_(std::move(voice)),
        socket_(std::move(socket)),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        pid_(pid) {
    ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_.get(), &event);
  }
  ~PmixTasks() override { PmixTasks::stop(); }

  Status prepare(const ShepherdOrder& order) {
    parts_.resize(order.shares[order.node_number].tasks);
    say(PmixFrame::Job, encode_pmix_job(order));
    Duration until = monotonic_clock() + kStartMax;
    while (ready_ < parts_.size() && trouble_.empty()) {
      Duration left = until - monotonic_clock();
      pollfd wait{.fd = epoll_.get(), .events = POLLIN, .revents = 0};
      if (left <= Duration(0)) return fail(fmt::format("{} does not answer", kPmixProgram));
      ::poll(&wait, 1, static_cast<int>(left.count()) + 1);
      turn();
    }
    return trouble_.empty() ? Status{} : fail(trouble_);
  }

  TaskPart part_of(std::size_t local) override {
    return {.environment = local < parts_.size() ? parts_[local] : std::string()};
  }
  void started(std::size_t) override {}
  int fd() const override { return epoll_.get(); }

  void turn() override {
    std::string buffer(kReadSize, '\0');
    while (socket_) {
      ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      std::vector<Frame> frames;
      bool sound =
          got > 0 &&
          frames_.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)), frames);
      for (const Frame& frame : frames) handle(frame);
      if (!sound) lose(fmt::format("{} has ended", kPmixProgram));
    }
    write();
  }
  void take(const StepFence& all) override {
    std::erase_if(waiting_, [&](const StepFence& one) { return one.key == all.key; });
    say(PmixFrame::Fence, wire::encode(all));
  }
  void repeat() override {
    for (const StepFence& one : waiting_) voice_.fence(one);
  }

  void stop() override {
    if (pid_ <= 0) return;
    socket_ = Fd();
    Fd handle(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    pollfd wait{.fd = handle.get(), .events = POLLIN, .revents = 0};
    if (handle && ::poll(&wait, 1, static_cast<int>(kStopMax.count())) == 0) ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  void handle(const Frame& frame) {
    switch (static_cast<PmixFrame>(frame.header.type)) {
      case PmixFrame::Variables:
        if (frame.header.correlation != ready_ || ready_ >= parts_.size()) return;
        parts_[ready_++] = frame.payload;
        break;
      case PmixFrame::Fence:
        if (auto fence = wire::decode<StepFence>(frame.payload)) {
          waiting_.push_back(*fence);
          voice_.fence(*fence);
        }
        break;
      case PmixFrame::Abort:
        if (auto abort = wire::decode<StepAbort>(frame.payload)) voice_.abort(*abort);
        break;
      case PmixFrame::Trouble: lose(printable(frame.payload, 1000)); break;
      case PmixFrame::Job: break;
    }
  }
  // Tasks that wait for the server would wait for ever.
  void lose(std::string text) {
    socket_ = Fd();
    if (!trouble_.empty()) return;
    trouble_ = std::move(text);
    if (ready_ == parts_.size()) voice_.abort({.status = 1, .text = trouble_});
  }
  void say(PmixFrame kind, std::string_view payload) {
    append_frame(unsent_, {.type = static_cast<std::uint16_t>(kind)}, payload);
    write();
  }
  void write() {
    while (socket_ && !unsent_.empty()) {
      ssize_t wrote = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) break;  // Full; an end is seen by reading.
      unsent_.erase(0, static_cast<std::size_t>(wrote));
    }
    if (!socket_) return;
    epoll_event event{.events = unsent_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT, .data = {}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_.get(), &event);
  }

  MpiVoice voice_;
  Fd socket_, epoll_;
  pid_t pid_;
  FrameReader frames_;
  std::string unsent_, trouble_;
  std::vector<std::string> parts_;
  std::size_t ready_ = 0;  // of parts_
  std::vector<StepFence> waiting_;
};

}  // namespace

std::string encode_pmix_job(const ShepherdOrder& order) {
  ShepherdOrder job{.job = order.job, .step = order.step, .uid = order.uid, .gid = order.gid};
  job.node = order.node;
  job.node_number = order.node_number;
  job.shares = order.shares;
  job.node_names = order.node_names;
  job.world = order.world;
  job.temp_dir = order.temp_dir;
  return wire::encode(job);
}

Result<std::unique_ptr<MpiSupport>> make_pmix(const ShepherdOrder& order, MpiVoice voice) {
  std::string program = fmt::format("{}/{}", program_folder(), kPmixProgram);
  if (::access(program.c_str(), X_OK) != 0)
    return fail(fmt::format("--mpi=pmix needs {}, which is not installed on this node", program));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail(errno_text("socketpair"));
  Fd ours(ends[0]), theirs(ends[1]);
  pid_t pid = ::fork();
  if (pid < 0) return fail(errno_text("fork"));
  if (pid == 0) run_helper(order, program, theirs.get());
  theirs = Fd();
  auto tasks = std::make_unique<PmixTasks>(std::move(voice), std::move(ours), pid);
  if (auto ready = tasks->prepare(order); !ready) return std::unexpected(ready.error());
  return tasks;
}

}  // namespace ym
