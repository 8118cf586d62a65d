// SPDX-License-Identifier: Apache-2.0
// Whether the leader's process is still there, as its machine tells: a connection to its port that
// says nothing. When the process dies, the kernel closes the connection and refuses the next one,
// at once; a machine that is gone or stuck says nothing, and this does not know either.
//
// Thread rule: one thread. Does not wait, but for the name of the leader's host, once in an epoch.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "net/address.h"

namespace ym {

class LeaderProbe {
 public:
  // Call it several times a second. True: in this epoch the port was open, and it is closed now. A
  // leader that has just begun to lead does not listen yet, and is not gone.
  bool gone(std::uint64_t epoch, const Address& leader, Duration now);

 private:
  void begin(Duration now);
  void look(Duration now);

  std::optional<std::uint64_t> epoch_;
  std::vector<SocketAddress> places_;
  Fd fd_;
  bool connected_ = false;
  bool was_there_ = false;
  bool gone_ = false;
  Duration next_{0};   // attempt
  Duration since_{0};  // when the epoch was seen first
};

}  // namespace ym
