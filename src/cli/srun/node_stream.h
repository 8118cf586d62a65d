// SPDX-License-Identifier: Apache-2.0
// The connection to one node of a step: never blocks once it is open, and is taken up again after
// it was lost.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/common/controller.h"
#include "net/address.h"
#include "net/frame.h"

namespace ym::cli {

class NodeStream {
 public:
  NodeStream(NodeAddress node, ResumeStream resume)
      : node_(std::move(node)), resume_(std::move(resume)) {}

  const std::string& node() const { return node_.name; }
  bool open() const { return static_cast<bool>(fd_); }
  bool over() const { return over_; }
  int fd() const { return fd_.get(); }
  bool wants_to_write() const { return !out_.empty(); }
  std::size_t unsent_bytes() const { return out_.size(); }

  // Connects and sends the first message.
  Status start(Controller& controller, const LaunchTasks& launch);
  // Connects again if it is time to; false if it is not, or did not work.
  bool try_resume(Controller& controller, Duration now);

  template <class Message>
  void send(const Message& message) {
    append_frame(out_, {.type = wire::message_number<Message>}, wire::encode(message));
    write();
  }
  void write();
  // Everything that has come. At a lost connection the stream is closed, and try_resume goes on
  // with it.
  std::vector<Frame> read();
  void set_over();
  Duration lost_at() const { return lost_at_; }

 private:
  void adopt(Client client);
  void lose();
  void confirm();

  NodeAddress node_;
  ResumeStream resume_;  // names the stream; `received` counts on
  Fd fd_;
  FrameReader frames_;
  std::vector<Frame> ready_;
  std::string out_;
  bool over_ = false;
  std::size_t unconfirmed_bytes_ = 0;
  Duration lost_at_{0}, next_try_{0}, pause_{100};
};

}  // namespace ym::cli
