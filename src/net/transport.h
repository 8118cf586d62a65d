// SPDX-License-Identifier: Apache-2.0
// The seam between a daemon's driver and the network: real sockets in daemons, a virtual network in
// the simulator.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace ym {

// An end of the network as its driver numbers it. 0 is nobody.
struct EndpointId {
  std::uint64_t value = 0;
  auto operator<=>(const EndpointId&) const = default;
};

class Transport {
 public:
  struct Receiver {
    std::function<void(EndpointId)> up;
    std::function<void(EndpointId from, std::uint16_t type, std::string payload)> receive;
    std::function<void(EndpointId)> down;
  };
  virtual ~Transport() = default;
  // REQUIRES: called once, before the first send.
  virtual void set_receiver(Receiver receiver) = 0;
  // False if it certainly will not arrive (unknown, down, or its queue is full). True promises
  // nothing: a message may be lost with its connection. Messages to one endpoint arrive in order,
  // each at most once.
  virtual bool send(EndpointId to, std::uint16_t type, std::string payload) = 0;
};

}  // namespace ym
