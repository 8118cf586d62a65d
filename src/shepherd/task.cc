// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "os/files.h"
#include "shepherd/task_child.h"

namespace ym {
namespace {

Status make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  return {};
}
// Among the tasks of its order.
std::size_t place_of(const TaskSetup& setup) {
  return static_cast<std::size_t>(&setup.task - setup.order.tasks.data());
}
void set_nonblocking(const Fd& fd) {
  if (fd) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

Status make_terminal(const ShepherdOrder& order, TaskStreams& ours, ChildEnds& theirs) {
  Fd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
    return fail(errno_text("openpt"));
  char name[128];
  if (::ptsname_r(master.get(), name, sizeof name) != 0) return fail(errno_text("ptsname"));
  Fd slave(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave) return fail(errno_text(name));
  if (::geteuid() == 0 && ::fchown(slave.get(), order.uid, static_cast<gid_t>(-1)) != 0)
    return fail(errno_text(name));
  winsize size{.ws_row = order.rows, .ws_col = order.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (order.rows > 0) ::ioctl(master.get(), TIOCSWINSZ, &size);
  ours.in = Fd(::fcntl(master.get(), F_DUPFD_CLOEXEC, 0));
  ours.out = std::move(master);
  ours.pty = true;
  theirs.in = Fd(::fcntl(slave.get(), F_DUPFD_CLOEXEC, 0));
  theirs.out = Fd(::fcntl(slave.get(), F_DUPFD_CLOEXEC, 0));
  theirs.err = std::move(slave);
  return {};
}

Status make_streams(const TaskSetup& setup, TaskStreams& ours, ChildEnds& theirs) {
  const TaskOrder& task = setup.task;
  if (setup.order.pty && &task == &setup.order.tasks.front())
    return make_terminal(setup.order, ours, theirs);
  if (task.std_in.empty()) {
    if (auto made = make_pipe(theirs.in, ours.in); !made) return made;
  }
  if (task.std_out.empty()) {
    if (auto made = make_pipe(ours.out, theirs.out); !made) return made;
  }
  if (task.std_err.empty()) {
    if (auto made = make_pipe(ours.err, theirs.err); !made) return made;
  }
  return {};
}

// The end of the pipe means that exec succeeded, or that the task has already said on its stderr
// why not.
std::string hear_trouble(const TaskSetup& setup, const Fd& trouble) {
  std::string text;
  for (;;) {
    pollfd fds[2] = {{.fd = trouble.get(), .events = POLLIN, .revents = 0},
                     {.fd = setup.control, .events = POLLIN, .revents = 0}};
    if (::poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents != 0 && setup.on_control) setup.on_control();
    if (fds[0].revents == 0) continue;
    char buffer[1024];
    ssize_t got = ::read(trouble.get(), buffer, sizeof buffer);
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace

Result<StartedTask> start_task(const TaskSetup& setup) {
  StartedTask started;
  ChildEnds ends;
  Fd trouble;
  if (auto made = make_streams(setup, started.streams, ends); !made)
    return std::unexpected(made.error());
  if (auto made = make_pipe(trouble, ends.trouble); !made) return std::unexpected(made.error());
  started.pid = setup.containment.fork_inside(place_of(setup));
  if (started.pid < 0) return fail(errno_text("fork"));
  if (started.pid == 0) run_task(setup, ends);
  ends = ChildEnds{};
  std::string text = hear_trouble(setup, trouble);
  if (!text.empty()) {
    ::waitpid(started.pid, nullptr, 0);
    return fail(text);
  }
  set_nonblocking(started.streams.in);
  set_nonblocking(started.streams.out);
  set_nonblocking(started.streams.err);
  return started;
}

pid_t start_container_end(const TaskSetup& setup, pid_t task, ContainerEnd how) {
  // A group that was killed once may kill whoever is started right into it later (Linux 6.18 does).
  bool inside = how == ContainerEnd::Kill;
  pid_t pid = inside ? setup.containment.fork_inside(place_of(setup)) : ::fork();
  if (pid == 0) run_container_end(setup, task, how);
  return pid > 0 ? pid : 0;
}

pid_t start_task_epilogs(const TaskSetup& setup, pid_t task, ExitStatus exit) {
  if (setup.order.task_epilogs.empty()) return 0;
  pid_t pid = setup.containment.fork_inside(place_of(setup));
  if (pid == 0) run_task_epilogs(setup, task, exit);
  return pid > 0 ? pid : 0;
}

}  // namespace ym
