// SPDX-License-Identifier: Apache-2.0
#include "os/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "os/clock.h"
#include "os/open_files.h"

namespace ym {
namespace {

constexpr Duration kSlice{200};

}  // namespace

Result<pid_t> start_child(const std::vector<std::string>& arguments, std::string environment,
                          ChildPlace place) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  bool apart = place == ChildPlace::Apart;
  ::posix_spawnattr_setflags(&attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                (apart ? POSIX_SPAWN_SETSID : 0)));
  if (apart) {
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    ::posix_spawn_file_actions_adddup2(&actions, 0, 1);
    ::posix_spawn_file_actions_adddup2(&actions, 0, 2);
  }
  std::vector<char*> argv, envp;
  for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  for (std::size_t at = 0; at < environment.size(); at = environment.find('\0', at) + 1) {
    envp.push_back(environment.data() + at);
    if (environment.find('\0', at) == std::string::npos) break;
  }
  envp.push_back(nullptr);
  pid_t pid = 0;
  int error = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return fail(fmt::format("{}: {}", arguments.front(), std::strerror(error)));
  lower_open_files(pid);
  return pid;
}

std::string child_error(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? std::string()
                                  : fmt::format("exit code {}", WEXITSTATUS(status));
}

ChildEnd wait_for_child(pid_t pid, Duration limit, const std::function<bool()>& stop) {
  int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  Duration deadline = limit > Duration(0) ? monotonic_clock() + limit : Duration::max();
  bool timed_out = false;
  ChildEnd end;
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) {
      end.error = timed_out ? fmt::format("timed out after {} s", limit.count() / 1000)
                            : child_error(status);
      break;
    }
    if (stop && stop()) {
      end.abandoned = true;
      break;
    }
    Duration left = deadline - monotonic_clock();
    if (left <= Duration(0)) {
      timed_out = true;
      ::kill(-pid, SIGKILL);
    }
    pollfd fd{.fd = pidfd, .events = POLLIN, .revents = 0};
    Duration wait = left > Duration(0) ? std::min(left, kSlice) : kSlice;
    ::poll(&fd, pidfd >= 0 ? 1 : 0, static_cast<int>(wait.count()) + 1);
  }
  if (pidfd >= 0) ::close(pidfd);
  return end;
}

}  // namespace ym
