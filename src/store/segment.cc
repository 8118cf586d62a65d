// SPDX-License-Identifier: Apache-2.0
#include "store/segment.h"

#include <algorithm>

#include "base/check.h"
#include "base/crc32c.h"
#include "base/format.h"
#include "store/errc.h"
#include "store/layout.h"

namespace ym {
namespace {

using layout::get;
using layout::put;

constexpr std::string_view kMagic = "YMJOURNL";
constexpr std::size_t kSectorBytes = 512;  // what a device writes wholly or not at all
// A crafted payload could make every offset look like the head of a long record; beyond this many
// bytes checksummed (times the size of the segment) the search gives up and calls the segment
// damaged.
constexpr std::size_t kSearchEffortMax = 64;

bool all_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == 0; });
}

// Whether a lost sector can explain that [from, to) is not sound although records of the same write
// follow it: the file held zeros before, so a sector that never arrived ends in zeros. Its last
// bytes are enough to look at, because a first attempt at the same write may have left the
// beginning of the sector.
bool has_lost_sector(std::string_view bytes, std::size_t from, std::size_t to) {
  constexpr std::size_t kLookAt = 16;
  while (from < to) {
    std::size_t next = std::min((from / kSectorBytes + 1) * kSectorBytes, to);
    std::size_t look_from = next - from > kLookAt ? next - kLookAt : from;
    if (all_zero(bytes.substr(look_from, next - look_from))) return true;
    from = next;
  }
  return false;
}

struct RecordHead {
  std::uint32_t crc, length;
  std::uint64_t seq;
  std::uint32_t back, reserved;
};

std::optional<RecordHead> plausible_head(std::string_view bytes, std::size_t at) {
  if (at > bytes.size() || bytes.size() - at < kRecordHeaderBytes) return std::nullopt;
  RecordHead head{.crc = get<std::uint32_t>(bytes, at),
                  .length = get<std::uint32_t>(bytes, at + 4),
                  .seq = get<std::uint64_t>(bytes, at + 8),
                  .back = get<std::uint32_t>(bytes, at + 16),
                  .reserved = get<std::uint32_t>(bytes, at + 20)};
  if (head.seq == 0 || head.seq == kSeqMax) return std::nullopt;
  if (head.back >= head.seq || head.reserved != 0) return std::nullopt;
  if (head.length > bytes.size() - at - kRecordHeaderBytes) return std::nullopt;
  return head;
}

struct Found {
  RecordView record;
  std::size_t at = 0;
};

// The first sound record at or after `at` whose number is at most `seq_max`. `effort` is what may
// still be checksummed.
std::optional<Found> find_record(std::string_view bytes, std::size_t at, std::uint64_t seq_max,
                                 std::size_t& effort) {
  for (; at + kRecordHeaderBytes <= bytes.size(); at += 8) {
    auto head = plausible_head(bytes, at);
    if (!head || head->seq > seq_max) continue;
    if (head->length + kRecordHeaderBytes > effort) {
      effort = 0;
      return std::nullopt;
    }
    effort -= head->length + kRecordHeaderBytes;
    if (auto record = decode_record(bytes, at)) return Found{.record = *record, .at = at};
  }
  return std::nullopt;
}

std::size_t full_effort(std::string_view bytes) { return bytes.size() * kSearchEffortMax; }

}  // namespace

std::string encode_segment_header(const SegmentHeader& header) {
  YM_CHECK(header.first_seq > 0);
  YM_CHECK(header.durable_through >= header.first_seq);
  std::string bytes(kSegmentHeaderBytes, '\0');
  layout::put_preamble(bytes, kMagic, kSegmentVersion);
  put(bytes, 16, header.index);
  put(bytes, 24, header.first_seq);
  put(bytes, 32, header.durable_through);
  put(bytes, 40, header.cluster_id);
  put(bytes, 60, crc32c(std::string_view(bytes).substr(16, 44)));
  return bytes;
}

Result<SegmentHeader> decode_segment_header(std::string_view bytes) {
  if (auto ok = layout::check_preamble(bytes, kMagic, kSegmentVersion); !ok) {
    return std::unexpected(ok.error());
  }
  if (bytes.size() < kSegmentHeaderBytes) {
    return fail(store_errc::kCorrupt, "is too short for a header");
  }
  if (get<std::uint32_t>(bytes, 60) != crc32c(bytes.substr(16, 44))) {
    return fail(store_errc::kCorrupt, "has a header with a wrong checksum");
  }
  SegmentHeader header{.index = get<std::uint64_t>(bytes, 16),
                       .first_seq = get<std::uint64_t>(bytes, 24),
                       .durable_through = get<std::uint64_t>(bytes, 32),
                       .cluster_id = get<std::uint64_t>(bytes, 40)};
  if (header.first_seq == 0 || header.durable_through < header.first_seq ||
      header.durable_through == kSeqMax) {
    return fail(store_errc::kCorrupt, "has a header that makes no sense");
  }
  return header;
}

std::size_t record_bytes(std::size_t payload_bytes) {
  return layout::padded(kRecordHeaderBytes + payload_bytes);
}

void append_record(std::string& out, std::uint64_t seq, std::uint32_t back,
                   std::string_view payload) {
  YM_CHECK(payload.size() <= 0xffffffff);
  std::size_t at = out.size();
  out.resize(at + kRecordHeaderBytes);
  put(out, at + 4, static_cast<std::uint32_t>(payload.size()));
  put(out, at + 8, seq);
  put(out, at + 16, back);
  put(out, at + 20, std::uint32_t{0});
  out.append(payload);
  put(out, at, crc32c(std::string_view(out).substr(at + 4)));
  out.resize(at + record_bytes(payload.size()));
}

std::optional<RecordView> decode_record(std::string_view bytes, std::size_t at) {
  auto head = plausible_head(bytes, at);
  if (!head) return std::nullopt;
  if (head->crc != crc32c(bytes.substr(at + 4, kRecordHeaderBytes - 4 + head->length))) {
    return std::nullopt;
  }
  return RecordView{.seq = head->seq,
                    .back = head->back,
                    .payload = bytes.substr(at + kRecordHeaderBytes, head->length),
                    .bytes = std::min(record_bytes(head->length), bytes.size() - at)};
}

Result<SegmentScan> scan_segment(const SegmentScanRequest& request, const RecordFn& fn) {
  SegmentScan scan{.next_seq = request.first_seq, .end = kSegmentHeaderBytes};
  std::string_view bytes = request.bytes;
  while (scan.next_seq < request.until_seq) {
    auto record = decode_record(bytes, scan.end);
    if (!record || record->seq != scan.next_seq) {
      if (scan.next_seq >= request.wanted_from) break;
      // Damage below the snapshot costs nothing but this part of the feed: go on behind it, if the
      // log does.
      std::size_t effort = full_effort(bytes);
      auto found = find_record(bytes, scan.end, request.wanted_from, effort);
      if (!found || found->record.seq <= scan.next_seq) break;
      scan.unreadable += found->record.seq - scan.next_seq;
      scan.next_seq = found->record.seq;
      scan.end = found->at;
      continue;
    }
    if (scan.group_seq == 0 || record->back == 0 || record->group_first() > scan.group_seq) {
      scan.group_seq = record->seq;
      scan.group_at = scan.end;
    }
    if (scan.marks.empty() || scan.end - scan.marks.back().offset >= kMarkEveryBytes) {
      scan.marks.push_back({.seq = record->seq, .offset = scan.end});
    }
    if (record->seq >= request.wanted_from) {
      if (auto ok = fn(record->seq, record->payload); !ok) return std::unexpected(ok.error());
    }
    scan.end += record->bytes;
    ++scan.next_seq;
  }
  return scan;
}

// At most one group is ever between write and sync, and each record says which group it came with.
// So:
//   - a sound record of a LATER group proves that the missing one had been durable: damage;
//   - a sound record of the SAME group proves nothing, as the device may write the pages of one
//   write in any order;
//     but then a whole sector must be missing. If none is, bits have changed: damage;
//   - no sound record at all: a cut write.
TailVerdict judge_tail(const TailQuestion& question) {
  std::string_view bytes = question.bytes;
  std::size_t effort = full_effort(bytes);
  std::size_t start = std::min(question.offset, bytes.size());
  bool empty = all_zero(bytes.substr(start));
  bool promised = question.missing_seq <= question.durable_through;
  if (empty) return {.kind = promised ? TailKind::Damaged : TailKind::Clean};

  std::uint64_t seq_max = question.missing_seq + (bytes.size() - start) / kRecordHeaderBytes + 1;
  bool first = true;
  for (std::size_t at = start;;) {
    auto found = find_record(bytes, at, seq_max, effort);
    if (!found) break;
    const RecordView& record = found->record;
    bool same_group =
        record.seq > question.missing_seq && record.group_first() <= question.missing_seq;
    bool torn = same_group && (!first || has_lost_sector(bytes, start, found->at));
    if (!torn || promised) return {.kind = TailKind::Damaged, .seen_seq = record.seq};
    first = false;
    at = found->at + layout::padded(record.bytes);
  }
  if (effort == 0 || promised) return {.kind = TailKind::Damaged};
  return {.kind = TailKind::Torn};
}

}  // namespace ym
