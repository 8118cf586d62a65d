// SPDX-License-Identifier: Apache-2.0
// Where to connect to or listen on, and the sockets calls that client and server share.
#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace ym {

struct Address {
  std::string path;  // a Unix socket, if not empty
  std::string host;  // else a host name or numeric address; empty or "*" listens everywhere
  std::uint16_t port = 0;
  bool is_unix() const { return !path.empty(); }
  bool operator==(const Address&) const = default;
};

// "/run/x.sock", "unix:/run/x.sock", "host:6817", "10.1.2.3:6817", "[::1]:6817"; without a port
// `default_port`.
Result<Address> parse_address(std::string_view text, std::uint16_t default_port = 0);
std::string to_text(const Address& address);

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};
std::string to_text(const SocketAddress& address);

// A Unix path, a numeric address or "localhost": answered at once, without the resolver. Empty if
// `address` needs it.
Result<std::vector<SocketAddress>> resolve_quickly(const Address& address);
// The same, asking the resolver (which may block for its own time-outs) if nothing else answers.
Result<std::vector<SocketAddress>> resolve(const Address& address);

// A file descriptor with an owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept;
  ~Fd();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Takes O_NONBLOCK off, for handing a socket to somebody who expects the ordinary kind.
void set_blocking(int fd);

// "No such file or directory": errno for people.
std::string errno_text(int error);

}  // namespace ym
