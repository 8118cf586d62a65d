// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/leader_probe.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace ym {
namespace {

// The leader ends connections that say nothing: then there is a new one.
constexpr Duration kPause{100};
// Whoever has just taken over may be seen listening as the standby that it was; then it reads the
// log, and does not listen.
constexpr Duration kSettled{2000};

}  // namespace

bool LeaderProbe::gone(std::uint64_t epoch, const Address& leader, Duration now) {
  if (epoch_ != epoch) {
    epoch_ = epoch;
    auto found = resolve(leader);
    places_ = found ? std::move(*found) : std::vector<SocketAddress>();
    fd_ = Fd();
    connected_ = was_there_ = gone_ = false;
    next_ = since_ = now;
  }
  if (fd_) look(now);
  if (!fd_ && now >= next_ && !places_.empty()) begin(now);
  return gone_;
}

void LeaderProbe::begin(Duration now) {
  next_ = now + kPause;
  connected_ = false;
  const SocketAddress& place = places_.front();
  fd_ = Fd(::socket(place.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_) return;
  if (::connect(fd_.get(), place.get(), place.size) != 0 && errno != EINPROGRESS) {
    gone_ = was_there_ && errno == ECONNREFUSED;
    fd_ = Fd();
    return;
  }
  look(now);
}

void LeaderProbe::look(Duration now) {
  if (!connected_) {
    pollfd one{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&one, 1, 0) <= 0) return;
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      gone_ = was_there_ && error == ECONNREFUSED;
      fd_ = Fd();
      return;
    }
    connected_ = true;
    gone_ = false;
  }
  std::array<char, 256> bytes;
  ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) {
    was_there_ = was_there_ || now - since_ >= kSettled;
    return;
  }
  fd_ = Fd();  // closed: whether for good, the next attempt tells
  next_ = now;
}

}  // namespace ym
