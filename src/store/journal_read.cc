// SPDX-License-Identifier: Apache-2.0
// Reading the log while it runs: the event feed.
#include <algorithm>

#include "base/format.h"
#include "store/errc.h"
#include "store/journal.h"
#include "store/layout.h"

namespace ym {
namespace {

constexpr std::size_t kWindowBytes = 256 * 1024;

// A segment seen through a moving window.
class Window {
 public:
  Window(DiskFile& file, std::uint64_t offset) : file_(file), offset_(offset) {}

  std::uint64_t offset() const { return offset_ + at_; }

  // The record at offset(); nothing if there is no sound one.
  Result<std::optional<RecordView>> peek() {
    if (auto ok = ensure(kRecordHeaderBytes); !ok) return std::unexpected(ok.error());
    if (buffer_.size() - at_ < kRecordHeaderBytes) return std::nullopt;
    std::size_t length = layout::get<std::uint32_t>(buffer_, at_ + 4);
    if (auto ok = ensure(record_bytes(length)); !ok) return std::unexpected(ok.error());
    return decode_record(buffer_, at_);
  }
  void skip(std::size_t bytes) { at_ += bytes; }

 private:
  Status ensure(std::size_t bytes) {
    if (buffer_.size() - at_ >= bytes || at_end_) return {};
    offset_ += at_;
    at_ = 0;
    auto more = file_.read(offset_, std::max(bytes, kWindowBytes));
    if (!more) return std::unexpected(more.error());
    at_end_ = more->size() < std::max(bytes, kWindowBytes);
    buffer_ = std::move(*more);
    return {};
  }

  DiskFile& file_;
  std::string buffer_;
  std::uint64_t offset_;  // of buffer_ in the file
  std::size_t at_ = 0;    // in buffer_
  bool at_end_ = false;
};

}  // namespace

Result<std::uint64_t> Journal::read_from(std::uint64_t seq, std::uint64_t bytes_max,
                                         const FeedFn& fn) {
  if (seq > durable_seq_ + 1) {
    return fail(fmt::format("record {} does not exist yet, the last one is {}", seq, durable_seq_));
  }
  if (seq < oldest_seq()) {
    return fail(
        store_errc::kPruned,
        fmt::format("record {} is no longer kept (pruned), the oldest is {}", seq, oldest_seq()));
  }
  // The last segment that begins at or before `seq`: of several that begin alike, only the last one
  // counts.
  auto after = std::ranges::upper_bound(segments_, seq, {}, &Segment::first_seq);
  std::uint64_t left = bytes_max;
  for (auto segment = after - (after == segments_.begin() ? 0 : 1);
       segment != segments_.end() && seq <= durable_seq_; ++segment) {
    if (segment->end_seq <= seq) continue;
    if (segment->first_seq > seq) {
      return fail(store_errc::kCorrupt,
                  fmt::format("records {} to {} are missing from the journal in {}", seq,
                              segment->first_seq - 1, dir_));
    }
    auto next = read_segment(*segment, seq, left, fn);
    if (!next) return next;
    seq = *next;
    if (seq < segment->end_seq) return seq;
  }
  return seq;
}

// `bytes_left` counts down to 0, at which the reader has had enough.
Result<std::uint64_t> Journal::read_segment(Segment& segment, std::uint64_t seq,
                                            std::uint64_t& bytes_left, const FeedFn& fn) {
  auto file = disk_.open(path_of(segment.index), DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  auto mark = std::ranges::upper_bound(segment.marks, seq, {}, &SegmentMark::seq);
  SegmentMark from{.seq = segment.first_seq, .offset = kSegmentHeaderBytes};
  if (mark != segment.marks.begin()) from = *(mark - 1);
  Window window(**file, from.offset);
  for (std::uint64_t at = from.seq; at < segment.end_seq; ++at) {
    auto record = window.peek();
    if (!record) return std::unexpected(record.error());
    if (!*record || (*record)->seq != at) {
      return fail(store_errc::kCorrupt,
                  fmt::format("{} is damaged at offset {}: record {} cannot be read",
                              path_of(segment.index), window.offset(), at));
    }
    // Segments that recovery had no need to scan learn their marks here.
    if (segment.marks.empty() ||
        (segment.marks.back().seq < at &&
         window.offset() - segment.marks.back().offset >= kMarkEveryBytes)) {
      segment.marks.push_back({.seq = at, .offset = window.offset()});
    }
    if (at >= seq) {
      if (bytes_left == 0) return at;
      fn(at, (*record)->payload);
      bytes_left -= std::min<std::uint64_t>(bytes_left, (*record)->bytes);
    }
    window.skip((*record)->bytes);
  }
  return segment.end_seq;
}

}  // namespace ym
