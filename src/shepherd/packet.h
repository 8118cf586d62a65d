// SPDX-License-Identifier: Apache-2.0
// The control socket of a shepherd that only listens for signals.
#pragma once
#include <optional>

#include "shepherd/order.h"

namespace ym {

// The next packet that waits on the listening socket. Packets of strangers are passed over.
std::optional<ControlPacket> take_packet(int listener);

}  // namespace ym
