// SPDX-License-Identifier: Apache-2.0
#include "cli/common/allocation.h"

#include <signal.h>

#include <algorithm>

#include "base/format.h"
#include "cli/common/command.h"
#include "cli/common/world.h"
#include "cli/options/refusal.h"
#include "model/task_layout.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&set, signal);
  return set;
}

JobFilter only(JobId job) { return {.targets = {{.job = job}}, .all_states = true}; }

}  // namespace

Interrupts::Interrupts() {
  sigset_t set = ending_signals();
  ::sigprocmask(SIG_BLOCK, &set, &before_);
}

Interrupts::~Interrupts() {
  if (::sigismember(&before_, SIGINT)) return;  // somebody around us looks after them
  sigset_t set = ending_signals();
  timespec none{};
  while (::sigtimedwait(&set, nullptr, &none) > 0) {
  }
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

bool Interrupts::pending() const {
  sigset_t waiting;
  ::sigpending(&waiting);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
    if (::sigismember(&waiting, signal)) return true;
  return false;
}

Result<Granted> allocate(Controller& controller, const SubmitJob& request, const Waiting& waiting) {
  std::string_view program = waiting.program;
  bool quiet = waiting.quiet || waiting.at_most;
  Interrupts interrupts;
  JobWatcher watcher(controller);
  watcher.greet();
  auto answer = controller.submit(request);
  if (!answer)
    return fail(answer.error().code, submission_error(answer.error(), request.spec.name));
  if (!answer->warning.empty()) remark(program, answer->warning);
  JobId job = answer->job;
  if (request.hold && !waiting.quiet)
    remark(program, "Job is in held state, pending scheduler release");
  watcher.go_with(controller);
  watcher.watch_for({.job = job, .mine = true});
  auto row = watcher.wait(waiting.at_most.value_or(Duration(300)));
  if (row && !*row && !waiting.at_most) {
    if (!quiet) {
      if (program == "salloc") remark(program, fmt::format("Pending job allocation {}", job.value));
      remark(program, fmt::format("job {} queued and waiting for resources", job.value));
    }
    row = wait_for_job(watcher, [&] { return interrupts.pending(); });
    if (!quiet && row && *row && (*row)->job.state == JobState::Running)
      remark(program, fmt::format("job {} has been allocated resources", job.value));
  }
  if (!row) return std::unexpected(row.error());
  if (!*row) {
    if (!waiting.at_most && program == "salloc") remark(program, "Job aborted due to signal");
    AlterJobs cancel{.verb = JobVerb::Cancel, .filter = only(job)};
    if (auto done = controller.ask<AlterAnswer>(cancel); !done)
      return std::unexpected(done.error());
    if (waiting.at_most) return fail(kNotAtOnce, "Requested nodes are busy");
    return fail(fmt::format("Job allocation {} has been revoked.", job.value));
  }
  // The controller has given it up in the same moment.
  if (waiting.at_most && (*row)->job.state == JobState::Cancelled)
    return fail(kNotAtOnce, "Requested nodes are busy");
  if ((*row)->job.state != JobState::Running)
    return fail(fmt::format("Job allocation {} has been revoked: it is {}", job.value,
                            name_of((*row)->job.state)));
  Granted granted{.job = job, .rows = {}, .watcher = std::move(watcher)};
  if (request.het.empty()) {
    granted.rows.push_back(std::move(**row));
    return granted;
  }
  auto all = controller.ask<JobRows>(QueryJobs{.filter = only(job)});
  if (!all) return std::unexpected(all.error());
  granted.rows = std::move(all->rows);
  if (granted.rows.size() != request.het.size() + 1)
    return fail(fmt::format("Job allocation {} has been revoked.", job.value));
  return granted;
}

Waiting waiting_of(const JobOptions& options, std::string_view program) {
  Waiting out{.program = program, .quiet = options.quiet};
  if (options.immediate_s) out.at_most = std::chrono::seconds(*options.immediate_s);
  return out;
}

void tell_before_refusal(JobCommand command, const Error& error, const SubmitJob& request,
                         const Controller& controller) {
  auto config = controller.whole_config();
  if (!config) return;
  for (const std::string& line : lines_before_refusal(error, request, **config))
    complain(name_of(command), line);
}

int refuse_allocation(JobCommand command, const Error& error, const SubmitJob& request,
                      const Controller& controller) {
  tell_before_refusal(command, error, request, controller);
  Error told = error;
  if (told.code == 0) told.code = kLikeController;
  return tell_refusal(command, told);
}

void relinquish(Controller& controller, JobId job, ExitStatus exit) {
  AlterJobs complete{.verb = JobVerb::Complete, .filter = only(job), .exit = exit};
  auto done = controller.ask<AlterAnswer>(complete);
  static_cast<void>(done);
}

std::string repeat_counts(const std::vector<std::uint32_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i;
    while (end < numbers.size() && numbers[end] == numbers[i]) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ",", numbers[i]);
    if (end - i > 1) out += fmt::format("(x{})", end - i);
    i = end;
  }
  return out;
}

std::vector<std::uint32_t> tasks_per_node(std::uint32_t tasks, std::uint32_t cpus_per_task,
                                          const std::vector<std::uint32_t>& cpus) {
  if (cpus.empty()) return {};
  tasks = std::max(tasks, static_cast<std::uint32_t>(cpus.size()));
  std::vector<std::uint32_t> rooms;
  for (std::uint32_t count : cpus)
    rooms.push_back(std::max(1u, count / std::max(1u, cpus_per_task)));
  if (auto counts = task_counts({}, rooms, tasks)) return *counts;
  return *task_counts({}, std::vector(cpus.size(), tasks), tasks);  // --overcommit
}

}  // namespace ym::cli
