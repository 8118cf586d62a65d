// SPDX-License-Identifier: Apache-2.0
// The end of a wide job, and signals for it, down a tree of slurmd: the controller speaks to
// TreeWidth nodes instead of all. Whoever is not reached that way is told directly
// (docs/decisions/0009).
//
// Only for orders that may overtake others: those that name an attempt and change nothing when they
// come twice, or before the launch.
//
// Thread rule: any thread.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "controller/outbox.h"
#include "daemon/driver/core.h"
#include "net/frame.h"
#include "net/peer.h"
#include "net/server.h"

namespace ym {

class FanOut {
 public:
  // `first_id` is unlike that of any other controller's life.
  FanOut(Server& server, std::uint64_t first_id) : server_(server), last_(first_id) {}

  // Sends what is for more than `width` nodes and tells what of the batch's orders that was; empty:
  // nothing. Nodes without a route are left to their next report, as ever.
  std::vector<bool> send(const Batch& batch, const std::vector<ConnectionId>& routes,
                         std::uint32_t width, Duration message_timeout);
  void answered(ConnectionId from, const Frame& frame);
  void lost(ConnectionId connection);

 private:
  struct Member {
    NodeAddress node;
    ConnectionId route;
  };
  // One head's share of an order.
  struct Part {
    FrameHeader header;
    std::string payload;
    std::vector<Member> members;  // the head first
  };
  using Message = std::pair<std::uint16_t, std::string>;  // its number and bytes

  void send_part(Part part, std::uint32_t width, Duration message_timeout);
  // Tells all members but the head.
  void tell_directly(const Part& part);
  void expire(std::uint64_t number);

  Server& server_;
  std::mutex mutex_;
  std::uint64_t last_;                   // guarded by mutex_
  std::map<std::uint64_t, Part> parts_;  // not answered yet; guarded by mutex_
};

}  // namespace ym
