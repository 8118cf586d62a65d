// SPDX-License-Identifier: Apache-2.0
// A blocking connection for commands and the shepherd: plain sockets, poll(2), nothing that costs
// at start-up.
//
//   auto client = Client::connect(*parse_address("/run/yardmaster/ctl.sock"), {.cluster = "emil"});
//   if (!client) return std::unexpected(client.error());
//   Result<Frame> answer = client->call(type, request, std::chrono::seconds(10));
//
// Thread rule: one thread at a time. After an error the connection is of no further use.
// The hello leaves together with the first frame sent, and the welcome is read with the first frame
// received: a call costs one round trip in all.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/deadline.h"
#include "net/frame.h"
#include "net/handshake.h"

namespace ym {

// Frames that may wait inside a Client while a call looks for its own answer.
inline constexpr std::size_t kReadyMax = 100000;

struct ClientOptions {
  std::string cluster;  // refuse to talk to another cluster; empty: any
  std::string token;    // needed on TCP
  Duration connect_timeout{std::chrono::seconds(10)};
  std::uint32_t frame_max = kFrameMax;
  VersionRange versions = kVersions;
};

class Client {
 public:
  // Connected to the first of the address's alternatives that answers in time. Nothing has been
  // sent yet.
  static Result<Client> connect(const Address& address, const ClientOptions& options);
  // Does not wait for anything but a resolver: what is queued leaves with advance(), or with the
  // first call that waits.
  static Result<Client> begin(const Address& address, const ClientOptions& options);
  // A connection that went through its handshake elsewhere; `residual` is what was read beyond
  // that. Owns fd.
  static Client adopt(int fd, std::string residual, std::uint32_t frame_max = kFrameMax);

  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // Goes on with connecting, sending and the handshake as far as it can without waiting. True once
  // all that was queued has left and the welcome has come; else poll(2) fd() for wanted(). fd() may
  // change in between.
  Result<bool> advance();
  short wanted() const;
  bool welcomed() const { return welcomed_; }
  // Takes a frame for sending, and sends nothing yet.
  Status queue(FrameHeader header, std::string_view payload);
  // A frame that has come, if one has. Nothing if not: never waits.
  Result<std::optional<Frame>> poll_frame();

  // Optional: sends the hello and waits for the verdict, for those who want to know before they ask
  // anything.
  Status finish_handshake(Duration timeout);

  // Sends one request and waits for the frame with its correlation id. Frames with other ids that
  // come before are kept for receive(). An Error frame from the other side comes back as an error.
  Result<Frame> call(std::uint16_t type, std::string_view payload, Duration timeout);

  // For streams. `send` blocks until the kernel took everything; `receive` gives the next frame.
  Status send(FrameHeader header, std::string_view payload, Duration timeout);
  Result<Frame> receive(Duration timeout);
  // Whether receive would find something to read within `timeout`: a frame, part of one, or the
  // end.
  Result<bool> readable(Duration timeout);
  // Frames received but not yet taken, so that poll(2) on fd() does not miss them.
  bool has_buffered() const { return !ready_.empty() || !adopted_.empty(); }

  int fd() const { return fd_.get(); }
  std::uint16_t version() const { return version_; }
  const std::string& server_cluster() const { return server_cluster_; }

  struct Released {
    int fd = -1;           // blocking, close-on-exec; now the caller's
    std::string residual;  // read from the socket, not yet taken as frames
  };
  // REQUIRES: the handshake is finished (after finish_handshake, or any receive or call).
  Released release();

 private:
  explicit Client(Fd fd, std::uint32_t frame_max) : fd_(std::move(fd)), frames_(frame_max) {}
  Status connect_next(std::string why);
  // False if it takes longer.
  Result<bool> finish_connecting(Deadline deadline);
  // False if the kernel does not take everything now.
  Result<bool> flush_some();
  Status flush(Deadline deadline);
  Status read_some(Deadline deadline);
  Status take_bytes(std::string_view bytes);
  Result<Frame> next_frame(Deadline deadline);
  Status last_words(std::string otherwise);
  Error farewell(const Frame& frame) const;
  std::unexpected<Error> lost(std::string what);

  Fd fd_;
  bool connecting_ = false;
  std::deque<SocketAddress> alternatives_;  // to try if this one fails
  std::string name_;                        // of the other end, for error texts
  std::string out_;                         // not yet sent: the hello, at first
  HelloReader hello_{HelloReader::Side::Server};
  FrameReader frames_;
  std::deque<Frame> ready_;
  std::string adopted_;  // came with adopt(), not yet looked at
  bool welcomed_ = false;
  bool refused_ = false;
  std::uint16_t version_ = 0;
  std::string server_cluster_;
  std::string cluster_;
  std::uint64_t last_correlation_ = 0;
};

}  // namespace ym
