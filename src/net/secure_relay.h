// SPDX-License-Identifier: Apache-2.0
// A secured connection handed over as a plain one: the keys of TLS stay in this process, which
// carries the bytes between the connection and a local socket. Decision 0020.
//
// Thread rule: everything on the loop's thread.
// Invariant: of each direction no more than kRelayWindow and one read wait here; a side that does
// not read holds up the other.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/loop.h"
#include "net/stream.h"

namespace ym {

inline constexpr std::size_t kRelayWindow = 1u << 20;
// For what is on its way when one side has ended.
inline constexpr Duration kRelayLinger = std::chrono::seconds(60);

class SecureRelay {
 public:
  struct Started {
    std::shared_ptr<SecureRelay> relay;  // to be kept until on_over
    Fd plain;                            // blocking, close-on-exec
  };
  // `secured` is paused and flushed; it is the relay's from now on. A peer that vanished without a
  // word is noticed after `silence`: whoever has the plain end cannot see it. `on_over` is called
  // once, from the loop.
  static Result<Started> start(Loop& loop, std::shared_ptr<Stream> secured, Duration silence,
                               std::function<void()> on_over);
  // Without a word to anybody.
  ~SecureRelay();
  SecureRelay(const SecureRelay&) = delete;
  SecureRelay& operator=(const SecureRelay&) = delete;

 private:
  struct Side : StreamOwner {
    void on_bytes(std::string_view bytes) override;
    void on_room() override {}
    void on_flushed() override;
    void on_end(const std::string& reason) override;
    SecureRelay* relay = nullptr;
    Side* other = nullptr;
    std::shared_ptr<Stream> stream;
    bool ended = false;
  };

  SecureRelay(Loop& loop, std::function<void()> on_over)
      : loop_(loop), on_over_(std::move(on_over)) {}
  void over();

  Loop& loop_;
  std::function<void()> on_over_;
  Side far_, near_;  // the network's, the local
  TimerId linger_;
};

}  // namespace ym
