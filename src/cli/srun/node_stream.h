// SPDX-License-Identifier: Apache-2.0
// The connection to one node of a step: never blocks once it is open, and is taken up again after
// it was lost, in both directions without a gap.
//
// What the node says is numbered by the node, and confirmed when it has been written out. What we
// say is numbered here and kept until the node confirms it; after a loss everything unconfirmed is
// said again, and the node passes over what it knows.
#pragma once
#include <poll.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/controller.h"
#include "net/channel.h"
#include "net/frame_buffer.h"

namespace ym::cli {

// Of what the node has not confirmed; beyond it no input is read for that node.
inline constexpr std::size_t kInputWindow = 256 << 10;

class NodeStream {
 public:
  // A node that vanishes without a word is noticed after `patience`.
  NodeStream(NodeAddress node, ResumeStream resume, Duration patience)
      : node_(std::move(node)), resume_(std::move(resume)), patience_(patience) {}

  const std::string& node() const { return node_.name; }
  bool open() const { return static_cast<bool>(channel_); }
  bool over() const { return over_; }
  bool joining() const { return joining_.has_value(); }
  // For poll(2); -1 while there is nothing to wait for.
  int fd() const { return joining_ ? joining_->fd() : channel_.fd(); }
  short wanted() const;
  bool takes_input() const { return open() && live_ && kept_bytes_ < kInputWindow; }

  // Begins to connect, with the launch as the first message; join() goes on with it. Never waits,
  // so that many nodes are asked at once.
  Status start(Controller& controller, const LaunchTasks& launch);
  // The same for a launch that goes down the tree: the stream waits for it at the node.
  Status attach(Controller& controller);
  // join() has something to say, whatever poll(2) says: the node answered while its launch was
  // still being sent, or has not answered in time.
  bool due(Duration now) const {
    if (!joining_) return false;
    return now >= join_until_ || (joining_->welcomed() && joining_->wanted() == POLLIN);
  }
  // True when the stream is open, or was.
  Result<bool> join(Duration now);
  // The tree says that the launch has arrived. Until then a lost connection is not taken up again.
  void set_launched() {
    launched_ = true;
    resume_.await_launch = false;
  }
  bool launched() const { return launched_; }
  // The launch went on its own connection, not down a tree.
  bool direct() const { return direct_; }
  // It was open once.
  bool joined() const { return joined_; }
  // Gives the attempt to join up; try_resume goes on when it was launched.
  void stop_joining();
  // Begins to connect again if it is time to; join() goes on with it.
  void try_resume(Controller& controller, Duration now);

  template <class Message>
  void send(const Message& message) {
    std::string frame;
    append_frame(frame, {.type = wire::message_number<Message>, .correlation = ++last_},
                 wire::encode(message));
    keep(std::move(frame));
  }
  void write();
  // Gives what has come to `take`, a whole frame at a time. At a lost connection the stream is
  // closed, and try_resume goes on with it.
  template <class Take>
  void read(Take&& take) {
    take_frames(take);  // The handshake may have left some.
    // poll(2) does not see what TLS has received already: none of it may stay.
    for (std::size_t n = 0; (n < kReadAtOnce || channel_.has_pending()) && receive(); ++n)
      take_frames(take);
    confirm();
  }
  void set_over();
  Duration lost_at() const { return lost_at_; }

 private:
  static constexpr std::size_t kReadAtOnce = 16;

  template <class Message>
  Status begin(Controller& controller, const Message& first);
  void adopt(Client client);
  void keep(std::string frame);
  // False if there was nothing to read.
  bool receive();
  // Takes note of a frame before others see it; false if it is only about the stream.
  bool note(const FrameView& frame);
  void lose();
  void confirm();
  template <class Take>
  void take_frames(Take&& take) {
    while (!over_) {
      auto frame = frames_.next();
      if (!frame) return lose();
      if (!*frame) return;
      if (note(**frame)) take(**frame);
    }
  }

  NodeAddress node_;
  ResumeStream resume_;  // names the stream; `received` counts on
  Duration patience_;
  std::optional<Client> joining_;
  Duration join_until_{0};
  bool launched_ = false;
  bool direct_ = false;  // the launch went on the first connection
  bool joined_ = false;
  Channel channel_;
  FrameBuffer frames_;
  std::string out_;
  bool live_ = false;             // the node's end has answered on this connection
  std::deque<std::string> kept_;  // frames with numbers up to last_
  std::size_t kept_bytes_ = 0;
  std::uint64_t last_ = 0;
  bool over_ = false;
  std::size_t unconfirmed_bytes_ = 0;
  Duration lost_at_{0}, next_try_{0}, pause_{100};
};

}  // namespace ym::cli
