// SPDX-License-Identifier: Apache-2.0
#include "shepherd/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "net/bytes.h"
#include "net/frame.h"

namespace ym {
namespace {

constexpr std::size_t kSpareMax = 3;
constexpr std::uint64_t kBlock = 4096;  // holes are punched in whole blocks

}  // namespace

std::size_t Replay::free_in_tail() const {
  if (segments_.empty() || !segments_.back().memory || segments_.back().stored) return 0;
  return segments_.back().size - segments_.back().used;
}

void Replay::push(std::uint16_t type, std::string_view payload) {
  YM_CHECK(payload.size() <= kFrameMax);
  std::size_t whole = payload.size() + kFrameHeaderSize;
  if (free_in_tail() < whole) open_segment(std::max(whole, kSegmentSize));
  Segment& tail = segments_.back();
  std::memcpy(tail.memory.get() + tail.used + kFrameHeaderSize, payload.data(), payload.size());
  end(type, payload.size());
}

std::span<char> Replay::begin() {
  if (free_in_tail() < kFrameHeaderSize + kMessageRoomMin) open_segment(kSegmentSize);
  Segment& tail = segments_.back();
  return {tail.memory.get() + tail.used + kFrameHeaderSize,
          tail.size - tail.used - kFrameHeaderSize};
}

void Replay::end(std::uint16_t type, std::size_t payload_size) {
  Segment& tail = segments_.back();
  YM_CHECK(tail.size - tail.used >= kFrameHeaderSize + payload_size);
  char* header = tail.memory.get() + tail.used;
  store_u32(header, static_cast<std::uint32_t>(payload_size));
  store_u16(header + 4, type);
  store_u16(header + 6, 0);
  store_u64(header + 8, ++last_);
  tail.used += kFrameHeaderSize + payload_size;
  unsent_ += kFrameHeaderSize + payload_size;
}

bool Replay::would_spill() const {
  if (free_in_tail() >= kFrameHeaderSize + kMessageRoomMin) return false;
  if (in_memory_ < kMemorySegments) return false;
  for (std::size_t n = 0; n < at_; ++n)
    if (segments_[n].memory && segments_[n].stored) return false;
  return true;
}

bool Replay::has_room() { return !would_spill() || spill_.takes(kSegmentSize); }

bool Replay::backlog_in_file() const {
  // The segments in the file that were not sent are together, ahead of the newest.
  for (std::size_t n = at_; n < segments_.size(); ++n)
    if (!segments_[n].memory) return true;
  return false;
}

Replay::Buffer Replay::take_buffer(std::size_t size) {
  ++in_memory_;
  if (size == kSegmentSize && !spare_.empty()) {
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  return std::make_unique_for_overwrite<char[]>(size);
}

void Replay::drop_memory(Segment& segment) {
  if (!segment.memory) return;
  --in_memory_;
  if (segment.size == kSegmentSize && spare_.size() < kSpareMax)
    spare_.push_back(std::move(segment.memory));
  segment.memory.reset();
}

void Replay::open_segment(std::size_t size) {
  if (in_memory_ >= kMemorySegments) make_place(segments_.size());
  segments_.push_back(
      {.first = last_ + 1, .position = next_position_, .size = size, .memory = take_buffer(size)});
  next_position_ += (size + kBlock - 1) / kBlock * kBlock;
  // Everything before it was sent: go on with it.
  if (unsent_ == 0) {
    at_ = segments_.size() - 1;
    offset_ = 0;
  }
}

// What was sent is needed only if the connection breaks, so it goes first; of the rest the newest,
// which is sent last.
void Replay::make_place(std::size_t end_index) {
  auto free_one = [&](std::size_t begin, std::size_t end, bool stored) {
    for (std::size_t n = begin; n < end; ++n) {
      Segment& one = segments_[n];
      if (!one.memory || one.stored != stored) continue;
      if (!stored && !to_file(one)) return false;
      drop_memory(one);
      return true;
    }
    return false;
  };
  if (free_one(0, at_, true) || free_one(0, at_, false)) return;
  for (std::size_t n = end_index; n-- > at_ + 1;) {
    Segment& one = segments_[n];
    if (!one.memory) continue;
    if (one.stored || to_file(one)) drop_memory(one);
    return;
  }
}

bool Replay::to_file(Segment& segment) {
  segment.stored = spill_.write(segment.position, {segment.memory.get(), segment.used});
  return segment.stored;
}

bool Replay::load(Segment& segment) {
  if (segment.memory) return true;
  // The newest is being filled.
  if (in_memory_ >= kMemorySegments) make_place(segments_.size() - 1);
  segment.memory = take_buffer(segment.size);
  if (spill_.read(segment.position, segment.memory.get(), segment.used)) return true;
  drop_memory(segment);
  return false;
}

// The disk does not give back what it was given.
void Replay::skip_lost(std::size_t index) {
  Segment& segment = segments_[index];
  std::uint64_t next = index + 1 < segments_.size() ? segments_[index + 1].first : last_ + 1;
  lost_ += next - segment.first;
  unsent_ -= segment.used - offset_;
  spill_.release(segment.position, segment.used);
  segment.stored = false;
  segment.used = 0;
  offset_ = 0;
}

std::uint64_t Replay::take_lost() { return std::exchange(lost_, 0); }

std::string_view Replay::pending() {
  while (unsent_ > 0) {
    if (offset_ == segments_[at_].used) {
      ++at_;
      offset_ = 0;
    } else if (load(segments_[at_])) {
      return {segments_[at_].memory.get() + offset_, segments_[at_].used - offset_};
    } else {
      skip_lost(at_);
    }
  }
  return {};
}

void Replay::sent(std::size_t bytes) {
  YM_CHECK(bytes <= unsent_);
  YM_CHECK(bytes == 0 || offset_ + bytes <= segments_[at_].used);
  offset_ += bytes;
  unsent_ -= bytes;
  sent_total_ += bytes;
}

void Replay::drop_front() {
  Segment& front = segments_.front();
  if (front.stored) spill_.release(front.position, front.used);
  drop_memory(front);
  segments_.pop_front();
  if (at_ > 0) --at_;
}

void Replay::confirm(std::uint64_t number) {
  // What was sent up to its end, and is followed by something.
  while (segments_.size() > 1 && segments_[1].first <= number + 1 &&
         (at_ > 0 || offset_ == segments_[0].used)) {
    if (at_ == 0) offset_ = 0;
    drop_front();
  }
  if (number >= last_ && unsent_ == 0) recycle_tail();
}

// Everything is confirmed: the newest segment begins afresh.
void Replay::recycle_tail() {
  if (segments_.size() != 1) return;
  Segment& tail = segments_.front();
  if (tail.stored || !tail.memory || tail.size != kSegmentSize) {
    drop_front();
  } else {
    tail.used = 0;
    tail.first = last_ + 1;
  }
  at_ = 0;
  offset_ = 0;
}

void Replay::rewind(std::uint64_t number) {
  number = std::min(number, last_);
  while (segments_.size() > 1 && segments_[1].first <= number + 1) drop_front();
  at_ = 0;
  offset_ = 0;
  unsent_ = 0;
  for (const Segment& segment : segments_) unsent_ += segment.used;
  if (segments_.empty() || segments_.front().used == 0) return;
  if (!load(segments_.front())) return skip_lost(0);
  const Segment& front = segments_.front();
  for (std::uint64_t at = front.first; at <= number && offset_ < front.used; ++at) {
    std::size_t whole = kFrameHeaderSize + load_u32(front.memory.get() + offset_);
    offset_ += whole;
    unsent_ -= whole;
  }
}

}  // namespace ym
