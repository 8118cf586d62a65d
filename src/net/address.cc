// SPDX-License-Identifier: Apache-2.0
#include "net/address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

SocketAddress make_v4(in_addr host, std::uint16_t port) {
  SocketAddress out;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr = host;
  v4.sin_port = htons(port);
  std::memcpy(&out.storage, &v4, sizeof v4);
  out.size = sizeof v4;
  return out;
}

SocketAddress make_v6(in6_addr host, std::uint16_t port) {
  SocketAddress out;
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = host;
  v6.sin6_port = htons(port);
  std::memcpy(&out.storage, &v6, sizeof v6);
  out.size = sizeof v6;
  return out;
}

Result<SocketAddress> make_unix(const std::string& path) {
  SocketAddress out;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (path.size() >= sizeof un.sun_path)
    return fail(fmt::format("the socket path {} is {} bytes long; the kernel allows {}", path,
                            path.size(), sizeof un.sun_path - 1));
  if (path.find('\0') != std::string::npos) return fail("a socket path has a zero byte in it");
  std::memcpy(un.sun_path, path.data(), path.size());
  std::memcpy(&out.storage, &un, sizeof un);
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return out;
}

}  // namespace

std::string errno_text(int error) {
  const char* text = strerrordesc_np(error);
  return text ? text : fmt::format("error {}", error);
}

void set_blocking(int fd) {
  int flags = ::fcntl(fd, F_GETFL);
  if (flags >= 0) ::fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}
Fd::~Fd() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Address> parse_address(std::string_view text, std::uint16_t default_port) {
  auto bad = [&] {
    return fail(fmt::format("\"{}\" is no address: give /path, unix:/path, host:port or [v6]:port",
                            printable(text)));
  };
  if (text.starts_with("unix:")) text.remove_prefix(5);
  if (text.starts_with('/')) return Address{.path = std::string(text)};
  std::string_view host = text, port;
  if (text.starts_with('[')) {
    std::size_t end = text.find(']');
    if (end == text.npos) return bad();
    host = text.substr(1, end - 1);
    port = text.substr(end + 1);
    if (!port.empty() && port[0] != ':') return bad();
  } else if (std::size_t colon = text.find(':'); colon != text.npos) {
    if (text.rfind(':') == colon) {  // else a bare IPv6 address, without a port
      host = text.substr(0, colon);
      port = text.substr(colon);
    }
  }
  if (host.empty() || host.size() > 255) return bad();
  Address address{.host = std::string(host), .port = default_port};
  if (!port.empty()) {
    auto number = parse_unsigned<std::uint16_t>(port.substr(1));
    if (!number) return bad();
    address.port = *number;
  }
  return address;
}

std::string to_text(const Address& address) {
  if (address.is_unix()) return "unix:" + address.path;
  bool v6 = address.host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(v6 ? "[{}]:{}" : "{}:{}"), address.host, address.port);
}

std::string to_text(const SocketAddress& address) {
  char host[INET6_ADDRSTRLEN] = "";
  if (address.family() == AF_INET) {
    sockaddr_in v4;
    std::memcpy(&v4, &address.storage, sizeof v4);
    inet_ntop(AF_INET, &v4.sin_addr, host, sizeof host);
    return fmt::format("{}:{}", host, ntohs(v4.sin_port));
  }
  if (address.family() == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address.storage, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
    return fmt::format("[{}]:{}", host, ntohs(v6.sin6_port));
  }
  return "unix";
}

Result<std::vector<SocketAddress>> resolve_quickly(const Address& address) {
  std::vector<SocketAddress> found;
  if (address.is_unix()) {
    auto made = make_unix(address.path);
    if (!made) return std::unexpected(made.error());
    found.push_back(*made);
    return found;
  }
  in_addr v4;
  in6_addr v6;
  if (address.host.empty() || address.host == "*") {
    found.push_back(make_v6(in6addr_any, address.port));
    found.push_back(make_v4(in_addr{INADDR_ANY}, address.port));
  } else if (same_ignoring_case(address.host, "localhost")) {
    found.push_back(make_v4(in_addr{htonl(INADDR_LOOPBACK)}, address.port));
    found.push_back(make_v6(in6addr_loopback, address.port));
  } else if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) {
    found.push_back(make_v4(v4, address.port));
  } else if (inet_pton(AF_INET6, address.host.c_str(), &v6) == 1) {
    found.push_back(make_v6(v6, address.port));
  }
  return found;
}

Result<std::vector<SocketAddress>> resolve(const Address& address) {
  auto found = resolve_quickly(address);
  if (!found || !found->empty()) return found;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  int error = getaddrinfo(address.host.c_str(), nullptr, &hints, &list);
  if (error != 0)
    return fail(
        fmt::format("cannot find host {}: {}", printable(address.host), gai_strerror(error)));
  for (addrinfo* one = list; one; one = one->ai_next) {
    if (one->ai_family == AF_INET) {
      sockaddr_in v4;
      std::memcpy(&v4, one->ai_addr, sizeof v4);
      found->push_back(make_v4(v4.sin_addr, address.port));
    } else if (one->ai_family == AF_INET6) {
      SocketAddress whole;  // with its scope, which link-local addresses need
      std::memcpy(&whole.storage, one->ai_addr, one->ai_addrlen);
      whole.size = one->ai_addrlen;
      reinterpret_cast<sockaddr_in6*>(&whole.storage)->sin6_port = htons(address.port);
      found->push_back(whole);
    }
  }
  freeaddrinfo(list);
  if (found->empty()) return fail(fmt::format("host {} has no address", printable(address.host)));
  return found;
}

}  // namespace ym
