// SPDX-License-Identifier: Apache-2.0
// One connection of a Server, from its hello to its end. Everything on its loop's thread, except
// stream().enqueue.
//
//   Greeting ──hello good──► Open ──detach──► Detaching ──flushed──► Gone
//      │ refused               │ close, damage     │ broken
//      └────────► Closing ◄────┘                   └──► Gone
//                    └── the other side ended, or the linger deadline ──► Gone
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/deadline.h"
#include "net/secure_relay.h"
#include "net/server_core.h"
#include "net/stream.h"

namespace ym {

class ServerConnection : public StreamOwner, public std::enable_shared_from_this<ServerConnection> {
 public:
  // Starts reading. On failure the socket is closed and nothing was counted.
  static Result<std::shared_ptr<ServerConnection>> create(std::shared_ptr<ServerCore> core,
                                                          Loop& loop, ConnectionId id,
                                                          Accepted accepted);
  // Constant after create; enqueue may be called from any thread.
  Stream& stream() { return *stream_; }
  ConnectionId id() const { return id_; }
  // Whose it is, once it is open.
  std::uint32_t uid() const { return peer_.uid; }

  void close(const std::string& reason);
  void pause() { stream_->pause(); }
  void resume();
  void detach(std::function<void(Result<Detached>)> done);
  // Something has come, and it is this user's turn.
  void read_turn();
  // There is room for more of an answer: says so to the handlers.
  void go_on();
  // Others wait at the door. One that has said hello meanwhile stays.
  void make_room();
  // Ends what has overstayed its deadline. False if there is none to look at any more.
  bool check_deadlines();
  // The server stops: on_close if open, then silence.
  void shut(const std::string& reason);

 private:
  enum class State { Greeting, Open, Closing, Detaching, Gone };

  ServerConnection(std::shared_ptr<ServerCore> core, ConnectionId id, Accepted&& accepted);
  void on_bytes(std::string_view bytes) override;
  void on_room() override;
  void on_flushed() override;
  void on_end(const std::string& reason) override;
  bool reads_at_once() override;

  void greet(std::string_view bytes);
  // What the hello proves by itself; nothing: its token must be authenticated.
  Result<std::optional<Peer>> judge(const ClientHello& hello);
  Result<Peer> authenticated(Result<Peer> peer) const;
  void authenticate_aside();
  void welcome(Result<Peer> peer);
  void refuse(const Error& error);
  void take_frames(std::string_view bytes);
  // Sees to a message that has come in part.
  Status note_unfinished(std::size_t came, bool is_new);
  void answer_net_frames(std::vector<Frame>& frames);
  void linger(std::string_view last_bytes);
  void overstayed(Duration idle);
  void leave();
  Result<Fd> hand_over();

  const std::shared_ptr<ServerCore> core_;
  const ConnectionId id_;
  std::shared_ptr<Stream> stream_;
  State state_ = State::Greeting;
  bool known_ = false;
  // While it is being authenticated beside us: whether somebody still wants to know.
  std::shared_ptr<std::atomic<bool>> wanted_;
  std::uint16_t version_ = 0;
  bool waits_in_turn_ = false;  // as all do but the cluster's own and those who are unknown yet
  bool wants_turn_ = false;
  bool active_ = false;  // something came since the last look at the deadline
  Deadline deadline_;
  Deadline message_deadline_;  // for the message that is coming to be whole
  Admission::Place place_;
  std::size_t unfinished_ = 0;  // bytes of that message, about
  Peer peer_;
  HelloReader hello_{HelloReader::Side::Client};
  FrameReader frames_;
  std::string held_;  // came with the hello, held back because on_open paused
  std::function<void(Result<Detached>)> detached_;
};

}  // namespace ym
