// SPDX-License-Identifier: Apache-2.0
// X connections through one connection between a node and the user's machine: on the node they
// come in, at the other end each goes on to the display. Both ends are one Relay. Never blocks but
// to reach the display; one thread.
//
// Invariants: (1) of each channel at most kX11Window bytes wait at either end, so that a client
// that does not read holds up nobody else; (2) the tunnel is always read.
#pragma once
#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/x11_messages.h"
#include "net/address.h"
#include "net/channel.h"
#include "net/frame.h"
#include "x11/setup.h"

namespace ym {

inline constexpr std::size_t kX11Window = 256 << 10;
inline constexpr std::size_t kX11ChannelsMax = 256;

class Relay {
 public:
  // How the far end reaches the display for a new client.
  struct Display {
    std::function<Result<Fd>()> dial;
    std::string shown, real;  // cookies
  };
  // Without a display this is the end where clients come in. Owns the tunnel; `residual` is what
  // was read of it already.
  Relay(ym::Channel tunnel, std::string residual, std::optional<Display> display);

  // The other end is gone, or makes no sense.
  bool over() const { return over_; }
  // The node's end: a client that has come.
  void take_client(Fd client);
  void add_polls(std::vector<pollfd>& fds) const;
  // After poll(2). `fds` has at `first` what add_polls added; moves it on behind that.
  void go_on(const std::vector<pollfd>& fds, std::size_t& first);

 private:
  // One client.
  struct Channel {
    Fd fd;
    std::string out;         // for the local end
    std::size_t owed = 0;    // bytes taken from the tunnel and not confirmed yet
    std::size_t unsure = 0;  // bytes sent into the tunnel that the other end has not confirmed
    bool ended = false;      // the other end is gone: what is in `out` is the last
    std::optional<SetupFilter> filter;
  };

  void read_tunnel();
  void take_bytes(std::string_view bytes);
  void write_tunnel();
  void take(const X11Data& data);
  Channel* open_channel(std::uint32_t number);
  void read_local(std::uint32_t number, Channel& channel);
  void write_local(std::uint32_t number, Channel& channel);
  void say(const X11Data& data);
  void close(std::uint32_t number);

  ym::Channel tunnel_;
  FrameReader frames_;
  std::string out_;  // into the tunnel
  std::optional<Display> display_;
  std::map<std::uint32_t, Channel> channels_;
  std::uint32_t last_ = 0;
  bool over_ = false;
};

// A connection to a display, ready for a Relay.
Result<Fd> dial_display(const Address& address);

}  // namespace ym
