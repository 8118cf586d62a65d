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
// received: a call costs one round trip in all. TLS costs one more before that. Without a
// certificate to believe, where only the welcome's proof tells who the server is, nothing but the
// hello leaves before that proof has been checked.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "net/address.h"
#include "net/channel.h"
#include "net/deadline.h"
#include "net/frame.h"
#include "net/handshake.h"
#include "net/tls.h"
#include "net/token.h"

namespace ym {

// Frames that may wait inside a Client while a call looks for its own answer.
inline constexpr std::size_t kReadyMax = 100000;

struct ClientOptions {
  std::string cluster;  // refuse to talk to another cluster; empty: any
  std::string token;    // needed on TCP
  // Instead: made for the channel (its binding; empty without TLS).
  std::function<Result<std::string>(std::string_view binding)> make_token = {};
  // Whether the server's proof holds for our token on this channel; asked on TCP only.
  std::function<Status(const Greeting& greeting, std::string_view proof)> check_proof = {};
  std::shared_ptr<const TlsContext> tls = {};  // over TCP; null: plain
  std::string tls_name = {};                   // of the server, in its certificate
  std::string tls_ticket = {};                 // a file; TlsContext::open
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
  bool has_buffered() const {
    return !ready_.empty() || !adopted_.empty() || channel_.has_pending();
  }

  int fd() const { return channel_.fd(); }
  const Channel& channel() const { return channel_; }
  std::uint16_t version() const { return version_; }
  const std::string& server_cluster() const { return server_cluster_; }

  struct Released {
    Channel channel;       // non-blocking
    std::string residual;  // read from it, not yet taken as frames
  };
  // REQUIRES: the handshake is finished (after finish_handshake, or any receive or call).
  Released release();

 private:
  explicit Client(Fd fd, std::uint32_t frame_max) : channel_(std::move(fd)), frames_(frame_max) {}
  static Result<Client> prepare(const Address& address, const ClientOptions& options);
  Status connect_next(std::string why);
  // False if it takes longer.
  Result<bool> finish_connecting(Deadline deadline);
  Status begin_greeting();
  Result<bool> finish_tls(Deadline deadline);
  Status greet();
  Status welcome();
  // False if the kernel does not take everything now.
  Result<bool> flush_some();
  Status flush(Deadline deadline);
  Status read_some(Deadline deadline);
  Status take_bytes(std::string_view bytes);
  Result<Frame> next_frame(Deadline deadline);
  Status last_words(std::string otherwise);
  Error farewell(const Frame& frame) const;
  std::unexpected<Error> lost(std::string what);

  // Over the network only; cleared when the hello is made.
  struct Proving {
    std::function<Result<std::string>(std::string_view)> make_token;
    std::function<Status(const Greeting&, std::string_view)> check_proof;
    std::shared_ptr<const TlsContext> tls;
    std::string tls_name, tls_ticket;
  };

  Channel channel_;
  Proving proving_;
  bool unix_ = false;
  bool greeted_ = false;     // the hello is in out_, or has left
  bool meeting_ = false;     // TLS is not established yet
  short meeting_wants_ = 0;  // for poll(2)
  VersionRange versions_;
  std::string token_;
  bool connecting_ = false;
  std::deque<SocketAddress> alternatives_;  // to try if this one fails
  std::string name_;                        // of the other end, for error texts
  std::string out_;                         // not yet sent: the hello, at first
  std::string held_;                        // must not leave before the server has proved itself
  bool holding_ = false;
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
