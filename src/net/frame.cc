// SPDX-License-Identifier: Apache-2.0
#include "net/frame.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "net/bytes.h"

namespace ym {

void append_frame(std::string& out, FrameHeader header, std::string_view payload) {
  YM_CHECK(payload.size() <= kFrameMax);
  std::array<char, kFrameHeaderSize> bytes;
  store_u32(&bytes[0], static_cast<std::uint32_t>(payload.size()));
  store_u16(&bytes[4], header.type);
  store_u16(&bytes[6], header.flags);
  store_u64(&bytes[8], header.correlation);
  out.append(bytes.data(), bytes.size());
  out.append(payload);
}

// The header is whole: learn what it says.
Status FrameReader::open_frame() {
  std::uint32_t length = load_u32(&header_[0]);
  current_.header = {.type = load_u16(&header_[4]),
                     .flags = load_u16(&header_[6]),
                     .correlation = load_u64(&header_[8])};
  if (length > payload_max_) {
    error_ = fmt::format("a message of {} bytes is above the limit of {}", length, payload_max_);
    return fail(error_);
  }
  payload_want_ = length;
  return {};
}

Status FrameReader::feed(std::string_view bytes, std::vector<Frame>& out) {
  if (!error_.empty()) return fail(error_);
  if (bytes.empty()) return {};  // perhaps of nothing at all, which memcpy must not be given
  for (;;) {
    if (header_have_ < kFrameHeaderSize) {
      std::size_t n = std::min(bytes.size(), kFrameHeaderSize - header_have_);
      std::memcpy(header_.data() + header_have_, bytes.data(), n);
      header_have_ += n;
      bytes.remove_prefix(n);
      if (header_have_ < kFrameHeaderSize) return {};
      if (Status opened = open_frame(); !opened) return opened;
    }
    std::size_t n = std::min(bytes.size(), payload_want_ - current_.payload.size());
    current_.payload.append(bytes.data(), n);
    bytes.remove_prefix(n);
    if (current_.payload.size() < payload_want_) return {};
    out.push_back(std::move(current_));
    current_ = {};
    header_have_ = 0;
    if (bytes.empty()) return {};
  }
}

std::string FrameReader::residual() const {
  std::string bytes(header_.data(), header_have_);
  bytes += current_.payload;
  return bytes;
}

std::string encode_error(const Error& error) {
  std::string payload(4, '\0');
  store_u32(payload.data(), error.code);
  payload.append(error.text, 0, kErrorTextMax);
  return payload;
}

Error decode_error(std::string_view payload) {
  if (payload.size() < 4) return {.code = 0, .text = "the other side refused without a reason"};
  return {.code = load_u32(payload.data()), .text = std::string(payload.substr(4, kErrorTextMax))};
}

}  // namespace ym
