// SPDX-License-Identifier: Apache-2.0
// Those who joined a step while it runs (sattach): they get what is said from now on.
//
// Each has a queue of its own. One that does not read is cut off when that is full: nobody who only
// listens slows a task down, nor takes a byte from srun.
#pragma once
#include <poll.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/step_messages.h"
#include "net/address.h"
#include "net/frame.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace ym {

inline constexpr std::size_t kListenersMax = 16;
inline constexpr std::size_t kListenerQueueMax = 1 << 20;

class Listeners {
 public:
  struct Wish {
    std::uint32_t task = 0xffffffff;  // 0xffffffff: every task
    bool input = false;               // what it sends goes to the tasks
  };
  // One more, greeted. With too many of them already the connection is closed with a word.
  void add(Fd fd, Wish wish, const StepAttached& greeting, std::string_view residual);
  std::size_t size() const { return all_.size(); }

  void output(std::uint32_t task, StreamKind stream, std::string_view data, bool end);
  template <class T>
  void tell(const T& message) {
    if (!all_.empty()) tell(wire::message_number<T>, wire::encode(message));
  }

  pollfd watched(std::size_t index) const;
  // Reads and writes what is possible. The frames for the tasks, if it may send any.
  std::vector<Frame> serve(std::size_t index);
  // Forgets those who are gone. Numbers change.
  void sweep();
  // The step is over: what is queued leaves within a moment, or not at all.
  void finish();

 private:
  struct One {
    Fd fd;
    Wish wish;
    FrameReader frames{};
    std::vector<Frame> early;
    std::string out;
  };
  void tell(std::uint16_t type, std::string_view payload);
  static void queue(One& one, std::uint16_t type, std::string_view payload);
  static void write(One& one);

  std::vector<One> all_;
};

}  // namespace ym
