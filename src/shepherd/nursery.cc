// SPDX-License-Identifier: Apache-2.0
#include "shepherd/nursery.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kPacketMax = 8 << 10;
constexpr std::size_t kFdsMax = 5;

// The packet: which of stream and residual come along, the title, NUL, the stem.
struct Packet {
  char bytes[kPacketMax];
  std::size_t size = 0;
  alignas(cmsghdr) char space[CMSG_SPACE(kFdsMax * sizeof(int))] = {};
};

void set_title(TitleSpace space, const Birth& birth) {
  if (space.size == 0) return;
  std::string text = birth.title + '\0' + birth.stem;
  std::memset(space.begin, 0, space.size);
  std::memcpy(space.begin, text.data(), std::min(text.size(), space.size - 1));
}

std::vector<Fd> take_fds(msghdr& message) {
  std::vector<Fd> fds;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t n = 0; n < count; ++n) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + n * sizeof fd, sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

}  // namespace

Status send_birth(int socket, const Birth& birth) {
  Packet packet;
  std::string text;
  text += static_cast<char>((birth.stream ? 1 : 0) | (birth.residual ? 2 : 0));
  text += birth.title + '\0' + birth.stem;
  if (text.size() > kPacketMax) return fail("the spool's path is too long");
  int fds[kFdsMax];
  std::size_t count = 0;
  for (const Fd* fd :
       {&birth.record, &birth.control, &birth.errors, &birth.stream, &birth.residual})
    if (*fd) fds[count++] = fd->get();
  iovec part{.iov_base = text.data(), .iov_len = text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = packet.space;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* extra = CMSG_FIRSTHDR(&message);
  extra->cmsg_level = SOL_SOCKET;
  extra->cmsg_type = SCM_RIGHTS;
  extra->cmsg_len = CMSG_LEN(count * sizeof(int));
  std::memcpy(CMSG_DATA(extra), fds, count * sizeof(int));
  if (::sendmsg(socket, &message, MSG_NOSIGNAL) < 0) return fail(errno_text("nursery"));
  return {};
}

Result<Birth> receive_birth(int socket) {
  Packet packet;
  iovec part{.iov_base = packet.bytes, .iov_len = sizeof packet.bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = packet.space;
  message.msg_controllen = sizeof packet.space;
  ssize_t got;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return fail("slurmd is gone");
  std::vector<Fd> fds = take_fds(message);
  std::string_view text(packet.bytes, static_cast<std::size_t>(got));
  int flags = text[0];
  std::size_t middle = text.find('\0', 1);
  std::size_t wanted = 3 + ((flags & 1) ? 1 : 0) + ((flags & 2) ? 1 : 0);
  bool cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (cut || middle == std::string_view::npos || fds.size() != wanted)
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

int run_nursery(Fd socket, TitleSpace title, const std::function<int(Birth)>& life) {
  ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
  ::signal(SIGCHLD, SIG_IGN);  // nobody waits for them: slurmd sees their end through a pidfd
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  for (;;) {
    auto birth = receive_birth(socket.get());
    if (!birth) return 0;
    pid_t pid = ::fork();
    if (pid == 0) {
      socket = Fd();
      ::setsid();
      for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
        ::signal(signal, SIG_DFL);
      ::dup2(birth->errors.get(), STDERR_FILENO);
      birth->errors = Fd();
      set_title(title, *birth);
      ::_exit(life(std::move(*birth)));
    }
    std::int32_t answer = pid > 0 ? pid : -errno;
    *birth = Birth();  // before the answer: the lock must not outlive the shepherd
    if (::send(socket.get(), &answer, sizeof answer, MSG_NOSIGNAL) < 0) return 0;
  }
}

}  // namespace ym
