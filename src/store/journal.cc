// SPDX-License-Identifier: Apache-2.0
// The running journal: append, commit, prune. Recovery is in journal_recovery.cc, reading in
// journal_read.cc.
#include "store/journal.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr std::string_view kPrefix = "journal-";
constexpr std::string_view kSuffix = ".seg";
constexpr std::size_t kGroupBytesKept = 1024 * 1024;  // of the buffer's memory, after a large group

}  // namespace

std::string segment_name(std::uint64_t index) {
  return fmt::format("{}{:010}{}", kPrefix, index, kSuffix);
}

std::optional<std::uint64_t> parse_segment_name(std::string_view name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  if (name.size() < kPrefix.size() + kSuffix.size() + 10) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  auto index = parse_u64(name);
  // One spelling per number, or two files would claim the same place; and room to count on.
  if (!index || *index == 0 || *index >= kSeqMax / 2) return std::nullopt;
  if (name.size() > 10 && name.front() == '0') return std::nullopt;
  return index;
}

Journal::Journal(Disk& disk, std::string dir, const JournalOptions& options,
                 std::unique_ptr<DiskLock> lock)
    : disk_(disk), dir_(std::move(dir)), options_(options), lock_(std::move(lock)) {}

Journal::~Journal() = default;

std::string Journal::path_of(std::uint64_t index) const { return dir_ + "/" + segment_name(index); }

// Each epoch has its own: whoever is late must not take the file of whoever leads now.
std::string Journal::spare_path() const {
  return options_.epoch == 0 ? dir_ + "/next.tmp"
                             : fmt::format("{}/next-{}.tmp", dir_, options_.epoch);
}

std::uint64_t Journal::oldest_seq() const {
  return segments_.empty() ? durable_seq_ + 1 : segments_.front().first_seq;
}

Result<std::uint64_t> Journal::append(std::span<const std::string_view> payloads) {
  std::uint64_t bytes = 0;
  for (std::string_view payload : payloads) {
    if (payload.size() > options_.record_bytes_max) {
      return fail(store_errc::kTooBig,
                  fmt::format("a journal record of {} bytes is more than the {} allowed",
                              payload.size(), options_.record_bytes_max));
    }
    bytes += record_bytes(payload.size());
  }
  if (group_.size() + bytes > options_.pending_bytes_max) {
    return fail(store_errc::kTooBig,
                fmt::format("{} bytes wait for the journal already, no more than {} may",
                            group_.size(), options_.pending_bytes_max));
  }
  std::uint64_t first = next_seq_;
  for (std::string_view payload : payloads) {
    if (group_marks_.empty() || group_.size() - group_marks_.back().offset >= kMarkEveryBytes) {
      group_marks_.push_back({.seq = next_seq_, .offset = group_.size()});
    }
    std::uint64_t back = next_seq_ - durable_seq_ - 1;
    append_record(group_, next_seq_, static_cast<std::uint32_t>(back), payload);
    ++next_seq_;
  }
  return first;
}

Status Journal::commit() {
  if (fenced_) return std::unexpected(*failure_);
  if (group_.empty()) return {};
  bool fits = active_.file && active_.trusted && active_.used + group_.size() <= active_.size;
  Status done = fits ? write_in_active() : write_in_new_segment();
  if (!done) {
    failure_ = done.error();
    return done;
  }
  failure_.reset();
  return {};
}

// What was written and synced before the fence was still ours is in whatever a successor reads, as
// it raises the fence first and reads then. If it was not ours any more, nobody may count on it.
Status Journal::check_fence() {
  if (!options_.fence) return {};
  Status ours = options_.fence();
  fenced_ = !ours && ours.error().code == store_errc::kFenced;
  return ours;
}

Status Journal::write_in_active() {
  // A failed WRITE leaves at worst a part of these very bytes behind the durable end. The next
  // attempt begins with the same bytes at the same place, and needs no space that this file does
  // not have already.
  if (auto wrote = active_.file->write(active_.used, group_); !wrote) return wrote;
  if (auto synced = active_.file->sync(); !synced) {
    // After a failed SYNC the kernel may have thrown the pages away and marked them clean: another
    // sync would succeed without writing them. Nothing in this file behind `used` can be trusted
    // again, not even after a successful sync. The segment ends here (invariant 3), and the group
    // goes to a new one.
    active_.trusted = false;
    return synced;
  }
  if (auto ours = check_fence(); !ours) {
    active_.trusted = false;
    return ours;
  }
  std::uint64_t at = active_.used;
  active_.used += group_.size();
  note_durable(at);
  return {};
}

// The group becomes the first of a new segment, under a temporary name until it is synced there.
// This order makes invariant 2 true, and lets the new segment replace the end of the old one
// (invariant 3) in one atomic step.
Status Journal::write_in_new_segment() {
  std::uint64_t needed = kSegmentHeaderBytes + group_.size();
  if (auto filled = fill_new_segment(needed); !filled) {
    drop_spare();
    return filled;
  }
  std::uint64_t index = next_index_++;
  std::string path = path_of(index);
  if (auto named = disk_.rename(spare_path(), path); !named) {
    drop_spare();
    return named;
  }
  if (auto synced = disk_.sync_dir(dir_); !synced) {
    // The name may or may not survive a crash. Either is right: the file holds a prefix of the
    // pending group, and the next attempt, under a higher index, begins with the same record and so
    // replaces it.
    spare_ = {};
    [[maybe_unused]] auto ignored = disk_.unlink(path);
    return synced;
  }
  if (auto ours = check_fence(); !ours) {
    spare_ = {};
    return ours;
  }
  std::uint64_t first_seq = durable_seq_ + 1;
  YM_CHECK(segments_.empty() || segments_.back().end_seq <= first_seq);
  segments_.push_back({.index = index, .first_seq = first_seq, .end_seq = first_seq, .marks = {}});
  std::uint64_t size = std::max(spare_.zeroed, needed);
  active_ = {.file = std::move(spare_.file), .size = size, .used = needed, .trusted = true};
  spare_ = {};
  note_durable(kSegmentHeaderBytes);
  return {};
}

Status Journal::fill_new_segment(std::uint64_t bytes_needed) {
  // Who has just taken over is waited for, and may not lead for long: little is zeroed in advance.
  bool first = options_.epoch != 0 && next_index_ == first_index_of(options_.epoch);
  std::uint64_t size =
      std::max(bytes_needed, first ? options_.segment_bytes / 16 : options_.segment_bytes);
  if (auto zeroed = zero_spare(size, bytes_needed); !zeroed) return zeroed;
  SegmentHeader header{.index = next_index_,
                       .first_seq = durable_seq_ + 1,
                       .durable_through = next_seq_ - 1,
                       .cluster_id = options_.cluster_id};
  if (auto wrote = spare_.file->write(0, encode_segment_header(header)); !wrote) return wrote;
  if (auto wrote = spare_.file->write(kSegmentHeaderBytes, group_); !wrote) return wrote;
  return spare_.file->sync();
}

// Zeros up to `size`; if the disk is full, whatever it still takes, as long as that is
// `bytes_needed`.
Status Journal::zero_spare(std::uint64_t size, std::uint64_t bytes_needed) {
  if (!spare_.file) {
    auto file = disk_.open(spare_path(), DiskOpen::Create);
    if (!file) return std::unexpected(file.error());
    spare_ = {.file = std::move(*file), .zeroed = 0, .synced = false};
  }
  if (spare_.zeroed >= size) return {};
  auto wrote = spare_.file->write_zeros(spare_.zeroed, size - spare_.zeroed);
  if (wrote) {
    spare_.zeroed = size;
    return {};
  }
  if (wrote.error().code != store_errc::kNoSpace) return wrote;
  auto reached = spare_.file->size();
  if (!reached || *reached < bytes_needed) return wrote;
  spare_.zeroed = *reached;
  return {};
}

void Journal::drop_spare() {
  spare_ = {};
  [[maybe_unused]] auto ignored = disk_.unlink(spare_path());
}

void Journal::note_durable(std::uint64_t group_offset) {
  Segment& segment = segments_.back();
  YM_CHECK(segment.end_seq == durable_seq_ + 1);
  for (SegmentMark mark : group_marks_) {
    mark.offset += group_offset;
    if (segment.marks.empty() || mark.offset - segment.marks.back().offset >= kMarkEveryBytes) {
      segment.marks.push_back(mark);
    }
  }
  segment.end_seq = next_seq_;
  durable_seq_ = next_seq_ - 1;
  group_marks_.clear();
  group_.clear();
  if (group_.capacity() > kGroupBytesKept) group_ = {};
}

Result<bool> Journal::prepare_next(std::uint64_t bytes) {
  std::uint64_t size = options_.segment_bytes;
  if (spare_.synced && spare_.zeroed >= size) return true;
  if (spare_.zeroed < size) {
    std::uint64_t part = spare_.zeroed + std::min(bytes, size - spare_.zeroed);
    if (auto zeroed = zero_spare(part, part); !zeroed) return std::unexpected(zeroed.error());
    if (spare_.zeroed < size) return false;
  }
  if (auto synced = spare_.file->sync(); !synced) {
    drop_spare();
    return std::unexpected(synced.error());
  }
  spare_.synced = true;
  return true;
}

Result<std::size_t> Journal::prune(std::uint64_t keep_from) {
  auto snapshots = list_snapshots(disk_, dir_);
  if (!snapshots) return std::unexpected(snapshots.error());
  if (snapshots->empty()) return 0;
  std::uint64_t oldest = snapshots->at(std::min(snapshots->size(), kSnapshotsKept) - 1);
  keep_from = std::min(keep_from, oldest + 1);
  // A snapshot that is listed may have a name that no crash survives: its writer's sync of the
  // directory may have failed.
  bool some = segments_.size() > 1 && segments_.front().end_seq <= keep_from;
  if (some)
    if (auto synced = disk_.sync_dir(dir_); !synced) return std::unexpected(synced.error());
  std::size_t gone = 0;
  // One by one and oldest first, each removal durable before the next: a crash never leaves a hole
  // in the log.
  while (segments_.size() > 1 && segments_.front().end_seq <= keep_from) {
    auto removed = disk_.unlink(path_of(segments_.front().index));
    if (!removed && removed.error().code != store_errc::kNotFound) {
      return std::unexpected(removed.error());
    }
    if (auto synced = disk_.sync_dir(dir_); !synced) return std::unexpected(synced.error());
    segments_.erase(segments_.begin());
    ++gone;
  }
  return gone;
}

}  // namespace ym
