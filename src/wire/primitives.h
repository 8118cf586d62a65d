// SPDX-License-Identifier: Apache-2.0
// The ground floor of protobuf's wire format: varints, keys, length-delimited runs.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ym::wire {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

inline void put_varint(std::string& out, std::uint64_t value) {
  char buffer[10];
  std::size_t used = 0;
  while (value >= 0x80) {
    buffer[used++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  buffer[used++] = static_cast<char>(value);
  out.append(buffer, used);
}

inline void put_key(std::string& out, std::uint32_t number, WireType type) {
  put_varint(out, std::uint64_t{number} << 3 | static_cast<std::uint8_t>(type));
}

inline std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
inline std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// A cursor over bytes. A failed read sets `failed` and returns zero; callers look once, at the end
// of a loop.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool done() const { return at_ >= bytes_.size() || failed_; }
  bool failed() const { return failed_; }
  std::size_t at() const { return at_; }
  std::size_t size() const { return bytes_.size(); }
  void fail() { failed_ = true; }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ >= bytes_.size()) break;
      auto byte = static_cast<std::uint8_t>(bytes_[at_++]);
      if (shift == 63 && byte > 1) break;  // more than 64 bits
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }

  std::string_view run() {
    std::uint64_t length = varint();
    if (failed_ || length > bytes_.size() - at_) {
      failed_ = true;
      return {};
    }
    std::string_view out = bytes_.substr(at_, length);
    at_ += length;
    return out;
  }

  void skip(WireType type) {
    switch (type) {
      case WireType::Varint: varint(); return;
      case WireType::Bytes: run(); return;
      case WireType::Fixed64: advance(8); return;
      case WireType::Fixed32: advance(4); return;
    }
    failed_ = true;
  }

 private:
  void advance(std::size_t count) {
    if (count > bytes_.size() - at_)
      failed_ = true;
    else
      at_ += count;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace ym::wire
