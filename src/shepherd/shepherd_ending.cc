// SPDX-License-Identifier: Apache-2.0
// The shepherd's hold on its processes: groups, signals, freezing, and the end of all of them.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/format.h"
#include "os/clock.h"
#include "os/files.h"
#include "shepherd/descendants.h"
#include "shepherd/folder.h"
#include "shepherd/notice.h"
#include "shepherd/record.h"
#include "shepherd/shepherd.h"
#include "shepherd/unkillable.h"

namespace ym {
namespace {

constexpr Duration kLeftoverPauseMax{20};
// For what the runtime does about a container that has ended.
constexpr Duration kContainerEndWait = std::chrono::seconds(10);
constexpr int kContainerPauseMs = 5;
constexpr Duration kKillAgain = std::chrono::seconds(1);
// Between the kernel's word that memory is used up and the count of those it killed for that.
constexpr int kOomWaitMs = 50;
constexpr std::uint8_t kOomSignal = 125;  // Slurm's "0:125"

}  // namespace

bool Shepherd::no_child_left() {
  int status = 0;
  while (usage_.reap(&status) > 0) {
  }
  return usage_.reap(&status) < 0 && errno == ECHILD;
}

void Shepherd::contain() {
  for (const std::string& trouble : containment_.make(order_))
    ::dprintf(STDERR_FILENO, "slurmstepd: [%u.%s] not contained: %s\n", order_.job.value,
              step_word(order_.step).c_str(), trouble.c_str());
  for (const std::string& trouble : speeds_.set(order_))
    ::dprintf(STDERR_FILENO, "slurmstepd: [%u.%s] CPU frequency: %s\n", order_.job.value,
              step_word(order_.step).c_str(), trouble.c_str());
  for (const std::string& trouble : gpu_speeds_.set(order_))
    ::dprintf(STDERR_FILENO, "slurmstepd: [%u.%s] GPU frequency: %s\n", order_.job.value,
              step_word(order_.step).c_str(), trouble.c_str());
  if (order_.oom_kill_step) oom_events_ = containment_.watch_oom();
}

void Shepherd::say(const std::string& text) {
  if (text.empty() || order_.tasks.empty()) return;
  const TaskOrder& first = order_.tasks.front();
  if (!first.std_err.empty()) return append_as_user(order_, first.std_err, text);
  tell(TaskOutput{.task = first.rank, .stream = StreamKind::Stderr, .data = text});
}

void Shepherd::signal_tasks(int signal, bool leaders_only) {
  if (leaders_only) {
    for (const Task& task : tasks_) {
      if (!task.ended) ::kill(task.pid, signal);
    }
    return;
  }
  if (signal == SIGKILL) return kill_everything();
  send_everywhere(signal);
  if (signal == SIGTERM) kill_containers();
}

void Shepherd::send_everywhere(int signal) {
  if (!containment_.tracks()) {
    signal_descendants(signal);
    return;
  }
  for (pid_t pid : containment_.members()) ::kill(pid, signal);
}

// The runtime's own way: the first process of a container may be deaf to signals from outside.
void Shepherd::kill_containers() {
  if (order_.container.empty() || order_.oci.kill.empty()) return;
  for (const Task& task : tasks_)
    if (!task.ended) start_container_end(setup_of(*task.order), task.first_pid, ContainerEnd::Kill);
}

// Nothing of the step lives any more; what the runtimes remember of it, and the files that were
// made for them, goes too.
void Shepherd::clean_containers() {
  if (order_.container.empty()) return;
  for (const Task& task : tasks_) {
    pid_t pid = start_container_end(setup_of(*task.order), task.first_pid, ContainerEnd::Delete);
    Duration until = monotonic_clock() + kContainerEndWait;
    while (pid > 0 && ::waitpid(pid, nullptr, WNOHANG) == 0 && monotonic_clock() < until)
      ::poll(nullptr, 0, kContainerPauseMs);
  }
  end_leftovers();
  if (!container_spool_.empty()) ::rmdir(container_spool_.c_str());
}

void Shepherd::kill_everything() {
  if (killing_since_ == Duration(0)) killing_since_ = monotonic_clock();
  frozen_ = false;
  if (containment_.kill()) {
    containment_.thaw();
    // A process may have left by the hand of somebody who may move it.
    signal_descendants(SIGKILL);
  } else {
    kill_descendants();
  }
}

void Shepherd::freeze(bool frozen) {
  if (killing_since_ > Duration(0)) return;
  // Who stopped by himself when he was told that he would be frozen (SIGTSTP) goes on, too.
  if (!frozen && frozen == frozen_) return signal_tasks(SIGCONT, false);
  if (frozen == frozen_) return;
  frozen_ = frozen;
  bool done = frozen ? containment_.freeze() : containment_.thaw();
  if (frozen && !done) stop_descendants();
  if (!frozen) signal_tasks(SIGCONT, false);
}

void Shepherd::check_deadlines() {
  Duration now = monotonic_clock();
  if (lost_at_ > Duration(0) && kill_at_ == Duration(0) && now >= lost_at_ + order_.resume_wait)
    begin_kill();
  if (kill_at_ > Duration(0) && now >= kill_at_) {
    signal_tasks(SIGKILL, false);
    kill_at_ = now + kKillAgain;
  }
  if (give_up_at() && now >= *give_up_at()) give_up();
}

void Shepherd::begin_kill() {
  kill_at_ = monotonic_clock() + std::max(order_.kill_wait, Duration(1));
  freeze(false);
  signal_tasks(SIGCONT, false);
  signal_tasks(SIGTERM, false);
}

std::optional<Duration> Shepherd::give_up_at() const {
  if (killing_since_ == Duration(0)) return std::nullopt;
  return killing_since_ + std::max(order_.unkillable_timeout, Duration(1));
}

// A task that SIGKILL did not end is treated as if it had: finish() tells of it.
void Shepherd::give_up() {
  for (Task& task : tasks_) {
    if (task.ended) continue;
    task.ended = true;
    task.exit = {.code = 0, .signal = SIGKILL};
    result_.exit = std::max(result_.exit, task.exit);
    tell(TaskEnded{.task = task.order->rank, .exit = task.exit});
  }
}

void Shepherd::end_leftovers() {
  Duration pause{1};
  while (!no_child_left()) {
    kill_everything();
    if (monotonic_clock() >= *give_up_at()) return tell_unkillable();
    ::poll(nullptr, 0, static_cast<int>(pause.count()));
    pause = std::min(pause * 2, kLeftoverPauseMax);
  }
}

void Shepherd::tell_unkillable() {
  std::vector<pid_t> left = containment_.members();
  for (pid_t pid : descendants())
    if (std::ranges::find(left, pid) == left.end()) left.push_back(pid);
  std::string text = describe_unkillable(left);
  if (text.empty()) return;  // the last one has gone after all
  result_.drain_reason = "Kill task failed";
  if (auto wrote = write_file(stem_ + kUnkillableSuffix, text, 0600); !wrote)
    ::dprintf(STDERR_FILENO, "slurmstepd: %s\n", wrote.error().text.c_str());
  run_unkillable_program(order_);
}

void Shepherd::on_out_of_memory() {
  std::uint64_t count = 0;
  [[maybe_unused]] ssize_t got = ::read(oom_events_.get(), &count, sizeof count);
  for (int waited = 0; waited < kOomWaitMs; ++waited) {
    if (containment_.oom_kills() > 0) return kill_everything();
    ::poll(nullptr, 0, 1);
  }
}

ExitStatus Shepherd::with_memory_in_mind(ExitStatus exit) const {
  bool killed = exit.signal == SIGKILL && containment_.oom_kills() > 0;
  return killed ? ExitStatus{.code = 0, .signal = kOomSignal} : exit;
}

void Shepherd::note_memory() {
  std::uint64_t kills = containment_.oom_kills();
  if (kills == 0) return;
  result_.out_of_memory = true;
  result_.exit = {.code = 0, .signal = kOomSignal};
  say(
      fmt::format("slurmstepd: error: Detected {} oom_kill event{} in StepId={}.{}. Some of the "
                  "step tasks have been OOM Killed.\n",
                  kills, kills == 1 ? "" : "s", order_.job.value, step_word(order_.step)));
}

// All tasks have ended: nothing of them may stay, then the result, then what srun has not got yet.
void Shepherd::finish() {
  if (mpi_) mpi_->stop();
  mpi_.reset();
  end_leftovers();
  clean_containers();
  speeds_.restore();
  gpu_speeds_.restore();
  note_memory();
  result_.usage = usage_.total(order_.node);
  containment_.remove();
  auto wrote = append_part(record_.get(), encode_part(result_));
  if (!wrote) ::dprintf(STDERR_FILENO, "slurmstepd: %s\n", wrote.error().text.c_str());
  if (order_.streams)
    deliver();
  else
    listeners_.tell(StepOver{.error = result_.error});
  listeners_.finish();
}

}  // namespace ym
