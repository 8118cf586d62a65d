// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task_scripts.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "os/clock.h"
#include "os/files.h"
#include "shepherd/task_child.h"

namespace ym {
namespace {

constexpr std::string_view kLoginMarker = "--- the environment of a login follows ---";
constexpr int kNotExecutable = 127;

struct Program {
  std::vector<std::string> arguments;
  std::string path;            // empty: arguments[0]
  std::string folder;          // empty: where we are
  std::size_t output_max = 0;  // of stdout; 0: it is not read
  Duration time_limit{0};      // 0: none
};
struct Outcome {
  int status = 0;  // as wait(2) has it
  std::string output;
  bool too_late = false;
  int exec_error = 0;
};

[[noreturn]] void become(const Program& program, EnvironmentBlock& environment, int output,
                         int trouble) {
  ::setpgid(0, 0);
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(output >= 0 ? output : null, STDOUT_FILENO);
  if (!program.folder.empty()) [[maybe_unused]]
    int moved = ::chdir(program.folder.c_str());
  std::string bytes = environment.bytes();
  std::vector<char*> pointers = environment_pointers(bytes);
  int error;
  if (program.path.empty()) {
    error = try_execute(program.arguments, pointers);
  } else {
    std::vector<char*> argv;
    for (const std::string& one : program.arguments) argv.push_back(const_cast<char*>(one.c_str()));
    argv.push_back(nullptr);
    ::execve(program.path.c_str(), argv.data(), pointers.data());
    error = errno;
  }
  [[maybe_unused]] ssize_t wrote = ::write(trouble, &error, sizeof error);
  ::_exit(kNotExecutable);
}

// Reads until the end of the pipe, of the process (somebody whom it left in the background may hold
// the pipe), or of the time. False: of the time.
bool read_all(const Fd& from, const Fd& process, Duration until, Outcome& outcome,
              std::size_t keep) {
  std::array<char, 16 << 10> buffer;
  for (;;) {
    int wait = -1;
    if (until > Duration(0)) {
      Duration left = until - monotonic_clock();
      if (left <= Duration(0)) return false;
      wait = static_cast<int>(left.count()) + 1;
    }
    pollfd fds[2] = {{.fd = from.get(), .events = POLLIN, .revents = 0},
                     {.fd = process.get(), .events = POLLIN, .revents = 0}};
    if (::poll(fds, 2, wait) <= 0) continue;
    if (fds[0].revents == 0) return true;
    ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    std::size_t room = keep - std::min(keep, outcome.output.size());
    outcome.output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

// The end of the process, or of the time.
bool wait_until(pid_t pid, Duration until, int& status) {
  for (;;) {
    pid_t ended = ::waitpid(pid, &status, until > Duration(0) ? WNOHANG : 0);
    if (ended == pid || (ended < 0 && errno != EINTR)) return true;
    if (until <= Duration(0)) continue;
    if (monotonic_clock() >= until) return false;
    ::poll(nullptr, 0, 10);
  }
}

Outcome run_program(const Program& program, EnvironmentBlock& environment) {
  Outcome outcome;
  int output[2] = {-1, -1}, trouble[2] = {-1, -1};
  bool reads = program.output_max > 0;
  if (::pipe2(trouble, O_CLOEXEC) != 0 || (reads && ::pipe2(output, O_CLOEXEC) != 0)) {
    outcome.exec_error = errno;
    return outcome;
  }
  Fd out(output[0]), out_end(output[1]), said(trouble[0]), say(trouble[1]);
  pid_t pid = ::fork();
  if (pid == 0) become(program, environment, out_end.get(), say.get());
  if (pid < 0) {
    outcome.exec_error = errno;
    return outcome;
  }
  out_end = Fd();
  say = Fd();
  int error = 0;
  if (::read(said.get(), &error, sizeof error) == sizeof error) outcome.exec_error = error;
  Duration until =
      program.time_limit > Duration(0) ? monotonic_clock() + program.time_limit : Duration(0);
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  bool in_time = !reads || read_all(out, process, until, outcome, program.output_max);
  in_time = in_time && wait_until(pid, until, outcome.status);
  if (!in_time) {
    outcome.too_late = true;
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, &outcome.status, 0);
  }
  return outcome;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find('\0') == std::string_view::npos;
}

}  // namespace

std::string obey_prolog(std::string_view output, EnvironmentBlock& environment) {
  std::string printed;
  for (std::string_view line : split(output, '\n')) {
    auto rest_of = [&](std::string_view word) -> std::string_view {
      if (!line.starts_with(word)) return {};
      std::string_view rest = line.substr(word.size());
      while (rest.starts_with(' ') || rest.starts_with('\t')) rest.remove_prefix(1);
      return rest;
    };
    if (line.find('\0') != std::string_view::npos) continue;
    if (line.starts_with("print ")) {
      printed += line.substr(6);
      printed += '\n';
    } else if (std::string_view entry = rest_of("export "); !entry.empty()) {
      auto equals = entry.find('=');
      if (equals == std::string_view::npos) continue;
      std::string_view name = trim(entry.substr(0, equals));
      if (is_name(name)) environment.set(name, std::string(entry.substr(equals + 1)));
    } else if (std::string_view name = trim(rest_of("unset ")); !name.empty()) {
      environment.remove(name);
    }
  }
  return printed;
}

int run_task_prolog(const std::string& program, EnvironmentBlock& environment) {
  EnvironmentBlock own = environment;
  own.set("SLURM_SCRIPT_CONTEXT", "prolog_task");
  Outcome outcome = run_program({.arguments = {program}, .output_max = kPrologOutputMax}, own);
  if (outcome.exec_error != 0) {
    complain(fmt::format("Could not run task prolog [{}]: {}", program,
                         std::strerror(outcome.exec_error)));
    return 1;
  }
  std::string printed = obey_prolog(outcome.output, environment);
  for (std::string_view rest = printed; !rest.empty();) {
    ssize_t wrote = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  if (outcome.status == 0) return 0;
  int code =
      WIFEXITED(outcome.status) ? WEXITSTATUS(outcome.status) : 128 + WTERMSIG(outcome.status);
  complain(fmt::format("TaskProlog failed status={}: {}", code, program));
  return code;
}

void run_task_epilog(const std::string& program, EnvironmentBlock environment) {
  environment.set("SLURM_SCRIPT_CONTEXT", "epilog_task");
  run_program({.arguments = {program}, .time_limit = kTaskEpilogTime}, environment);
}

Result<EnvironmentBlock> parse_login_output(std::string_view output) {
  // The login files may have said something before, or have had no newline at their end.
  auto at = output.rfind(kLoginMarker);
  auto end = at == std::string_view::npos ? at : output.find('\n', at);
  if (end == std::string_view::npos) return fail("the shell did not say it");
  EnvironmentBlock found(output.substr(end + 1));
  for (const char* own : {"_", "SHLVL", "PWD", "OLDPWD", "DISPLAY", "ENVIRONMENT", "HOSTNAME"})
    found.remove(own);
  return found;
}

Status add_login_environment(const LoginWish& login, EnvironmentBlock& environment) {
  auto slash = login.shell.rfind('/');
  std::string name = slash == std::string::npos ? login.shell : login.shell.substr(slash + 1);
  // A dash before its name makes a shell one of a login.
  Program program{.arguments = {(login.plain ? "" : "-") + name, "-c",
                                fmt::format("/bin/echo '{}'; exec /usr/bin/env -0", kLoginMarker)},
                  .path = login.shell,
                  .folder = login.home,
                  .output_max = kLoginOutputMax,
                  .time_limit = login.time_limit};
  EnvironmentBlock fresh;
  fresh.set("HOME", login.home);
  fresh.set("USER", login.name);
  fresh.set("LOGNAME", login.name);
  fresh.set("SHELL", login.shell);
  fresh.set("PATH", "/usr/local/bin:/usr/bin:/bin");
  Outcome outcome = run_program(program, fresh);
  auto failed = [&](const std::string& why) {
    return fail(fmt::format("cannot get the login environment of user {} (--get-user-env): {}",
                            login.name, why));
  };
  if (outcome.exec_error != 0)
    return failed(fmt::format("{}: {}", login.shell, std::strerror(outcome.exec_error)));
  if (outcome.too_late)
    return failed(
        fmt::format("the shell took longer than {} seconds",
                    std::chrono::duration_cast<std::chrono::seconds>(login.time_limit).count()));
  auto found = parse_login_output(outcome.output);
  if (!found) return failed(found.error().text);
  environment.add_missing(*found);
  return {};
}

}  // namespace ym
