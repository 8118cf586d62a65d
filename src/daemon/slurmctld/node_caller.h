// SPDX-License-Identifier: Apache-2.0
// A controller that has begun to lead calls the nodes: whoever is still connected to a predecessor
// that is stuck, or waits before its next attempt, comes at once instead of finding out by itself.
// Nodes that are connected already are not called; those that cannot be reached a few times more.
//
// Thread rule: made anywhere; everything else on the loop's thread. end() before the loop's end.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/control_messages.h"
#include "model/step_messages.h"
#include "net/keyring.h"
#include "net/link.h"
#include "net/loop.h"

namespace ym {

class NodeCaller {
 public:
  struct Options {
    std::string cluster;
    ControllerLeads message;
    const Keys* keys = nullptr;
    std::shared_ptr<const TlsContext> tls;  // null: TLS is off
    // Nodes that are not connected, of all that should be.
    std::function<std::vector<NodeAddress>()> missing;
  };
  NodeCaller(Loop& loop, Options options) : loop_(loop), options_(std::move(options)) {}

  void begin();
  void end();

 private:
  void round();
  void call_next();
  void call(const NodeAddress& node);
  void hang_up(std::uint64_t number);
  std::string token(std::string_view binding) const;

  Loop& loop_;
  const Options options_;
  std::string opening_;
  std::size_t rounds_ = 0;
  TimerId timer_;
  std::deque<NodeAddress> waiting_;
  std::map<std::uint64_t, std::unique_ptr<Link>> calls_;
  std::uint64_t last_ = 0;
};

}  // namespace ym
