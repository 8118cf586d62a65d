// SPDX-License-Identifier: Apache-2.0
#include "shepherd/container_runtime.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"
#include "os/files.h"
#include "shepherd/task_child.h"

namespace ym {
namespace {

constexpr int kFirstPauseMs = 50, kLongestPauseMs = 1000;

void tell(const ContainerRuntime& runtime, const std::string& command) {
  if (!runtime.config.tell_operations) return;
  std::string line = fmt::format("slurmstepd: container: {}\n", printable(command, 4096));
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void become_shell(const ContainerRuntime& runtime, const std::string& command) {
  std::vector<std::string> settings = runtime.environment;
  std::vector<char*> environment;
  for (std::string& one : settings) environment.push_back(one.data());
  environment.push_back(nullptr);
  int error = try_execute({"/bin/sh", "-c", command}, environment);
  complain(fmt::format("execve(): /bin/sh: {}", std::strerror(error)));
  ::_exit(error);
}

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return code_of(status);
}

// A handler has nowhere else to look.
volatile sig_atomic_t first_process = 0;
void hand_on(int signal) {
  if (first_process > 0) ::kill(first_process, signal);
}

void hand_on_signals() {
  struct sigaction action{};
  action.sa_handler = hand_on;
  for (int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGWINCH})
    ::sigaction(signal, &action, nullptr);
}

// As the container's first process did, without a core of our own.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(code_of(status));
}

// It is not our child after all (the runtime has a keeper of its own): only the runtime knows.
[[noreturn]] void watch_state(const ContainerRuntime& runtime, const OciPatternValues& values) {
  for (int pause = kFirstPauseMs;; pause = std::min(pause * 2, kLongestPauseMs)) {
    auto state = query_container(runtime, values);
    if (!state || state->status == "stopped") ::_exit(0);
    ::poll(nullptr, 0, pause);
  }
}

}  // namespace

int run_operation(const ContainerRuntime& runtime, const std::string& pattern,
                  const OciPatternValues& values) {
  if (pattern.empty()) return 0;
  std::string command = expand_oci_pattern(pattern, values);
  tell(runtime, command);
  pid_t pid = ::fork();
  if (pid < 0) return 127;
  if (pid == 0) become_shell(runtime, command);
  return wait_for(pid);
}

Result<ContainerState> query_container(const ContainerRuntime& runtime,
                                       const OciPatternValues& values) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  Fd read_end(ends[0]), write_end(ends[1]);
  std::string command = expand_oci_pattern(runtime.config.query, values);
  tell(runtime, command);
  pid_t pid = ::fork();
  if (pid < 0) return fail(errno_text("fork"));
  if (pid == 0) {
    ::dup2(write_end.get(), STDOUT_FILENO);
    become_shell(runtime, command);
  }
  write_end = Fd();
  auto said = read_descriptor(read_end.get(), "RunTimeQuery", kContainerStateMax);
  read_end = Fd();
  if (int code = wait_for(pid); code != 0)
    return fail(fmt::format("RunTimeQuery failed with exit code {}", code));
  if (!said) return std::unexpected(said.error());
  auto state = parse_container_state(*said);
  if (!state) return fail(fmt::format("RunTimeQuery: {}", state.error().text));
  return state;
}

void become_runtime(const ContainerRuntime& runtime, const OciPatternValues& values) {
  std::string command = expand_oci_pattern(runtime.config.run, values);
  tell(runtime, command);
  become_shell(runtime, command);
}

void create_and_start(const ContainerRuntime& runtime, const OciPatternValues& values) {
  // The container's first process becomes our child when the runtime's program has ended: so we
  // learn how it ended, which no runtime tells, and need not ask again and again.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  auto give_up = [](const std::string& text, int code) {
    complain(text);
    ::_exit(code);
  };
  hand_on_signals();
  if (int code = run_operation(runtime, runtime.config.create, values); code != 0)
    give_up(fmt::format("RunTimeCreate failed with exit code {}", code), code);
  auto state = query_container(runtime, values);
  if (!state) give_up(state.error().text, 1);
  first_process = static_cast<sig_atomic_t>(state->pid);
  if (int code = run_operation(runtime, runtime.config.start, values); code != 0)
    give_up(fmt::format("RunTimeStart failed with exit code {}", code), code);
  int status = 0;
  while (state->pid > 0) {
    if (::waitpid(static_cast<pid_t>(state->pid), &status, 0) > 0) end_like(status);
    if (errno != EINTR) break;
  }
  watch_state(runtime, values);
}

}  // namespace ym
