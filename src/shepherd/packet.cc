// SPDX-License-Identifier: Apache-2.0
#include "shepherd/packet.h"

#include <sys/socket.h>
#include <unistd.h>

#include "net/address.h"
#include "wire/codec.h"

namespace ym {

std::optional<ControlPacket> take_packet(int listener, const PacketAnswer& answer) {
  for (;;) {
    Fd caller(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    if (!caller) return std::nullopt;
    ucred who{};
    socklen_t size = sizeof who;
    bool known = ::getsockopt(caller.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    if (!known || (who.uid != 0 && who.uid != ::geteuid())) continue;
    timeval patience{.tv_sec = 1, .tv_usec = 0};  // slurmd sends at once
    ::setsockopt(caller.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string bytes(kControlPacketMax, '\0');
    ssize_t got = ::recv(caller.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) continue;
    bytes.resize(static_cast<std::size_t>(got));
    auto packet = wire::decode<ControlPacket>(bytes);
    if (packet && answer && answer(*packet, caller.get())) continue;
    if (packet) return std::move(*packet);
  }
}

void answer_memory(int caller, const Containment& groups, std::uint64_t memory_mb,
                   std::uint64_t resident_kb) {
  ShepherdMemory memory{.pid = static_cast<std::uint32_t>(::getpid())};
  if (memory_mb) memory.limit_mb = groups.lower_memory(memory_mb);
  memory.job_mb = groups.job_resident_mb();
  memory.resident_mb = (resident_kb + 1023) / 1024;
  std::string bytes = wire::encode(memory);
  ::send(caller, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace ym
