// SPDX-License-Identifier: Apache-2.0
#include "shepherd/nursery.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/format.h"
#include "net/passing.h"

namespace ym {
namespace {

// Which of stream and residual come along, the title, NUL, the stem.
constexpr std::size_t kOrderMax = 8 << 10;

void set_title(TitleSpace space, const Birth& birth) {
  if (space.size == 0) return;
  std::string text = birth.title + '\0' + birth.stem;
  std::memset(space.begin, 0, space.size);
  std::memcpy(space.begin, text.data(), std::min(text.size(), space.size - 1));
}

// Children that have ended. Their handles, which slurmd has, stay good.
void bury() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
}

// Waits for an order; buries children meanwhile. False: slurmd has hung up.
bool await_order(int socket, int deaths) {
  for (;;) {
    pollfd ready[] = {{.fd = socket, .events = POLLIN, .revents = 0},
                      {.fd = deaths, .events = POLLIN, .revents = 0}};
    if (::poll(ready, 2, -1) < 0 && errno != EINTR) return false;
    if (ready[1].revents != 0) {
      signalfd_siginfo info;
      if (::read(deaths, &info, sizeof info) > 0) bury();
    }
    if (ready[0].revents != 0) return true;
  }
}

// In the child, which never returns to the nursery.
[[noreturn]] void live_on(Birth birth, TitleSpace title, const std::function<int(Birth)>& life) {
  ::setsid();
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(birth.errors.get(), STDERR_FILENO);
  birth.errors = Fd();
  set_title(title, birth);
  ::_exit(life(std::move(birth)));
}

// The answer: a process id with its handle, or an error number below zero.
Status send_born(int socket, pid_t pid, int error) {
  std::int32_t answer = pid > 0 ? pid : -error;
  Fd handle;
  if (pid > 0) handle = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  int fd = handle.get();
  std::string_view bytes(reinterpret_cast<const char*>(&answer), sizeof answer);
  return send_packet(socket, bytes, std::span(&fd, handle ? 1 : 0));
}

}  // namespace

Status send_birth(int socket, const Birth& birth) {
  std::string text;
  text += static_cast<char>((birth.stream ? 1 : 0) | (birth.residual ? 2 : 0));
  text += birth.title + '\0' + birth.stem;
  if (text.size() > kOrderMax) return fail("the spool's path is too long");
  std::vector<int> files;
  for (const Fd* fd :
       {&birth.record, &birth.control, &birth.errors, &birth.stream, &birth.residual})
    if (*fd) files.push_back(fd->get());
  return send_packet(socket, text, files);
}

Result<Birth> receive_birth(int socket) {
  char space[kOrderMax];
  auto packet = receive_packet(socket, space);
  if (!packet) return std::unexpected(packet.error());
  std::string_view text = packet->bytes;
  std::vector<Fd>& fds = packet->files;
  if (text.empty()) return fail("slurmd is gone");
  int flags = text[0];
  std::size_t middle = text.find('\0', 1);
  std::size_t wanted = 3 + ((flags & 1) ? 1 : 0) + ((flags & 2) ? 1 : 0);
  if (middle == std::string_view::npos || fds.size() != wanted)
    return fail("an order that makes no sense");
  Birth birth{.stem = std::string(text.substr(middle + 1)),
              .title = std::string(text.substr(1, middle - 1)),
              .record = std::move(fds[0]),
              .control = std::move(fds[1]),
              .errors = std::move(fds[2]),
              .stream = Fd(),
              .residual = Fd()};
  std::size_t next = 3;
  if (flags & 1) birth.stream = std::move(fds[next++]);
  if (flags & 2) birth.residual = std::move(fds[next]);
  return birth;
}

Result<Born> receive_born(int socket) {
  std::int32_t answer = 0;
  auto packet = receive_packet(socket, std::span(reinterpret_cast<char*>(&answer), sizeof answer));
  if (!packet || packet->bytes.size() != sizeof answer) return fail("slurmstepd does not answer");
  if (answer <= 0) return fail(fmt::format("fork: {}", std::strerror(-std::max(answer, -4095))));
  if (packet->files.size() != 1) return fail("slurmstepd gives no handle on its process");
  return Born{.pid = answer, .handle = std::move(packet->files[0])};
}

int run_nursery(Fd socket, TitleSpace title, const std::function<int(Birth)>& life) {
  ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  // A child that has ended keeps its number until it is buried: not before its handle is open.
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child, nullptr);
  Fd deaths(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!deaths) return 1;
  while (await_order(socket.get(), deaths.get())) {
    auto birth = receive_birth(socket.get());
    if (!birth) return 0;
    pid_t pid = ::fork();
    int error = errno;
    if (pid == 0) {
      socket = Fd();
      deaths = Fd();
      live_on(std::move(*birth), title, life);
    }
    *birth = Birth();  // before the answer: the lock must not outlive the shepherd
    if (!send_born(socket.get(), pid, error)) return 0;
  }
  return 0;
}

}  // namespace ym
