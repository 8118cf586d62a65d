// SPDX-License-Identifier: Apache-2.0
#include "net/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "net/deadline.h"

namespace ym {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsPerTurn = 64;
constexpr Duration kAcceptRetry{50};  // when the process has no descriptors left

// A process that a killed server was just starting holds its lock and its sockets until it has
// become another program: what looks taken may be free in a moment.
constexpr Duration kTakenWait{1000};
constexpr int kTakenPauseMs = 10;
constexpr std::string_view kTaken = "another server listens there";

std::unexpected<Error> cannot(const std::string& what, int error) {
  return fail(fmt::format("cannot listen on {}: {}", what, errno_text(error)));
}

template <class Attempt>
auto patiently(const Attempt& attempt) {
  Deadline deadline = Deadline::in(kTakenWait);
  for (;;) {
    auto made = attempt();
    bool taken = !made && (made.error().text.ends_with(kTaken) ||
                           made.error().text.ends_with(errno_text(EADDRINUSE)));
    if (!taken || deadline.passed()) return made;
    ::poll(nullptr, 0, kTakenPauseMs);
  }
}

bool somebody_answers(const SocketAddress& address) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // EAGAIN: its queue is full, so it lives.
  return fd && (::connect(fd.get(), address.get(), address.size) == 0 || errno == EAGAIN);
}

Peer peer_of(int fd, const std::string& path) {
  Peer peer;
  if (!path.empty()) {
    ucred who{};
    socklen_t size = sizeof who;
    // On failure uid and gid stay nobody's.
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
      peer.uid = who.uid;
      peer.gid = who.gid;
      peer.pid = who.pid;
    }
    peer.address = "unix:" + path;
    return peer;
  }
  peer.kind = PeerKind::Token;
  SocketAddress from;
  from.size = sizeof from.storage;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&from.storage), &from.size) == 0)
    peer.address = to_text(from);
  return peer;
}

Result<Fd> bind_tcp(const SocketAddress& address) {
  std::string name = to_text(address);
  Fd fd(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return cannot(name, errno);
  int on = 1, off = 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6)
    ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), address.get(), address.size) != 0) return cannot(name, errno);
  if (::listen(fd.get(), kBacklog) != 0) return cannot(name, errno);
  return fd;
}

}  // namespace

void refuse_at_once(int fd, std::string_view bytes) {
  // Nothing sensible is left to do if this fails.
  [[maybe_unused]] ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(fd, SHUT_WR);
}

Result<std::unique_ptr<Listener>> Listener::on_unix(const std::string& path, unsigned mode) {
  return patiently([&] { return try_unix(path, mode); });
}

Result<std::unique_ptr<Listener>> Listener::try_unix(const std::string& path, unsigned mode) {
  std::unique_ptr<Listener> made(new Listener);
  std::string lock_path = path + ".lock";
  made->lock_ = Fd(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made->lock_) return cannot(lock_path, errno);
  if (::flock(made->lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return cannot(lock_path, errno);
    return fail(fmt::format("cannot listen on {}: {}", path, kTaken));
  }
  made->path_ = path;
  if (Status bound = made->bind_unix(mode); !bound) {
    made->path_.clear();  // what is there is not ours to remove
    return std::unexpected(bound.error());
  }
  return made;
}

Status Listener::bind_unix(unsigned mode) {
  auto address = resolve_quickly({.path = path_});
  if (!address) return std::unexpected(address.error());
  const SocketAddress& to = address->front();
  struct stat old;
  if (::lstat(path_.c_str(), &old) == 0) {
    if (!S_ISSOCK(old.st_mode))
      return fail(fmt::format("cannot listen on {}: it exists and is no socket", path_));
    if (somebody_answers(to)) return fail(fmt::format("cannot listen on {}: {}", path_, kTaken));
    if (::unlink(path_.c_str()) != 0) return cannot(path_, errno);
  }
  fd_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_) return cannot(path_, errno);
  // The file is born with the socket's mode less the umask, never wider than asked for; chmod then
  // gives the rest.
  if (::fchmod(fd_.get(), mode) != 0) return cannot(path_, errno);
  if (::bind(fd_.get(), to.get(), to.size) != 0) return cannot(path_, errno);
  struct stat file;
  if (::listen(fd_.get(), kBacklog) != 0 || ::chmod(path_.c_str(), mode) != 0 ||
      ::stat(path_.c_str(), &file) != 0) {
    int error = errno;
    ::unlink(path_.c_str());
    return cannot(path_, error);
  }
  device_ = file.st_dev;
  inode_ = file.st_ino;
  return {};
}

Result<std::unique_ptr<Listener>> Listener::on_tcp(const std::string& host, std::uint16_t port) {
  auto found = resolve({.host = host, .port = port});
  if (!found) return std::unexpected(found.error());
  std::unique_ptr<Listener> made(new Listener);
  Error why;
  // "*" is one IPv6 socket that takes IPv4 too, or IPv4 alone where the machine has no IPv6.
  for (const SocketAddress& address : *found) {
    auto fd = patiently([&] { return bind_tcp(address); });
    if (!fd) {
      if (why.text.empty()) why = fd.error();
      // Only a missing address family sends us to the next: a taken port must be seen.
      if (why.text.find(errno_text(EAFNOSUPPORT)) != why.text.npos ||
          why.text.find(errno_text(EADDRNOTAVAIL)) != why.text.npos)
        continue;
      return std::unexpected(why);
    }
    SocketAddress bound;
    bound.size = sizeof bound.storage;
    ::getsockname(fd->get(), reinterpret_cast<sockaddr*>(&bound.storage), &bound.size);
    // The port is at the same place in both families.
    made->port_ = ntohs(reinterpret_cast<const sockaddr_in*>(&bound.storage)->sin_port);
    made->fd_ = std::move(*fd);
    return made;
  }
  return std::unexpected(why);
}

Listener::~Listener() {
  if (loop_) {
    loop_->unwatch(fd_.get());
    loop_->cancel(retry_);
  }
  struct stat file;
  if (!path_.empty() && ::lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ &&
      file.st_ino == inode_)
    ::unlink(path_.c_str());
}

Status Listener::start(Loop& loop, std::function<void(Accepted)> accept) {
  accept_ = std::move(accept);
  Status watched = loop.watch_readable(fd_.get(), [this] { on_readable(); });
  if (watched) loop_ = &loop;
  return watched;
}

void Listener::on_readable() {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    Fd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN) return;
      // No descriptors or memory: the waiting connection stays readable, so look away for a while.
      loop_->unwatch(fd_.get());
      retry_ = loop_->after(kAcceptRetry, [this] {
        [[maybe_unused]] Status again = loop_->watch_readable(fd_.get(), [this] { on_readable(); });
      });
      return;
    }
    if (path_.empty()) {
      int on = 1;
      ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      ::setsockopt(fd.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    }
    Peer peer = peer_of(fd.get(), path_);
    accept_({.fd = std::move(fd), .peer = std::move(peer)});
  }
}

}  // namespace ym
