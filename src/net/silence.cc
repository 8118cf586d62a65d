// SPDX-License-Identifier: Apache-2.0
#include "net/silence.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace ym {

void watch_for_silence(int fd, Duration patience) {
  constexpr int kProbes = 3;
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(patience).count();
  int half = static_cast<int>(std::clamp<std::int64_t>(seconds / 2, 1, 3600));
  int on = 1, probes = kProbes, pause = std::max(1, half / kProbes);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &half, sizeof half);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  // Probes are sent only while nothing waits for an acknowledgement.
  unsigned unanswered_ms = static_cast<unsigned>(half) * 2000;
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered_ms, sizeof unanswered_ms);
}

}  // namespace ym
