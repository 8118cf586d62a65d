// SPDX-License-Identifier: Apache-2.0
// One segment of the journal as bytes: encode, decode, scan, and judge what a broken end means.
// Pure functions; FORMAT.md is the description for people. DO NOT CHANGE the layout without raising
// kSegmentVersion.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::uint32_t kSegmentVersion = 1;
inline constexpr std::size_t kSegmentHeaderBytes = 64;
inline constexpr std::size_t kRecordHeaderBytes = 24;
inline constexpr std::uint64_t kSeqMax = ~std::uint64_t{0};

struct SegmentHeader {
  std::uint64_t index = 0;      // counts up from file to file; the order of the log
  std::uint64_t first_seq = 0;  // everything before it was durable when this file was made
  // Records first_seq … durable_through were synced before the file got its name: whatever happens
  // in a crash, they are there. Always at least one record.
  std::uint64_t durable_through = 0;
  std::uint64_t cluster_id = 0;
};

std::string encode_segment_header(const SegmentHeader& header);
Result<SegmentHeader> decode_segment_header(std::string_view bytes);

struct RecordView {
  std::uint64_t seq = 0;
  std::uint32_t back = 0;  // records of the same group (one write, one sync) before this one
  std::string_view payload;
  std::size_t bytes = 0;  // on disk, header and padding included

  // Everything before this number was durable when the record was written.
  std::uint64_t group_first() const { return seq - back; }
};

std::size_t record_bytes(std::size_t payload_bytes);
void append_record(std::string& out, std::uint64_t seq, std::uint32_t back,
                   std::string_view payload);
// The record at `at`; nothing if what is there is no sound and complete record.
std::optional<RecordView> decode_record(std::string_view bytes, std::size_t at);

// Where a record can be found without reading from the segment's start.
struct SegmentMark {
  std::uint64_t seq = 0;
  std::uint64_t offset = 0;
};
inline constexpr std::uint64_t kMarkEveryBytes = 64 * 1024;

struct SegmentScan {
  std::uint64_t next_seq = 0;   // the first number not found
  std::size_t end = 0;          // where it should have been
  std::uint64_t group_seq = 0;  // the first record seen of the last group, and where it is
  std::size_t group_at = 0;
  std::uint64_t unreadable = 0;  // damaged records skipped because nobody wants them
  std::vector<SegmentMark> marks;
};
struct SegmentScanRequest {
  std::string_view bytes;
  std::uint64_t first_seq = 0;
  std::uint64_t until_seq = kSeqMax;  // the next segment begins here: nothing from here on counts
  std::uint64_t wanted_from =
      0;  // records before it are in the snapshot; damage among them is skipped
};
using RecordFn = std::function<Status(std::uint64_t seq, std::string_view payload)>;
// Gives the records from wanted_from on, in order, until one is missing. Fails only if `fn` does.
Result<SegmentScan> scan_segment(const SegmentScanRequest& request, const RecordFn& fn);

// What it means that record `missing_seq` is not at `offset` of the LAST segment.
enum class TailKind {
  Clean,    // nothing but zeros follow: the log simply ends here
  Torn,     // the last, unacknowledged group, cut by a crash
  Damaged,  // the record had been durable, and is no more
};
struct TailVerdict {
  TailKind kind = TailKind::Clean;
  std::uint64_t seen_seq = 0;  // Damaged: a sound record found later, 0 if none
};
struct TailQuestion {
  std::string_view bytes;
  std::size_t offset = 0;
  std::uint64_t missing_seq = 0;
  std::uint64_t durable_through = 0;
};
TailVerdict judge_tail(const TailQuestion& question);

}  // namespace ym
