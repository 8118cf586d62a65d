// SPDX-License-Identifier: Apache-2.0
#include "os/child_as.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "os/open_files.h"

namespace ym {
namespace {

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& one : texts) out.push_back(const_cast<char*>(one.c_str()));
  out.push_back(nullptr);
  return out;
}

// What the child needs, made before it is there.
struct Plan {
  const ChildIdentity* identity;
  char* const* arguments;
  char* const* environment;
  bool change_user;
};

// In the child, which shares our memory: system calls only. The C library's own setuid would change
// all our threads.
int become(const Plan& plan) {
  ::setsid();
  int null = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  ::syscall(SYS_close_range, 3, ~0U, 0);
  lower_open_files(0);
  if (plan.change_user) {
    const ChildIdentity& as = *plan.identity;
    if (::syscall(SYS_setgroups, as.groups.size(), as.groups.data()) != 0) return errno;
    if (::syscall(SYS_setresgid, as.gid, as.gid, as.gid) != 0) return errno;
    if (::syscall(SYS_setresuid, as.uid, as.uid, as.uid) != 0) return errno;
  }
  if (::chdir(plan.identity->folder.c_str()) != 0 && ::chdir("/") != 0) return errno;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.arguments[0], plan.arguments, plan.environment);
  return errno;
}

}  // namespace

Result<pid_t> start_child_as(const ChildIdentity& identity,
                             const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment) {
  bool ourselves = identity.uid == ::geteuid();
  if (!ourselves && ::geteuid() != 0)
    return fail(
        fmt::format("{}: only root may run it as user {}", arguments.front(), identity.uid));
  std::vector<char*> argv = pointers_of(arguments), envp = pointers_of(environment);
  Plan plan{.identity = &identity,
            .arguments = argv.data(),
            .environment = envp.data(),
            .change_user = !ourselves || ::geteuid() == 0};
  // No handler of ours may run in the child.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int error = 0;  // told through the memory that is shared until the program begins
  pid_t pid = ::vfork();
  if (pid == 0) {
    error = become(plan);
    ::_exit(127);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return fail(fmt::format("{}: {}", arguments.front(), std::strerror(errno)));
  if (error != 0) {
    int status = 0;
    ::syscall(SYS_wait4, pid, &status, 0, nullptr);
    return fail(fmt::format("{}: {}", arguments.front(), std::strerror(error)));
  }
  return pid;
}

}  // namespace ym
