// SPDX-License-Identifier: Apache-2.0
// The control socket of a shepherd that only listens for signals.
#pragma once
#include <functional>
#include <optional>

#include "shepherd/containment.h"
#include "shepherd/order.h"

namespace ym {

// The next packet that waits on the listening socket. Packets of strangers are passed over, and
// those that `answer` takes: it gets the connection.
using PacketAnswer = std::function<bool(const ControlPacket& packet, int caller)>;
std::optional<ControlPacket> take_packet(int listener, const PacketAnswer& answer = {});

// To a ControlKind::Memory: lowers the limits, and says what they are and what is in use.
void answer_memory(int caller, const Containment& groups, std::uint64_t memory_mb,
                   std::uint64_t resident_kb);

}  // namespace ym
