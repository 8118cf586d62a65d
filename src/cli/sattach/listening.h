// SPDX-License-Identifier: Apache-2.0
// The connections of a sattach, to its end.
#pragma once
#include <poll.h>
#include <termios.h>

#include <string>
#include <vector>

#include "cli/common/controller.h"
#include "cli/sattach/sattach.h"
#include "cli/srun/exits.h"
#include "cli/srun/output.h"
#include "net/channel.h"
#include "net/frame_buffer.h"

namespace ym::cli {

class Listening {
 public:
  Listening(Controller& controller, const SattachSettings& settings, const StepRow& row);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

  // Until every node has said that the step is over. The exit code: the highest of the tasks.
  int run();

 private:
  struct Node {
    std::string name;
    Channel channel;
    FrameBuffer frames;
    std::string out;
  };
  Status attach(const NodeAddress& address);
  void poll_once();
  void read(Node& node);
  void handle(Node& node, const FrameView& frame);
  void read_input();
  void tell_window();
  template <class Message>
  void send(Node& node, const Message& message);
  static void write(Node& node);
  bool any_open() const;
  void lose(Node& node, const std::string& why);

  Controller& controller_;
  const SattachSettings& settings_;
  const StepRow& row_;
  TaskExits exits_;
  OutputSplitter splitter_;
  std::vector<Node> nodes_;
  Fd signals_;
  bool input_over_ = false;
  int failure_code_ = 0;
  bool raw_ = false;
  termios before_{};
};

}  // namespace ym::cli
