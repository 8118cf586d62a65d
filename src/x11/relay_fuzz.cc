// SPDX-License-Identifier: Apache-2.0
// One end of a relay of X connections, as the other end drives it: pieces of the tunnel's bytes, of
// what a client or the display says, and hang-ups, in any order.
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "x11/relay.h"

namespace {

std::pair<ym::Fd, ym::Fd> pair_of_sockets() {
  int ends[2];
  YM_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  return {ym::Fd(ends[0]), ym::Fd(ends[1])};
}

void write_to(const ym::Fd& fd, std::string_view bytes) {
  [[maybe_unused]] ssize_t n = ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void drain(const ym::Fd& fd) {
  char space[4096];
  while (::recv(fd.get(), space, sizeof space, 0) > 0) continue;
}

}  // namespace

// Each step: what is done, and to which of the far ends; a length, and so many bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool at_display = data[0] & 1;
  auto [near, far] = pair_of_sockets();
  std::vector<ym::Fd> others;  // far ends of clients, or the display's
  std::optional<ym::Relay::Display> display;
  if (at_display)
    display = ym::Relay::Display{.dial = [&]() -> ym::Result<ym::Fd> {
                                   if (others.size() >= 20) return ym::fail("no display");
                                   auto [mine, its] = pair_of_sockets();
                                   others.push_back(std::move(its));
                                   return std::move(mine);
                                 },
                                 .shown = "0123456789abcdef",
                                 .real = "fedcba9876543210"};
  ym::Relay relay(ym::Channel(std::move(near)), "", std::move(display));
  for (int steps = 0; rest.size() >= 2 && steps < 200; ++steps) {
    unsigned what = static_cast<unsigned char>(rest[0]);
    std::size_t length =
        std::min<std::size_t>(static_cast<unsigned char>(rest[1]), rest.size() - 2);
    std::string_view bytes = rest.substr(2, length);
    rest.remove_prefix(2 + length);
    if (what % 4 == 0) {
      write_to(far, bytes);
    } else if (what % 4 == 1 && !others.empty()) {
      write_to(others[what / 4 % others.size()], bytes);
    } else if (what % 4 == 2 && !others.empty()) {
      others.erase(others.begin() + what / 4 % static_cast<int>(others.size()));
    } else if (!at_display && others.size() < 20) {
      auto [mine, its] = pair_of_sockets();
      relay.take_client(std::move(mine));
      others.push_back(std::move(its));
    }
    std::vector<pollfd> fds;
    relay.add_polls(fds);
    ::poll(fds.data(), fds.size(), 0);
    std::size_t first = 0;
    if (!relay.over()) relay.go_on(fds, first);
    YM_CHECK(first <= fds.size());
    drain(far);
    for (const ym::Fd& other : others) drain(other);
    if (relay.over()) break;
  }
  return 0;
}
