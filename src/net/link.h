// SPDX-License-Identifier: Apache-2.0
// A persistent connection to one server, kept up by reconnecting: slurmd's to slurmctld.
//
// Thread rule: constructed, started and destroyed on the loop's thread (or before it runs); send
// from any thread. Handlers run on the loop's thread, in the order up, frames…, down, up, … What is
// sent while the link is down is refused, not kept: the caller says again what matters in on_up.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/frame.h"
#include "net/handshake.h"
#include "net/loop.h"
#include "net/server.h"
#include "net/tls.h"
#include "net/token.h"

namespace ym {

struct LinkHandlers {
  std::function<void()> on_up;
  std::function<void(std::vector<Frame>)> on_frames;
  // Also for each attempt that failed: `was_up` tells which. The next attempt is after `retry_in`.
  std::function<void(const Error& reason, bool was_up, Duration retry_in)> on_down;
  std::function<void()> on_writable;
};

struct LinkOptions {
  std::vector<Address> addresses;  // tried in turn: controller, then its standbys
  std::string cluster;
  // Asked at each attempt, so that it is fresh, with the channel's binding (empty without TLS); may
  // be empty for Unix sockets.
  std::function<std::string(std::string_view binding)> token;
  // Whether the server's proof holds for our token on this channel; not asked on a Unix socket.
  // None: anybody is believed.
  std::function<Status(const Greeting& greeting, std::string_view proof)> check_proof = {};
  // Asked at each attempt over TCP; none, or null: plain.
  std::function<std::shared_ptr<const TlsContext>()> tls = {};
  std::string tls_name = {};  // of the server, in its certificate
  // Whole frames that leave with the hello of each attempt; after the welcome, if only its proof
  // tells who the server is.
  std::string opening;
  VersionRange versions = kVersions;
  std::uint32_t frame_max = kFrameMax;
  std::size_t outgoing_max = std::size_t{kFrameMax};
  Duration connect_deadline{std::chrono::seconds(10)};  // for connecting and handshake together
  // Doubles from the first to the second with each failure, and with each time that the server
  // takes us in and closes with words soon after.
  Duration retry_min{200};
  Duration retry_max{std::chrono::seconds(30)};
  // Sends a Ping when so long nothing came, and gives up when nothing came for three times that. 0:
  // never.
  Duration silence{std::chrono::seconds(20)};
  std::uint64_t seed =
      1;  // of the jitter: unlike on each node, so that they do not come back at once
};

class Link {
 public:
  Link(Loop& loop, LinkOptions options, LinkHandlers handlers);
  // No handler is called any more. Waits for the resolver, if a host name is just being looked up.
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void start();
  bool is_up() const;
  // Leaves whomever it is connected to and tries this one of the addresses, at once; nothing if it
  // is connected there. On the loop's thread, not in a handler.
  void move_to(std::size_t address);
  // Gone while the link is down. Cut brings the link down, and up again.
  SendResult send(FrameHeader header, std::string_view payload,
                  WhenFull when_full = WhenFull::Refuse);
  // For an on_frames handler that cannot keep up. On the loop's thread. While paused, silence is
  // not noticed.
  void pause();
  void resume();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// Delay before attempt `failures` + 1: doubles from min to max, then between half and all of it by
// chance.
Duration retry_delay(Duration min, Duration max, unsigned failures, std::uint64_t chance);

}  // namespace ym
