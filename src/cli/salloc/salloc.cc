// SPDX-License-Identifier: Apache-2.0
#include "cli/salloc/salloc.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/format.h"
#include "cli/common/allocation.h"
#include "cli/common/signals.h"
#include "cli/common/watch.h"
#include "cli/common/world.h"
#include "cli/common/x11_forward.h"
#include "cli/options/components.h"
#include "cli/options/refusal.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr Duration kLookInterval{50};

// The command in a process of its own; it belongs to the terminal's foreground as we do.
Result<pid_t> start(const std::vector<std::string>& command) {
  pid_t child = ::fork();
  if (child < 0) return fail(errno_text("fork"));
  if (child > 0) return child;
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_DFL);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  if (errno == ENOENT) {
    complain("salloc", fmt::format("_fork_command: Unable to find command \"{}\"", command[0]));
    std::_Exit(1);
  }
  complain("salloc", errno_text(fmt::format("Unable to run {}", command[0])));
  std::_Exit(126);
}

// The allocation is gone. The command goes on unless a signal was asked for (-K); what an
// interactive shell has in the foreground hears of it as of a terminal that is gone.
void tell_of_end(pid_t child, const JobOptions& options) {
  pid_t foreground = ::tcgetpgrp(STDIN_FILENO);  // negative: not a terminal
  if (foreground > 0 && foreground != child && foreground != ::getpgrp())
    ::killpg(foreground, SIGHUP);
  if (!options.kill_command) return;
  int by_default = ::isatty(STDIN_FILENO) ? SIGHUP : SIGTERM;
  ::kill(child, *options.kill_command ? *options.kill_command : by_default);
}

// Waits for the command, which ends in its own time even if the job ends first.
int wait_for_child(pid_t child, JobWatcher& watcher, JobId job, const JobOptions& options,
                   bool& revoked) {
  for (;;) {
    int status = 0;
    pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (revoked) {
      ::usleep(static_cast<useconds_t>(kLookInterval.count() * 1000));
      continue;
    }
    auto row = watcher.wait(kLookInterval);
    if ((row && !*row)) continue;
    revoked = true;
    if (row) remark("salloc", fmt::format("Job allocation {} has been revoked.", job.value));
    tell_of_end(child, options);
  }
}

int run_command(Controller& controller, Granted& granted, const JobOptions& options,
                std::vector<std::string> command) {
  if (command.empty()) command.push_back(environment_variable("SHELL").value_or("/bin/sh"));
  // salloc itself outlives what its terminal sends: it has nodes to give back.
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  auto child = start(command);
  bool revoked = false;
  int status = 127 << 8;
  if (child) {
    granted.watcher.watch_for({.job = granted.job, .until_end = true, .mine = true});
    status = wait_for_child(*child, granted.watcher, granted.job, options, revoked);
  } else {
    complain("salloc", child.error().text);
  }
  ExitStatus exit{.code = static_cast<std::uint8_t>(WIFEXITED(status) ? WEXITSTATUS(status) : 0),
                  .signal = static_cast<std::uint8_t>(WIFSIGNALED(status) ? WTERMSIG(status) : 0)};
  if (!revoked) {
    if (!options.quiet)
      remark("salloc", fmt::format("Relinquishing job allocation {}", granted.job.value));
    relinquish(controller, granted.job, exit);
  }
  return exit.signal ? 128 + exit.signal : exit.code;
}

// The user may have gone to look after something else.
void ring(const JobOptions& options, Duration waited) {
  constexpr Duration kLongWait = std::chrono::seconds(10);
  if (options.bell.value_or(waited > kLongWait) && ::isatty(STDOUT_FILENO)) print("\a");
}

}  // namespace

CommandPage salloc_page() {
  return {
      .name = "salloc",
      .summary = "get nodes, run a command here while holding them, give them back",
      .usage = {"[OPTION]... [COMMAND [ARGUMENT]...]"},
      .description =
          "Waits until the nodes are there and then runs the command, or a shell, on this machine\n"
          "with the allocation's SLURM_ variables; srun inside of it runs on the nodes.\n\n"
          "Several components of a heterogeneous job are separated by a colon: salloc -n1 : -N2.",
      .refusals = Refusals::Slurm};
}

namespace {

struct Wanted {
  std::vector<JobOptions> components;
  std::vector<std::string> command;
  std::optional<int> exit_code;  // there is nothing more to do
};

Wanted parse(const Arguments& arguments) {
  Wanted out;
  for (const Arguments& words :
       complete_components(kSalloc, split_components(kSalloc, arguments), 1)) {
    auto parsed =
        parse_command(salloc_page(), known_job_options(kSalloc), words, Operands::EndOptions);
    out.exit_code = parsed.exit_code;
    if (out.exit_code) return out;
    out.components.push_back(std::move(parsed.settings));
    out.command = std::move(parsed.operands);
  }
  return out;
}

Status settle(Wanted& wanted) {
  for (JobOptions& options : wanted.components) {
    if (Status settled = settle_outside(options); !settled) return settled;
    if (options.spec.name.empty())
      options.spec.name = options.no_shell         ? "no-shell"
                          : wanted.command.empty() ? "interactive"
                                                   : wanted.command[0];
    if (auto slash = options.spec.name.rfind('/'); slash != std::string::npos)
      options.spec.name.erase(0, slash + 1);
  }
  return {};
}

}  // namespace

int salloc_main(const Arguments& arguments) {
  Wanted wanted = parse(arguments);
  if (wanted.exit_code) return *wanted.exit_code;
  const JobOptions& options = wanted.components.front();
  if (!options.answer.empty()) {
    print(options.answer);
    return 0;
  }
  auto refuse_with = [](const Error& error) { return tell_refusal(kSalloc, error); };
  if (Status settled = settle(wanted); !settled) return refuse_with(settled.error());
  SubmissionContext context = submission_context(kSalloc, arguments);
  for (JobOptions& one : wanted.components) one.specials.detached = one.no_shell;
  auto request = make_submission(wanted.components, context);
  if (!request) return refuse_with(request.error());
  auto controller = Controller::open();
  if (!controller) return refuse_with(controller.error());
  for (const JobOptions& one : wanted.components) {
    if (Status fine = check_against(one, controller->config()); !fine)
      return refuse_with(fine.error());
    if (std::string text = what_is_ignored(one, controller->config()); !text.empty())
      complain("salloc", text);
    for (const std::string& warning : submission_warnings(one)) remark("salloc", warning);
  }
  std::optional<LocalDisplay> display;
  if (options.x11) {
    auto own = own_display();
    if (!own) return refuse_with(own.error());
    display = std::move(*own);
  }
  Instant asked = wall_clock();
  auto granted = allocate(*controller, *request, waiting_of(options, "salloc"));
  if (!granted) return refuse_allocation(kSalloc, granted.error(), *request, *controller);
  ring(options, wall_clock() - asked);
  if (!options.quiet) {
    remark("salloc", fmt::format("Granted job allocation {}", granted->job.value));
    for (const JobRow& row : granted->rows)
      remark("salloc", fmt::format("Nodes {} are ready for job", row.nodes));
  }
  if (options.no_shell) return 0;
  std::optional<X11Carrier> carrier;
  if (display) {
    auto started = carry_x11(*controller, *granted, *options.x11, *display);
    if (!started) return refuse_with(started.error());
    carrier.emplace(std::move(*started));
  }
  set_allocation_variables(*granted, wanted.components, controller->config().cluster_name,
                           context.work_dir);
  if (!options.chdir.empty() && ::chdir(options.chdir.c_str()) != 0)
    complain("salloc", errno_text(fmt::format("Unable to change to {}", options.chdir)));
  return run_command(*controller, *granted, options, wanted.command);
}

}  // namespace ym::cli
