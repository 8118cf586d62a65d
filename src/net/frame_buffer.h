// SPDX-License-Identifier: Apache-2.0
// Frames as views into the buffer that a socket was read into: for those who read much and keep
// little. Pure, no I/O. FrameReader (frame.h) is for those who keep what they read.
//
// Invariant: memory grows with the largest frame that came, at most to frame_max, and never before
// its bytes do by more than double.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "net/frame.h"

namespace ym {

struct FrameView {
  FrameHeader header;
  std::string_view payload;  // until the buffer's next room()
};

class FrameBuffer {
 public:
  explicit FrameBuffer(std::uint32_t payload_max = kFrameMax) : payload_max_(payload_max) {}

  // Where to read to; never empty. Just what a large frame still lacks, so that little has to be
  // moved, else as much as there is.
  std::span<char> room();
  void filled(std::size_t bytes);
  void feed(std::string_view bytes);
  // The next whole frame, if there is one. An error (a frame above the limit) is final.
  Result<std::optional<FrameView>> next();
  void clear() { begin_ = end_ = 0; }

 private:
  std::size_t have() const { return end_ - begin_; }
  // Of the frame at begin_, with its header; 0 as long as that is not there.
  std::size_t whole() const;

  std::uint32_t payload_max_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace ym
