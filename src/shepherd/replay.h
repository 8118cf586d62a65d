// SPDX-License-Identifier: Apache-2.0
// The messages toward srun, numbered from 1, kept until srun says that it has written them out, so
// that a slow reader loses nothing and a lost connection can be taken up again.
//
// Messages lie whole in segments of kSegmentSize (one that is larger has a segment of its own). Of
// these kMemorySegments are in memory; beyond that the ones that are needed last go to a nameless
// file (spill.h).
//
// Invariants: (1) nothing is given up before it is confirmed, sent or not, unless the disk fails
// (take_lost); (2) memory is bounded by kMemorySegments, a message pushed although has_room() said
// no, and 64 bytes for each segment in the file.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shepherd/spill.h"

namespace ym {

inline constexpr std::size_t kSegmentSize = 128 << 10;
inline constexpr std::size_t kMemorySegments = 8;
// Less room than this in a segment, and the next message opens another one.
inline constexpr std::size_t kMessageRoomMin = 8 << 10;

class Replay {
 public:
  // Without a folder there is no file.
  explicit Replay(std::string folder = {}, std::uint64_t spill_max = kSpillMax)
      : spill_(std::move(folder), spill_max) {}

  // Frames the payload, with the message's number as correlation. Never fails; ask has_room()
  // before pushing much.
  void push(std::uint16_t type, std::string_view payload);
  // The same without a copy: room for the payload of one message, at least kMessageRoomMin, and
  // then how much of it there is. Nothing else in between.
  std::span<char> begin();
  void end(std::uint16_t type, std::size_t payload_size);

  // For another message of kMessageRoomMin, in memory or in the file.
  bool has_room();
  // The next message of kMessageRoomMin would send something to the file.
  bool would_spill() const;
  // Something that was not sent yet is in the file only.
  bool backlog_in_file() const;

  // What to write next; empty if everything was sent. Many messages, or the rest of one.
  std::string_view pending();
  void sent(std::size_t bytes);
  bool all_sent() const { return unsent_ == 0; }
  bool all_confirmed() const {
    return segments_.empty() || (segments_.size() == 1 && segments_[0].used == 0);
  }
  std::uint64_t unsent_bytes() const { return unsent_; }
  std::uint64_t sent_total() const { return sent_total_; }
  std::size_t memory_segments() const { return in_memory_; }
  std::uint64_t file_bytes() const { return spill_.used(); }

  // The other side has everything up to this number.
  void confirm(std::uint64_t number);
  // A new connection, whose other side has everything up to this number.
  void rewind(std::uint64_t number);
  // The number of the newest message.
  std::uint64_t last() const { return last_; }
  // Messages that a failing disk has cost since this was last asked.
  std::uint64_t take_lost();

 private:
  using Buffer = std::unique_ptr<char[]>;
  struct Segment {
    std::uint64_t first = 0;     // number of its first message
    std::uint64_t position = 0;  // its place in the file
    std::size_t used = 0, size = 0;
    Buffer memory;        // empty: it is in the file only
    bool stored = false;  // the file has it
  };

  bool is_sent(std::size_t index) const { return index < at_; }
  std::size_t free_in_tail() const;
  void open_segment(std::size_t size);
  Buffer take_buffer(std::size_t size);
  void drop_memory(Segment& segment);
  void drop_front();
  // Makes place in memory for one more segment, if the file helps: one of those before `end_index`
  // leaves.
  void make_place(std::size_t end_index);
  bool to_file(Segment& segment);
  bool load(Segment& segment);
  void skip_lost(std::size_t index);
  void recycle_tail();

  SpillFile spill_;
  std::deque<Segment> segments_;  // the last one is being filled
  std::size_t at_ = 0;            // the segment being sent
  std::size_t offset_ = 0;        // what of it was sent
  std::uint64_t unsent_ = 0;      // bytes from there on
  std::uint64_t sent_total_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t next_position_ = 0;
  std::size_t in_memory_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<Buffer> spare_;  // of kSegmentSize
};

}  // namespace ym
