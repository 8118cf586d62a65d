// SPDX-License-Identifier: Apache-2.0
// The messages toward srun, numbered from 1, kept until srun says that it has them, so that a lost
// connection can be taken up again.
//
// Invariants: (1) what was not sent yet is never given up; (2) of what was sent but not confirmed
// at most kRetainedMax bytes are kept, the oldest are given up first: an srun that never confirms
// costs no memory, but may find a gap when it comes back.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace ym {

inline constexpr std::size_t kRetainedMax = 1 << 20;

class Replay {
 public:
  // Frames the payload, with the message's number as correlation.
  void push(std::uint16_t type, std::string_view payload);

  // What to write next; empty if everything was sent. At most one message, whole or the rest of it.
  std::string_view pending() const;
  void sent(std::size_t bytes);
  bool all_sent() const { return at_ == messages_.size(); }
  std::size_t unsent_bytes() const { return unsent_; }

  // The other side has everything up to this number.
  void confirm(std::uint64_t number);
  // A new connection, whose other side has everything up to this number. The messages that are gone
  // beyond recall.
  std::uint64_t rewind(std::uint64_t number);
  // The number of the newest message.
  std::uint64_t last() const { return first_ + messages_.size() - 1; }

 private:
  void drop_front();
  void trim();

  std::deque<std::string> messages_;
  std::uint64_t first_ = 1;   // number of messages_.front()
  std::size_t at_ = 0;        // index of the message being sent
  std::size_t offset_ = 0;    // what of it was sent
  std::size_t unsent_ = 0;    // bytes from there on
  std::size_t retained_ = 0;  // bytes of the messages before at_
};

}  // namespace ym
