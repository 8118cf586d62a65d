// SPDX-License-Identifier: Apache-2.0
// Accepts, authenticates and serves framed connections on a few network threads.
//
// Thread rule: send, close, pause, resume, detach may be called from any thread, inside handlers
// too. Handlers of one connection run on one network thread, in the order open, frames…, close;
// those of different connections run at the same time if there are several threads. Handlers must
// not block or throw.
//
// Invariants: (1) on_open comes only after authentication; (2) on_close comes exactly once for each
// on_open, and nothing of that connection after it; (3) a connection never holds more than
// outgoing_max bytes and one frame of unsent output, nor more than one unfinished frame of input.
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
#include "net/admission.h"
#include "net/frame.h"
#include "net/handshake.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/tls.h"

namespace ym {

struct ServerHandlers {
  std::function<void(ConnectionId, const Peer&)> on_open;
  // Everything that one read completed; never empty.
  std::function<void(ConnectionId, const Peer&, std::vector<Frame>)> on_frames;
  std::function<void(ConnectionId, const std::string& reason)> on_close;
  // A send that was refused as Full may be tried again: less than half of its limit is waiting
  // now.
  std::function<void(ConnectionId)> on_writable;
};

struct ServerOptions {
  std::string cluster;        // told to clients; a client that means another is refused
  Authenticate authenticate;  // without it every TCP client is refused
  // Authenticating this token may block: it is done beside the network threads (net/aside.h).
  std::function<bool(std::string_view token)> may_block = {};
  Prove prove = {};  // without it the server proves nothing
  // Asked for each connection over TCP, on any network thread: what it may begin with.
  std::function<std::shared_ptr<const TlsContext>()> tls = {};
  bool tls_required = false;  // over the network nothing is taken without
  // After which a peer of a connection that was handed over is taken for gone (SecureRelay).
  Duration relay_silence{std::chrono::seconds(60)};
  int threads = 1;
  VersionRange versions = kVersions;
  std::uint32_t frame_max = kFrameMax;
  std::size_t outgoing_max = 2 * std::size_t{kFrameMax};
  std::size_t connections_max = 20000;
  Duration handshake_deadline{std::chrono::seconds(10)};
  Duration idle_deadline{0};  // cut a connection that sent nothing for so long; 0: never
  Duration linger_deadline{
      std::chrono::seconds(1)};    // for the other side to read why it is being closed
  AdmissionLimits admission = {};  // within shares_of(connections_max)
  // Whose connections are not limited: root's on a Unix socket if nobody says otherwise.
  std::function<bool(const Peer&)> trusted = {};
};

enum class SendResult : std::uint8_t { Sent, Full, Gone };
enum class WhenFull : std::uint8_t {
  Cut,     // a reader so slow is cut off
  Refuse,  // the frame is not taken; on_writable tells when to go on
};

// A connection that left its server. Everything sent before has been written.
struct Detached {
  // Blocking, close-on-exec; now the receiver's. Of a connection with TLS it is a local socket that
  // the server carries on, as long as it lives (net/secure_relay.h).
  int fd = -1;
  Peer peer;
  std::string residual;  // input that was read but not delivered as frames
};

class Server {
 public:
  Server(ServerOptions options, ServerHandlers handlers);
  // In somebody's loop instead of threads of its own. Then constructor, destructor, listen_* and
  // stop are for the loop's thread (or for the time when it does not run).
  Server(ServerOptions options, ServerHandlers handlers, Loop& loop);
  ~Server();  // stop()
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // A dead server's socket is replaced; a live one's, and what is no socket, is refused. The file
  // has `mode`, and never a wider one. `path`.lock stays locked as long as we listen.
  Status listen_unix(const std::string& path, unsigned mode);
  // The port listened on; port 0 lets the kernel choose. `host` numeric, "localhost", or "*" for
  // every address.
  Result<std::uint16_t> listen_tcp(const std::string& host, std::uint16_t port);
  // Nothing is accepted any more, every connection is closed (on_close is called), threads are
  // joined. Not for handlers.
  void stop();

  // `limit` of what may be waiting, if it is to be less than outgoing_max: an answer of many frames
  // that leaves in small portions begins to arrive at once, and lets others have their turn.
  SendResult send(ConnectionId to, FrameHeader header, std::string_view payload,
                  WhenFull when_full = WhenFull::Cut, std::size_t limit = SIZE_MAX);
  // For a frame that somebody waits for, and that no other one follows to the same connection.
  SendResult send_now(ConnectionId to, FrameHeader header, std::string_view payload);
  // The refusal of one request: Client::call returns it as its error.
  SendResult send_error(ConnectionId to, std::uint64_t correlation, const Error& error);
  // What was sent before still leaves, then an Error frame with `reason`, unless that is empty.
  void close(ConnectionId connection, std::string reason);
  // No reading until resume; that the other side ended is not noticed meanwhile either. Called
  // within on_frames, no further frames are delivered after that batch.
  void pause(ConnectionId connection);
  void resume(ConnectionId connection);
  // Stops reading at once, writes what is waiting, then gives the socket away; on_close is not
  // called. Frames of a batch already delivered are the handler's: put them before `residual`
  // (append_frame) if they go along. Called within on_frames nothing is read in between; from
  // elsewhere, pause first. If the connection breaks before, on_close is called as ever and `done`
  // gets an error. `done` runs on the network thread.
  void detach(ConnectionId connection, std::function<void(Result<Detached>)> done);

  std::size_t connection_count() const;
  // Network thread 0's, for timers that belong to this server: post to it.
  Loop& loop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ym
