// SPDX-License-Identifier: Apache-2.0
#include "os/daemonize.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr char kServing = 'S';

// The starter's side: reads the daemon's verdict.
[[noreturn]] void wait_for_verdict(int fd) {
  std::string verdict;
  char buffer[1024];
  ssize_t got;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0) verdict.append(buffer, static_cast<std::size_t>(got));
  }
  if (verdict == std::string(1, kServing)) ::_exit(0);
  if (verdict.empty()) verdict = "ended before it served; see its log";
  verdict.push_back('\n');
  [[maybe_unused]] ssize_t wrote = ::write(STDERR_FILENO, verdict.data(), verdict.size());
  ::_exit(1);
}

}  // namespace

Result<Daemonizing> Daemonizing::begin(bool foreground) {
  if (foreground) return Daemonizing(-1);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  pid_t child = ::fork();
  if (child < 0) return fail(errno_text("fork"));
  if (child > 0) {
    ::close(ends[1]);
    wait_for_verdict(ends[0]);
  }
  ::close(ends[0]);
  ::setsid();
  // The second fork gives up the right to a terminal; its parent leaves at once, the starter waits
  // for the pipe.
  pid_t daemon = ::fork();
  if (daemon < 0) ::_exit(1);
  if (daemon > 0) ::_exit(0);
  return Daemonizing(ends[1]);
}

Daemonizing::Daemonizing(Daemonizing&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
Daemonizing::~Daemonizing() {
  if (fd_ >= 0) ::close(fd_);
}

void Daemonizing::serving() {
  if (fd_ < 0) return;
  int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream < 3 && null >= 0; ++stream) ::dup2(null, stream);
  if (null > 2) ::close(null);
  [[maybe_unused]] ssize_t wrote = ::write(fd_, &kServing, 1);
  ::close(std::exchange(fd_, -1));
}

void Daemonizing::failed(const std::string& text) {
  if (fd_ < 0) {
    ::dprintf(STDERR_FILENO, "%s\n", text.c_str());
    return;
  }
  [[maybe_unused]] ssize_t wrote = ::write(fd_, text.data(), text.size());
  ::close(std::exchange(fd_, -1));
}

namespace {

// Whether the process lives and has this name. One that was killed and waits to be reaped does not
// live.
bool runs_as(std::uint64_t pid, const std::string& program) {
  auto stat = read_file(fmt::format("/proc/{}/stat", pid), 4096);  // "17 (slurmd) S 1 …"
  if (!stat) return false;
  auto open = stat->find('('), close = stat->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 >= stat->size())
    return false;
  char state = (*stat)[close + 2];
  return stat->substr(open + 1, close - open - 1) == program && state != 'Z' && state != 'X';
}

}  // namespace

Status write_pid_file(const std::string& path, const std::string& program) {
  if (auto old = read_file(path, 64)) {
    auto pid = parse_u64(trim(*old));
    bool other = pid && *pid != static_cast<std::uint64_t>(::getpid());
    if (other && runs_as(*pid, program)) {
      return fail(fmt::format("{} is already running as process {} ({})", program, *pid, path));
    }
  }
  std::string text = fmt::format("{}\n", ::getpid());
  Status replaced = write_file(path, text, 0644);
  if (replaced) return {};
  // The file may be ours in a folder that is not.
  int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return replaced;
  ssize_t written = ::write(fd, text.data(), text.size());
  ::close(fd);
  return written == static_cast<ssize_t>(text.size()) ? Status() : replaced;
}

void remove_pid_file(const std::string& path) {
  auto old = read_file(path, 64);
  if (!old || trim(*old) != std::to_string(::getpid())) return;
  if (::unlink(path.c_str()) != 0) static_cast<void>(::truncate(path.c_str(), 0));
}

}  // namespace ym
