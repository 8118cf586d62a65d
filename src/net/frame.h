// SPDX-License-Identifier: Apache-2.0
// Frames: what every connection carries. Pure helpers, no I/O; payloads are opaque bytes.
//
// On the wire, little-endian, DO NOT CHANGE:
//   u32 payload length | u16 message type | u16 flags | u64 correlation id | payload
//
// Invariants of FrameReader: (1) it never holds more than one unfinished frame beside the finished
// ones of the bytes just fed; (2) memory grows with bytes that came, never with a length that was
// merely claimed; (3) after an error it takes nothing more.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kFrameHeaderSize = 16;
inline constexpr std::uint32_t kFrameMax = 64u << 20;         // payload of an authenticated peer
inline constexpr std::uint32_t kFrameMaxUnknown = 16u << 10;  // payload before authentication

// Types below kFirstMessageType belong to net/ itself (HANDSHAKE.md); the message schema numbers
// its own from there.
inline constexpr std::uint16_t kFirstMessageType = 16;
enum class NetType : std::uint16_t { Hello = 1, Welcome = 2, Error = 3, Ping = 4, Pong = 5 };

struct FrameHeader {
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  // Chosen by the asker, repeated in the answer. 0 in frames that answer nothing.
  std::uint64_t correlation = 0;
  bool operator==(const FrameHeader&) const = default;
};

struct Frame {
  FrameHeader header;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

// REQUIRES: payload.size() <= kFrameMax.
void append_frame(std::string& out, FrameHeader header, std::string_view payload);

class FrameReader {
 public:
  explicit FrameReader(std::uint32_t payload_max = kFrameMax) : payload_max_(payload_max) {}

  // Takes `bytes` and appends every frame that they complete to `out`. An error (a frame above the
  // limit) is final: the frames before it are in `out`, and the same error comes back from every
  // later call.
  Status feed(std::string_view bytes, std::vector<Frame>& out);
  // The bytes of the unfinished frame, as they came: for handing the connection to somebody else.
  std::string residual() const;
  bool in_frame() const { return header_have_ > 0; }

 private:
  Status open_frame();

  std::uint32_t payload_max_;
  std::array<char, kFrameHeaderSize> header_{};
  std::size_t header_have_ = 0;
  std::size_t payload_want_ = 0;  // valid once the header is whole
  Frame current_;
  std::string error_;
};

inline constexpr std::size_t kErrorTextMax = 4096;
// Payload of a NetType::Error frame: u32 code, then the text, cut at kErrorTextMax.
std::string encode_error(const Error& error);
Error decode_error(std::string_view payload);

}  // namespace ym
