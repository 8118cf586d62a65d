// SPDX-License-Identifier: Apache-2.0
#include "shepherd/shepherd.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/format.h"
#include "os/clock.h"
#include "os/files.h"
#include "shepherd/container.h"
#include "shepherd/folder.h"
#include "shepherd/record.h"

namespace ym {
namespace {

constexpr std::uint8_t kStreamSetupSignal = 53;  // Slurm's "0:53": the streams could not be opened

ExitStatus exit_of(int status) {
  if (WIFSIGNALED(status))
    return {.code = 0, .signal = static_cast<std::uint8_t>(WTERMSIG(status))};
  return {.code = static_cast<std::uint8_t>(WEXITSTATUS(status)), .signal = 0};
}

// Ours, or left to us by those that have ended.
bool has_children() {
  siginfo_t info;
  return ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

Shepherd::Shepherd(ShepherdOrder order, std::string stem, Inherited inherited)
    : order_(std::move(order)),
      stem_(std::move(stem)),
      record_(std::move(inherited.record)),
      control_(std::move(inherited.control)),
      residual_(std::move(inherited.residual)),
      replay_(folder_of(stem_)) {
  if (inherited.stream)
    adopt_stream(std::move(inherited.stream));
  else if (order_.streams)
    lost_at_ = monotonic_clock();
}

int Shepherd::run() {
  Status ready = prepare();
  if (ready) ready = start_mpi();
  if (!ready) {
    result_.error = ready.error().text;
    result_.exit = {.code = 1, .signal = 0};
    // Nothing of the job has run, and that was not its fault: it is for another node.
    result_.launch_failed = node_failed_ && order_.step == kBatchStep;
    if (result_.launch_failed) result_.drain_reason = kBatchLaunchFailure;
  } else {
    start_tasks();
    take_frames(std::exchange(residual_, {}));
  }
  while (std::ranges::any_of(tasks_, [](const Task& task) { return !task.ended; })) turn();
  if (order_.wait_for_children) wait_for_children();
  finish();
  return 0;
}

// --wait-for-children. The helper of an MPI library is a child, too, but has nothing left to do.
void Shepherd::wait_for_children() {
  if (mpi_) mpi_->stop();
  mpi_.reset();
  while (killing_since_ == Duration(0) && has_children()) turn();
}

Status Shepherd::prepare() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // Three descriptors for each task.
  ::getrlimit(RLIMIT_NOFILE, &open_files_);
  rlimit raised{.rlim_cur = open_files_.rlim_max, .rlim_max = open_files_.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &raised);
  for (int signal : {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGTTOU, SIGTTIN, SIGTSTP, SIGQUIT})
    ::signal(signal, SIG_IGN);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  children_ = Fd(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!children_) return fail(errno_text("signalfd"));
  started_ = wall_clock();
  sampled_at_ = monotonic_clock();
  StartedMark mark{.pid = static_cast<std::uint32_t>(::getpid()), .at = started_};
  if (auto wrote = append_part(record_.get(), encode_part(mark)); !wrote) {
    node_failed_ = true;
    return wrote;
  }
  contain();
  auto spool = make_container_spool(order_);
  if (!spool) return std::unexpected(spool.error());
  container_spool_ = std::move(*spool);
  if (order_.script.empty()) return {};
  Status wrote = write_script();
  node_failed_ = !wrote;
  return wrote;
}

// The spool is ours; the file then belongs to the user, who may read and run it.
Status Shepherd::write_script() {
  script_ = fmt::format("{}/{}", folder_of(stem_), kScriptFile);
  if (auto wrote = write_file(script_, order_.script, 0700, Sync::No); !wrote) return wrote;
  if (::geteuid() == 0 && ::chown(script_.c_str(), order_.uid, order_.gid) != 0)
    return fail(errno_text(script_));
  return {};
}

TaskSetup Shepherd::setup_of(const TaskOrder& task) {
  return {.order = order_,
          .task = task,
          .script = script_,
          .containment = containment_,
          .open_files = open_files_,
          .control = control_.get(),
          .on_control = [this] { on_control(); },
          .container_spool = container_spool_};
}

Status Shepherd::start_mpi() {
  auto made = make_mpi(order_, {.fence = [this](const StepFence& fence) { tell(fence); },
                                .abort = [this](const StepAbort& abort) { tell(abort); }});
  if (!made) return std::unexpected(made.error());
  mpi_ = std::move(*made);
  return {};
}

void Shepherd::start_tasks() {
  TasksStarted started{.node = order_.node};
  starting_ = true;
  for (const TaskOrder& one : order_.tasks) {
    if (killed_) break;
    TaskSetup setup = setup_of(one);
    if (tasks_.empty()) setup.notice = gpu_speeds_.told();
    if (mpi_) setup.mpi = mpi_->part_of(tasks_.size());
    auto task = start_task(setup);
    if (mpi_) mpi_->started(tasks_.size());
    if (!task) {
      // The others must not wait for it.
      result_.error = task.error().text;
      result_.exit = {.code = 0, .signal = kStreamSetupSignal};
      signal_tasks(SIGKILL, false);
      break;
    }
    usage_.began(task->pid, one.rank);
    started.tasks.push_back({.task = one.rank, .pid = static_cast<std::uint32_t>(task->pid)});
    tasks_.push_back({.order = &one,
                      .pid = task->pid,
                      .first_pid = task->pid,
                      .streams = std::move(task->streams)});
  }
  tell(started);
  starting_ = false;
  for (auto& [packet, passed] : std::exchange(deferred_, {}))
    handle(std::move(packet), std::move(passed));
}

void Shepherd::gather() {
  fds_.clear();
  watched_.clear();
  auto watch = [&](const Fd& fd, short events, Source source, std::size_t task = 0) {
    if (!fd || events == 0) return;
    fds_.push_back({.fd = fd.get(), .events = events, .revents = 0});
    watched_.push_back({.source = source, .task = task});
  };
  watch(children_, POLLIN, Source::Children);
  watch(control_, POLLIN, Source::Control);
  watch(oom_events_, POLLIN, Source::Memory);
  if (mpi_) {
    fds_.push_back({.fd = mpi_->fd(), .events = POLLIN, .revents = 0});
    watched_.push_back({.source = Source::Mpi, .task = 0});
  }
  bool input_full = false;
  bool read_tasks = pace_.may_read(replay_, static_cast<bool>(stream_), monotonic_clock());
  for (std::size_t n = 0; n < tasks_.size(); ++n) {
    const Task& task = tasks_[n];
    input_full |= task.streams.in && task.input.size() >= kInputBufferMax;
    if (!task.input.empty()) watch(task.streams.in, POLLOUT, Source::Input, n);
    if (read_tasks) watch(task.streams.out, POLLIN, Source::Output, n);
    if (read_tasks) watch(task.streams.err, POLLIN, Source::Errors, n);
  }
  int events = (input_full ? 0 : POLLIN) | (replay_.all_sent() ? 0 : POLLOUT);
  watch(stream_, static_cast<short>(events), Source::Stream);
  for (std::size_t n = 0; n < listeners_.size(); ++n) {
    fds_.push_back(listeners_.watched(n));
    watched_.push_back({.source = Source::Listener, .task = n});
  }
}

int Shepherd::poll_timeout() const {
  Duration now = monotonic_clock();
  Duration wait = pace_.waiting() ? kPaceWindow : std::chrono::hours(1);
  if (kill_at_ > Duration(0))
    wait = std::min(wait, kill_at_ - now);
  else if (lost_at_ > Duration(0))
    wait = std::min(wait, lost_at_ + order_.resume_wait - now);
  if (auto end = give_up_at()) wait = std::min(wait, *end - now);
  wait = std::min(wait, until_sample());
  return static_cast<int>(std::max(wait, Duration(0)).count()) + 1;
}

void Shepherd::turn() {
  gather();
  if (::poll(fds_.data(), fds_.size(), poll_timeout()) < 0 && errno != EINTR) return;
  for (std::size_t n = 0; n < fds_.size(); ++n) {
    short events = fds_[n].revents;
    if (events == 0) continue;
    std::size_t at = watched_[n].task;
    Task* task = at < tasks_.size() ? &tasks_[at] : nullptr;
    switch (watched_[n].source) {
      case Source::Children: break;  // last, so that a task's output comes before its end
      case Source::Control: on_control(); break;
      case Source::Memory: on_out_of_memory(); break;
      case Source::Mpi: mpi_->turn(); break;
      case Source::Input: write_input(*task); break;
      case Source::Output:
      case Source::Errors:
        if (!replay_.has_room()) break;
        read_output(*task,
                    watched_[n].source == Source::Output ? StreamKind::Stdout : StreamKind::Stderr);
        break;
      case Source::Listener: serve_listener(at); break;
      case Source::Stream:
        if (stream_ && (events & (POLLIN | POLLHUP | POLLERR))) read_stream();
        break;
    }
  }
  listeners_.sweep();
  reap();
  if (stream_) write_stream();
  sample_if_due();
  check_deadlines();
}

void Shepherd::reap() {
  signalfd_siginfo ignored;
  while (::read(children_.get(), &ignored, sizeof ignored) > 0) {
  }
  int status = 0;
  pid_t pid;
  while ((pid = usage_.reap(&status)) > 0) {
    auto task = std::ranges::find(tasks_, pid, &Task::pid);
    if (task == tasks_.end() || task->ended) continue;  // an orphan of a task
    if (!task->in_epilog) {
      task->exit = with_memory_in_mind(exit_of(status));
      result_.exit = std::max(result_.exit, task->exit);
      if (pid_t epilogs = start_task_epilogs(setup_of(*task->order), pid, task->exit)) {
        task->pid = epilogs;
        task->in_epilog = true;
        continue;
      }
    }
    task_ended(*task);
  }
}

void Shepherd::task_ended(Task& task) {
  task.ended = true;
  // What it wrote before its end comes first, as far as there is room for it.
  // What it has started may go on talking without end.
  for (StreamKind kind : {StreamKind::Stdout, StreamKind::Stderr}) {
    std::size_t got = 0;
    for (std::size_t all = 0; all < kPipeSize && replay_.has_room(); all += got) {
      got = read_output(task, kind);
      if (got == 0) break;
    }
  }
  task.streams.in = Fd();
  TaskEnded end{.task = task.order->rank, .exit = task.exit};
  tell(end);
  listeners_.tell(end);
}

// As long as srun is there it may take its time, unless the step was killed.
bool Shepherd::delivered(Duration since) const {
  if (!over_sent_) return false;
  if (replay_.all_confirmed()) return true;
  Duration now = monotonic_clock();
  // An srun that hangs up on a killed step was killed with it.
  if (killed_ && ((!stream_ && hung_up_) || now >= since + kKilledWait)) return true;
  if (stream_) return false;
  if (ending_at_ > Duration(0) && now >= std::max(lost_at_, ending_at_) + kEndingWait) return true;
  // It ended the connection having got everything, or was away too long already, or is now.
  return (hung_up_ && replay_.all_sent()) || kill_at_ > Duration(0) ||
         now >= lost_at_ + order_.resume_wait;
}

void Shepherd::deliver() {
  Duration since = monotonic_clock();
  for (;;) {
    if (drain_outputs() && !over_sent_) {
      tell(StepOver{.error = result_.error});
      listeners_.tell(StepOver{.error = result_.error});
      over_sent_ = true;
    }
    if (stream_) write_stream();
    if (delivered(since)) return;
    gather();
    ::poll(fds_.data(), fds_.size(), 200);
    reap();
    on_control();
    if (stream_) read_stream();
    for (std::size_t n = 0; n < listeners_.size(); ++n) serve_listener(n);
    listeners_.sweep();
  }
}

// What the tasks have left in their pipes. True when nothing is left to read.
bool Shepherd::drain_outputs() {
  for (Task& task : tasks_) {
    for (StreamKind kind : {StreamKind::Stdout, StreamKind::Stderr}) {
      do {
        if (!replay_.has_room()) return false;
      } while (read_output(task, kind) > 0);
      Fd& fd = kind == StreamKind::Stdout ? task.streams.out : task.streams.err;
      if (!fd) continue;
      // Empty but not at its end: somebody outside of the step holds the other side. Nothing more
      // is ours.
      fd = Fd();
      tell(TaskOutput{.task = task.order->rank, .stream = kind, .end = true});
    }
  }
  return true;
}

}  // namespace ym
