// SPDX-License-Identifier: Apache-2.0
#include "net/frame_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/format.h"
#include "net/bytes.h"

namespace ym {
namespace {

constexpr std::size_t kFirstSize = 256 << 10;
constexpr std::size_t kLarge = 16 << 10;

}  // namespace

std::size_t FrameBuffer::whole() const {
  if (have() < kFrameHeaderSize) return 0;
  return kFrameHeaderSize + load_u32(bytes_.get() + begin_);
}

std::span<char> FrameBuffer::room() {
  std::size_t held = have();
  if (!bytes_) {
    size_ = kFirstSize;
    bytes_ = std::make_unique_for_overwrite<char[]>(size_);
  } else if (begin_ > 0) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, held);
  }
  begin_ = 0;
  end_ = held;
  if (end_ == size_) {
    std::size_t larger = size_ * 2;
    auto grown = std::make_unique_for_overwrite<char[]>(larger);
    std::memcpy(grown.get(), bytes_.get(), held);
    bytes_ = std::move(grown);
    size_ = larger;
  }
  std::span<char> all(bytes_.get() + end_, size_ - end_);
  std::size_t lacking = whole() > held ? whole() - held : 0;
  if (lacking < kLarge) return all;
  return all.first(std::min(all.size(), lacking + kFrameHeaderSize));
}

void FrameBuffer::filled(std::size_t bytes) {
  YM_CHECK(bytes <= size_ - end_);
  end_ += bytes;
}

void FrameBuffer::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    std::span<char> to = room();
    std::size_t n = std::min(to.size(), bytes.size());
    std::memcpy(to.data(), bytes.data(), n);
    filled(n);
    bytes.remove_prefix(n);
  }
}

Result<std::optional<FrameView>> FrameBuffer::next() {
  std::size_t size = whole();
  if (size > kFrameHeaderSize + payload_max_)
    return fail(fmt::format("a message of {} bytes is above the limit of {}",
                            size - kFrameHeaderSize, payload_max_));
  if (size == 0 || have() < size) return std::optional<FrameView>();
  const char* at = bytes_.get() + begin_;
  begin_ += size;
  return FrameView{.header = {.type = load_u16(at + 4),
                              .flags = load_u16(at + 6),
                              .correlation = load_u64(at + 8)},
                   .payload = {at + kFrameHeaderSize, size - kFrameHeaderSize}};
}

}  // namespace ym
