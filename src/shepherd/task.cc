// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"
#include "shepherd/bind.h"

namespace ym {
namespace {

struct ChildEnds {
  Fd in, out, err;
  Fd trouble;  // where the child says why it failed; closed by exec
};

Status make_pipe(Fd& read_end, Fd& write_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  read_end = Fd(ends[0]);
  write_end = Fd(ends[1]);
  return {};
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

// ------------------------------------------------------------------------ in the child

[[noreturn]] void give_up(int trouble, const std::string& text, int code) {
  [[maybe_unused]] ssize_t wrote = ::write(trouble, text.data(), text.size());
  ::_exit(code);
}
void complain(const std::string& text) {
  std::string line = fmt::format("slurmstepd: error: {}\n", text);
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, line.data(), line.size());
}

void default_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void become_user(const ShepherdOrder& order, int trouble) {
  if (::geteuid() != 0) {
    if (order.uid == ::geteuid()) return;
    give_up(
        trouble,
        fmt::format("slurmd runs as uid {} and cannot run a job of uid {}", ::geteuid(), order.uid),
        1);
  }
  std::vector<gid_t> groups(order.groups.begin(), order.groups.end());
  if (::setgroups(groups.size(), groups.data()) != 0) give_up(trouble, errno_text("setgroups"), 1);
  if (::setresgid(order.gid, order.gid, order.gid) != 0) give_up(trouble, errno_text("setgid"), 1);
  if (::setresuid(order.uid, order.uid, order.uid) != 0) give_up(trouble, errno_text("setuid"), 1);
  // The change of user made the process undumpable until exec: the user cannot reach our
  // descriptors by ptrace.
}

// The descriptor for a standard stream: the pipe or terminal, else the file.
int stream_fd(const Fd& given, const std::string& path, int flags, const char* what, int trouble) {
  if (given) return given.get();
  int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd < 0) give_up(trouble, fmt::format("Could not open {} file {}", what, errno_text(path)), 1);
  return fd;
}

void connect_streams(const TaskOrder& task, const ChildEnds& ends, int trouble) {
  auto output_flags = [](bool truncate) {
    return O_WRONLY | O_CREAT | O_APPEND | (truncate ? O_TRUNC : 0);
  };
  int in = stream_fd(ends.in, task.std_in, O_RDONLY, "stdin", trouble);
  int out = stream_fd(ends.out, task.std_out, output_flags(task.truncate_out), "stdout", trouble);
  bool same = !ends.err && !ends.out && task.std_err == task.std_out;
  int err =
      same ? out
           : stream_fd(ends.err, task.std_err, output_flags(task.truncate_err), "stderr", trouble);
  // Sources must not be overwritten before they are copied.
  for (int* fd : {&in, &out, &err}) *fd = ::fcntl(*fd, F_DUPFD_CLOEXEC, 10);
  if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0)
    give_up(trouble, errno_text("dup2"), 1);
}

// "bad interpreter(…)" if the file exists and begins with #!, else the program's name.
std::string blame(const std::string& program) {
  if (::access(program.c_str(), F_OK) != 0) return program;
  int fd = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
  char head[256];
  ssize_t length = fd < 0 ? 0 : ::read(fd, head, sizeof head);
  std::string_view line(head, length > 0 ? static_cast<std::size_t>(length) : 0);
  if (!line.starts_with("#!")) return program;
  line =
      line.substr(2, line.find('\n') == std::string_view::npos ? line.npos : line.find('\n') - 2);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return fmt::format("bad interpreter({})", printable(line.substr(0, line.find(' '))));
}

[[noreturn]] void execute(const std::vector<std::string>& arguments,
                          const std::vector<char*>& environment) {
  std::vector<char*> argv;
  for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  const std::string& program = arguments.front();
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const char* entry : environment) {
    if (entry && std::strncmp(entry, "PATH=", 5) == 0) path = entry + 5;
  }
  int error = ENOENT;
  if (program.find('/') != std::string::npos) {
    ::execve(program.c_str(), argv.data(), environment.data());
    error = errno;
  } else {
    for (std::string_view folder : split(path, ':')) {
      std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
      ::execve(candidate.c_str(), argv.data(), environment.data());
      if (errno != ENOENT && errno != ENOTDIR) error = errno;
    }
  }
  complain(fmt::format("execve(): {}: {}", error == ENOENT ? blame(program) : program,
                       std::strerror(error)));
  ::_exit(error);
}

std::vector<char*> pointers_into(std::string& environment) {
  std::vector<char*> found;
  for (std::size_t at = 0; at < environment.size();) {
    found.push_back(environment.data() + at);
    at = environment.find('\0', at);
    if (at == std::string::npos) break;
    ++at;
  }
  found.push_back(nullptr);
  return found;
}

[[noreturn]] void run_task(const TaskSetup& setup, const ChildEnds& ends) {
  int trouble = ends.trouble.get();
  const ShepherdOrder& order = setup.order;
  if (order.pty) {
    ::setsid();
    if (ends.err && !setup.task.rank) ::ioctl(ends.err.get(), TIOCSCTTY, 0);
  } else {
    ::setpgid(0, 0);
  }
  default_signals();
  ::setrlimit(RLIMIT_NOFILE, &setup.open_files);
  become_user(order, trouble);
  ::umask(static_cast<mode_t>(order.umask));
  std::string lost_folder;
  if (::chdir(order.work_dir.c_str()) != 0) {
    lost_folder = fmt::format("couldn't chdir to `{}': {}: going to /tmp instead", order.work_dir,
                              std::strerror(errno));
    if (::chdir("/tmp") != 0) give_up(trouble, errno_text("couldn't chdir to /tmp"), 1);
  }
  connect_streams(setup.task, ends, trouble);
  if (!lost_folder.empty()) complain(lost_folder);
  if (std::string unbound = bind_process(setup.task); !unbound.empty()) complain(unbound);
  if (std::string notice = notice_of(setup.task, ::getpid()); !notice.empty()) [[maybe_unused]]
    ssize_t wrote = ::write(STDERR_FILENO, notice.data(), notice.size());

  std::vector<std::string> arguments =
      setup.task.arguments.empty() ? order.arguments : setup.task.arguments;
  if (!setup.script.empty()) arguments.insert(arguments.begin(), setup.script);
  if (arguments.empty()) give_up(trouble, "no program to run", 1);
  std::string environment = order.environment;
  if (!environment.empty() && environment.back() != '\0') environment.push_back('\0');
  environment += setup.task.environment;
  environment += fmt::format("SLURM_TASK_PID={}", ::getpid());
  environment.push_back('\0');
  if (!setup.mpi.environment.empty())
    environment = override_environment(environment, setup.mpi.environment);
  if (setup.mpi.fd >= 0) ::fcntl(setup.mpi.fd, F_SETFD, 0);
  execute(arguments, pointers_into(environment));
}

// ------------------------------------------------------------------- and in the parent

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
  started.pid = setup.containment.fork_inside();
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

}  // namespace ym
