// SPDX-License-Identifier: Apache-2.0
#include "shepherd/notice.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "net/address.h"

namespace ym {
namespace {

[[noreturn]] void append_as_user(const ShepherdOrder& order, const TaskOrder& task,
                                 const std::string& text) {
  if (::geteuid() == 0) {
    std::vector<gid_t> groups(order.groups.begin(), order.groups.end());
    if (::setgroups(groups.size(), groups.data()) != 0 ||
        ::setresgid(order.gid, order.gid, order.gid) != 0 ||
        ::setresuid(order.uid, order.uid, order.uid) != 0)
      ::_exit(1);
  }
  ::umask(static_cast<mode_t>(order.umask));
  if (::chdir(order.work_dir.c_str()) != 0 && ::chdir("/tmp") != 0) ::_exit(1);
  // Without O_CREAT: a file that the job has removed stays so. O_NONBLOCK: a FIFO without a reader.
  int fd = ::open(task.std_err.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) ::_exit(1);
  [[maybe_unused]] ssize_t wrote = ::write(fd, text.data(), text.size());
  ::_exit(0);
}

}  // namespace

void write_notice(const ShepherdOrder& order, const TaskOrder& task, const std::string& text) {
  pid_t child = ::fork();
  if (child < 0) return;
  if (child == 0) append_as_user(order, task, text);
  Fd ended(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!ended) return;
  pollfd one{.fd = ended.get(), .events = POLLIN, .revents = 0};
  if (::poll(&one, 1, static_cast<int>(kNoticeWait.count())) == 1)
    ::waitpid(child, nullptr, WNOHANG);
}

}  // namespace ym
