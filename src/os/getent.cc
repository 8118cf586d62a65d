// SPDX-License-Identifier: Apache-2.0
#include "os/getent.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "os/clock.h"

namespace ym {
namespace {

// What the descriptor gives until its end; false if that does not come in time.
bool read_all(int fd, std::string& out) {
  Duration until = monotonic_clock() + kGetentWait;
  for (;;) {
    Duration left = until - monotonic_clock();
    if (left.count() <= 0 || out.size() > kGetentMax) return false;
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    int ready = ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    std::array<char, 4096> buffer{};
    ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Result<pid_t> spawn(const std::string& database, const std::string& key, int output) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "getent", dashes = "--", name = database, what = key;
  char* arguments[] = {program.data(), dashes.data(), name.data(), what.data(), nullptr};
  pid_t pid = -1;
  int failed = ::posix_spawnp(&pid, "getent", &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed) return fail(fmt::format("getent: {}", std::strerror(failed)));
  return pid;
}

}  // namespace

Result<std::string> getent(std::string_view database, std::string_view key) {
  if (key.empty() || key.find('\0') != std::string_view::npos) return fail("no name to look up");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("getent: no pipe");
  auto pid = spawn(std::string(database), std::string(key), ends[1]);
  ::close(ends[1]);
  std::string text;
  bool whole = pid && read_all(ends[0], text);
  ::close(ends[0]);
  if (!pid) return std::unexpected(pid.error());
  if (!whole) ::kill(*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!whole) return fail("getent does not answer");
  text.resize(std::min(text.size(), text.find('\n')));
  if (status != 0 || text.empty()) return fail(fmt::format("{} is not known", key));
  return text;
}

}  // namespace ym
