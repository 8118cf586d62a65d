// SPDX-License-Identifier: Apache-2.0
#include "shepherd/task_child.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "os/environment_block.h"
#include "os/files.h"
#include "shepherd/bind.h"
#include "shepherd/container.h"
#include "shepherd/task_limits.h"
#include "shepherd/task_scripts.h"

namespace ym {
namespace {

[[noreturn]] void give_up(int trouble, const std::string& text, int code) {
  [[maybe_unused]] ssize_t wrote = ::write(trouble, text.data(), text.size());
  ::_exit(code);
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

// What has to happen with the shepherd's rights, then the change of user.
void leave_the_shepherd(const TaskSetup& setup, int trouble) {
  const ShepherdOrder& order = setup.order;
  default_signals();
  ::setrlimit(RLIMIT_NOFILE, &setup.open_files);
  become_user(order, trouble);
  // As the user: the number comes from his environment, and more than ours is the kernel's to
  // allow. What it forbids stays as it is.
  errno = 0;
  int own = ::getpriority(PRIO_PROCESS, 0);
  if (errno == 0 && own != order.nice) ::setpriority(PRIO_PROCESS, 0, order.nice);
  ::umask(static_cast<mode_t>(order.umask));
}

// What is to be said about it once there is a stderr; empty if all is well.
std::string enter_folder(const std::string& folder, int trouble) {
  if (::chdir(folder.c_str()) == 0) return {};
  std::string lost = fmt::format("couldn't chdir to `{}': {}: going to /tmp instead", folder,
                                 std::strerror(errno));
  if (::chdir("/tmp") != 0) give_up(trouble, errno_text("couldn't chdir to /tmp"), 1);
  return lost;
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
  int error = try_execute(arguments, environment);
  const std::string& program = arguments.front();
  complain(fmt::format("execve(): {}: {}", error == ENOENT ? blame(program) : program,
                       std::strerror(error)));
  ::_exit(error);
}

// TMPDIR names a folder that is there, if that can be arranged.
void settle_temp_dir(EnvironmentBlock& environment, const ShepherdOrder& order) {
  if (!order.temp_dir.empty()) environment.set_default("TMPDIR", order.temp_dir);
  std::string folder = environment.get("TMPDIR");
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  complain(fmt::format("Unable to create TMPDIR [{}]: {}", folder, std::strerror(errno)));
  complain("Setting TMPDIR to /tmp");
  environment.set("TMPDIR", "/tmp");
}

// For what runs around a task: in its place, as its user, heard by nobody.
void leave_quietly(const TaskSetup& setup) {
  Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::setpgid(0, 0);
  leave_the_shepherd(setup, nothing.get());
  enter_folder(setup.order.work_dir, nothing.get());
  for (int fd : {0, 1, 2}) ::dup2(nothing.get(), fd);
}

EnvironmentBlock environment_of(const TaskSetup& setup, pid_t task) {
  // The task's own entries count more than the order's.
  std::string bytes = setup.task.environment;
  if (!bytes.empty() && bytes.back() != '\0') bytes.push_back('\0');
  EnvironmentBlock environment(bytes + setup.order.environment);
  environment.set("SLURM_TASK_PID", static_cast<std::uint64_t>(task));
  return environment;
}

// The long part: programs of others run here, so the shepherd no longer waits for us.
void prepare_environment(const TaskSetup& setup, EnvironmentBlock& environment, Fd& trouble) {
  const ShepherdOrder& order = setup.order;
  if (!order.login.shell.empty() || !order.task_prologs.empty()) trouble = Fd();
  if (!order.login.shell.empty()) {
    if (auto done = add_login_environment(order.login, environment); !done) {
      complain(done.error().text);
      ::_exit(1);
    }
  }
  settle_temp_dir(environment, order);
  for (const std::string& prolog : order.task_prologs) {
    if (int code = run_task_prolog(prolog, environment); code != 0) ::_exit(code);
  }
}

}  // namespace

void complain(const std::string& text) {
  std::string line = fmt::format("slurmstepd: error: {}\n", text);
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, line.data(), line.size());
}

int try_execute(const std::vector<std::string>& arguments, const std::vector<char*>& environment) {
  std::vector<char*> argv;
  for (const std::string& one : arguments) argv.push_back(const_cast<char*>(one.c_str()));
  argv.push_back(nullptr);
  const std::string& program = arguments.front();
  std::string path = "/usr/local/bin:/usr/bin:/bin";
  for (const char* entry : environment) {
    if (entry && std::strncmp(entry, "PATH=", 5) == 0) path = entry + 5;
  }
  if (program.find('/') != std::string::npos) {
    ::execve(program.c_str(), argv.data(), environment.data());
    return errno;
  }
  int error = ENOENT;
  for (std::string_view folder : split(path, ':')) {
    std::string candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, program);
    ::execve(candidate.c_str(), argv.data(), environment.data());
    // A folder that is closed to the user says EACCES, too, whether the program is there or not.
    int why = errno;
    if (why != ENOENT && why != ENOTDIR && ::access(candidate.c_str(), F_OK) == 0) error = why;
  }
  return error;
}

void run_task(const TaskSetup& setup, ChildEnds& ends) {
  const ShepherdOrder& order = setup.order;
  int trouble = ends.trouble.get();
  if (order.pty) {
    ::setsid();
    if (ends.err && !setup.task.rank) ::ioctl(ends.err.get(), TIOCSCTTY, 0);
  } else {
    ::setpgid(0, 0);
  }
  leave_the_shepherd(setup, trouble);
  std::string lost_folder = enter_folder(order.work_dir, trouble);
  connect_streams(setup.task, ends, trouble);
  if (!lost_folder.empty()) complain(lost_folder);
  if (std::string unbound = bind_process(setup.task); !unbound.empty()) complain(unbound);
  std::string notice = setup.notice + notice_of(setup.task, ::getpid());
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, notice.data(), notice.size());

  std::vector<std::string> arguments =
      setup.task.arguments.empty() ? order.arguments : setup.task.arguments;
  if (!setup.script.empty()) arguments.insert(arguments.begin(), setup.script);
  if (arguments.empty()) give_up(trouble, "no program to run", 1);
  EnvironmentBlock environment = environment_of(setup, ::getpid());
  if (!set_limits(order.limits)) ::_exit(kLimitsExitCode);
  prepare_environment(setup, environment, ends.trouble);
  environment.set_all(EnvironmentBlock(setup.mpi.environment));
  if (setup.mpi.fd >= 0) ::fcntl(setup.mpi.fd, F_SETFD, 0);
  if (!order.container.empty()) {
    ends.trouble = Fd();
    run_in_container(setup, std::move(arguments), environment);
  }
  std::string bytes = environment.bytes();
  execute(arguments, environment_pointers(bytes));
}

void run_container_end(const TaskSetup& setup, pid_t task, ContainerEnd how) {
  leave_quietly(setup);
  EnvironmentBlock environment = environment_of(setup, task);
  if (how == ContainerEnd::Kill)
    kill_container(setup, task, environment);
  else
    clean_container(setup, task, environment);
  ::_exit(0);
}

void run_task_epilogs(const TaskSetup& setup, pid_t task, ExitStatus exit) {
  leave_quietly(setup);
  EnvironmentBlock environment = environment_of(setup, task);
  environment.set("SLURM_TASK_EXIT_CODE",
                  static_cast<std::uint64_t>(exit.signal ? 128 + exit.signal : exit.code));
  for (const std::string& epilog : setup.order.task_epilogs) run_task_epilog(epilog, environment);
  ::_exit(0);
}

}  // namespace ym
