// SPDX-License-Identifier: Apache-2.0
#include "net/passing.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "os/files.h"

namespace ym {
namespace {

// The kernel's space for descriptors beside the bytes.
struct Beside {
  alignas(cmsghdr) char space[CMSG_SPACE(kPassedFilesMax * sizeof(int))] = {};
};

std::vector<Fd> take_files(msghdr& message) {
  std::vector<Fd> files;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one; one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t n = 0; n < count; ++n) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(one) + n * sizeof fd, sizeof fd);
      files.emplace_back(fd);
    }
  }
  return files;
}

}  // namespace

Status send_packet(int socket, std::string_view bytes, std::span<const int> files) {
  YM_CHECK(files.size() <= kPassedFilesMax && !bytes.empty());
  iovec part{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
  Beside beside;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!files.empty()) {
    message.msg_control = beside.space;
    message.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* extra = CMSG_FIRSTHDR(&message);
    extra->cmsg_level = SOL_SOCKET;
    extra->cmsg_type = SCM_RIGHTS;
    extra->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(extra), files.data(), files.size_bytes());
  }
  ssize_t sent;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return fail(errno_text("sendmsg"));
  return {};
}

Result<Packet> receive_packet(int socket, std::span<char> space) {
  iovec part{.iov_base = space.data(), .iov_len = space.size()};
  Beside beside;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = beside.space;
  message.msg_controllen = sizeof beside.space;
  ssize_t got;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return fail(errno_text("recvmsg"));
  Packet packet{.bytes = {space.data(), static_cast<std::size_t>(got)},
                .files = take_files(message)};
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) return fail("a packet that is too big");
  return packet;
}

}  // namespace ym
