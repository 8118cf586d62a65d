// SPDX-License-Identifier: Apache-2.0
#include "store/journal_follower.h"

#include <algorithm>

#include "base/format.h"
#include "store/errc.h"
#include "store/layout.h"

namespace ym {
namespace {

constexpr std::size_t kReadBytes = 1024 * 1024;
constexpr std::size_t kReadBytesMax = 512 * 1024 * 1024;  // no record is longer

}  // namespace

Result<bool> JournalFollower::poll(const Replay& replay) {
  if (Status listed = list_segments(); !listed) return std::unexpected(listed.error());
  if (!begun_)
    if (Status ok = begin(replay); !ok) return std::unexpected(ok.error());
  begun_ = true;
  if (segments_.empty()) return false;
  std::uint64_t right = segment_of(next_);
  if (right == 0)
    return fail(store_errc::kPruned, fmt::format("record {} is no longer kept in {}", next_, dir_));
  if (right != index_) {  // what is held of the old one does not count
    index_ = right;
    offset_ = kSegmentHeaderBytes;
    read_seq_ = segments_.at(right).first_seq;
    held_.clear();
  }
  return read_on(replay);
}

Status JournalFollower::begin(const Replay& replay) {
  auto seqs = list_snapshots(disk_, dir_);
  if (!seqs && seqs.error().code == store_errc::kNotFound) return {};  // nobody has led yet
  if (!seqs) return std::unexpected(seqs.error());
  for (std::uint64_t seq : *seqs) {
    SnapshotFile file{
        .path = dir_ + "/" + snapshot_name(seq), .seq = seq, .cluster_id = cluster_id_};
    Status sound = read_snapshot(disk_, file, [](std::string_view) { return Status(); });
    if (!sound) continue;
    if (replay.snapshot)
      if (Status ok = replay.snapshot(seq); !ok) return ok;
    next_ = seq + 1;
    return read_snapshot(disk_, file, [&](std::string_view chunk) {
      return replay.chunk ? replay.chunk(chunk) : Status();
    });
  }
  return {};
}

// Headers never change, so each is read once. One that cannot be read is just being made, or gone.
Status JournalFollower::list_segments() {
  auto names = disk_.list(dir_);
  if (!names) {
    if (names.error().code == store_errc::kNotFound) return {};
    return std::unexpected(names.error());
  }
  std::map<std::uint64_t, Known> now;
  for (const std::string& name : *names) {
    auto index = parse_segment_name(name);
    if (!index) continue;
    if (auto known = segments_.find(*index); known != segments_.end()) {
      now.insert(*known);
      continue;
    }
    auto file = disk_.open(dir_ + "/" + name, DiskOpen::Read);
    if (!file) continue;
    auto bytes = (*file)->read(0, kSegmentHeaderBytes);
    if (!bytes) continue;
    auto header = decode_segment_header(*bytes);
    if (!header && header.error().code == store_errc::kFuture)
      return fail(store_errc::kFuture, fmt::format("{} {}", name, header.error().text));
    if (header && header->index == *index) now[*index] = {.first_seq = header->first_seq};
  }
  segments_ = std::move(now);
  return {};
}

std::uint64_t JournalFollower::segment_of(std::uint64_t seq) const {
  for (auto it = segments_.rbegin(); it != segments_.rend(); ++it)
    if (it->second.first_seq <= seq) return it->first;
  return 0;
}

// Where a later segment begins, this one ends: the first record that does not count here.
std::uint64_t JournalFollower::end_of(std::uint64_t index) const {
  std::uint64_t end = kSeqMax;
  for (auto it = segments_.upper_bound(index); it != segments_.end(); ++it)
    end = std::min(end, it->second.first_seq);
  return end;
}

Result<bool> JournalFollower::read_on(const Replay& replay) {
  auto file = disk_.open(dir_ + "/" + segment_name(index_), DiskOpen::Read);
  if (!file) {
    if (file.error().code == store_errc::kNotFound) return true;  // pruned just now: look again
    return std::unexpected(file.error());
  }
  std::uint64_t end = end_of(index_);
  std::size_t want = kReadBytes;
  auto bytes = (*file)->read(offset_, want);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() >= kRecordHeaderBytes) {  // a long record may need more
    std::size_t needed = record_bytes(layout::get<std::uint32_t>(*bytes, 4));
    if (needed > bytes->size() && needed <= kReadBytesMax) {
      bytes = (*file)->read(offset_, needed);
      if (!bytes) return std::unexpected(bytes.error());
    }
  }
  std::size_t at = 0;
  bool found = false;
  while (read_seq_ < end) {
    auto record = decode_record(*bytes, at);
    if (!record || record->seq != read_seq_) break;
    if (Status ok = give_held(std::min(record->group_first(), end), replay); !ok)
      return std::unexpected(ok.error());
    if (read_seq_ >= next_) held_.emplace(read_seq_, record->payload);
    ++read_seq_;
    at += record->bytes;
    found = true;
  }
  offset_ += at;
  if (end != kSeqMax && read_seq_ >= end) {
    if (Status ok = give_held(end, replay); !ok) return std::unexpected(ok.error());
    return true;  // the next segment follows
  }
  return found;
}

// Records before `before` count.
Status JournalFollower::give_held(std::uint64_t before, const Replay& replay) {
  while (!held_.empty() && held_.begin()->first < before) {
    if (replay.record)
      if (Status ok = replay.record(held_.begin()->first, held_.begin()->second); !ok) return ok;
    next_ = held_.begin()->first + 1;
    held_.erase(held_.begin());
  }
  return {};
}

}  // namespace ym
