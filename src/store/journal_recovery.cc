// SPDX-License-Identifier: Apache-2.0
#include "store/journal_recovery.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "store/errc.h"

namespace ym {
namespace {

// No segment is larger than a group of pending_bytes_max or segment_bytes; more is not one of ours.
constexpr std::uint64_t kSegmentFileBytesMax = std::uint64_t{4} * 1024 * 1024 * 1024;

constexpr std::size_t kZerosLookedFor = 64 * 1024;

bool refuses_always(const Error& error) {
  return error.code == store_errc::kFuture || error.code == store_errc::kWrongOwner;
}

}  // namespace

Result<Recovered> Journal::open(Disk& disk, const std::string& dir, const JournalOptions& options,
                                const Replay& replay) {
  return JournalRecovery(disk, dir, options, replay).run();
}

Result<Recovered> JournalRecovery::run() {
  if (auto made = disk_.make_dir(dir_); !made) return std::unexpected(made.error());
  std::unique_ptr<DiskLock> held;
  if (options_.epoch == 0) {
    auto lock = disk_.lock(dir_ + "/lock");
    if (!lock) return std::unexpected(lock.error());
    held = std::move(*lock);
  }
  result_.journal.reset(new Journal(disk_, dir_, options_, std::move(held)));
  if (auto listed = list_files(); !listed) return std::unexpected(listed.error());
  if (auto loaded = load_snapshot(); !loaded) return std::unexpected(loaded.error());
  if (auto replayed = replay_segments(); !replayed) return std::unexpected(replayed.error());
  if (auto ready = make_ready(); !ready) return std::unexpected(ready.error());
  return std::move(result_);
}

// Also removes what an interrupted writer left: a temporary file never holds anything acknowledged.
Status JournalRecovery::list_files() {
  auto names = disk_.list(dir_);
  if (!names) return std::unexpected(names.error());
  std::uint64_t index_max = 0;
  for (const std::string& name : *names) {
    std::string path = dir_ + "/" + name;
    if (name == "next.tmp" ||
        (name.ends_with(".tmp") && (name.starts_with("snapshot-") || name.starts_with("journal-") ||
                                    name.starts_with("next-")))) {
      // A predecessor that is only late may just be giving it its name.
      auto removed = disk_.unlink(path);
      if (!removed && removed.error().code != store_errc::kNotFound) return removed;
      continue;
    }
    // Files set aside keep their numbers, so that no later one can be mistaken for them.
    std::string plain = name.substr(0, name.find(".damaged"));
    auto index = parse_segment_name(plain);
    if (!index) continue;
    index_max = std::max(index_max, *index);
    if (plain != name) continue;
    found_.push_back({.index = *index, .path = path, .header = {}, .problem = {}});
    if (auto read = read_header(found_.back()); !read) return read;
  }
  std::ranges::sort(found_, {}, &Found::index);
  result_.journal->next_index_ = std::max(index_max + 1, first_index_of(options_.epoch));
  return drop_superseded();
}

// A leader that was late has made a segment after its successor had begun: nothing in it counts.
Status JournalRecovery::drop_superseded() {
  std::optional<SegmentHeader> after;
  for (std::size_t i = found_.size(); i > 0; --i) {
    const Found& found = found_[i - 1];
    if (!found.header) continue;
    if (after && found.header->first_seq >= after->first_seq &&
        epoch_of_index(found.index) < epoch_of_index(after->index)) {
      auto removed = disk_.unlink(found.path);
      if (!removed && removed.error().code != store_errc::kNotFound) return removed;
      found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(i - 1));
      continue;
    }
    after = found.header;
  }
  return {};
}

Status JournalRecovery::read_header(Found& found) {
  auto file = disk_.open(found.path, DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  auto bytes = (*file)->read(0, kSegmentHeaderBytes);
  if (!bytes) return std::unexpected(bytes.error());
  auto header = decode_segment_header(*bytes);
  if (!header) {
    if (refuses_always(header.error())) {
      return fail(header.error().code, fmt::format("{} {}", found.path, header.error().text));
    }
    found.problem = header.error().text;
    return {};
  }
  if (header->cluster_id != options_.cluster_id) {
    return fail(
        store_errc::kWrongOwner,
        fmt::format(
            "{} belongs to cluster {}, not to {}: this is another cluster's state directory",
            found.path, header->cluster_id, options_.cluster_id));
  }
  if (header->index != found.index) {
    found.problem = fmt::format("is segment {} under another one's name", header->index);
    return {};
  }
  found.header = *header;
  return {};
}

Status JournalRecovery::load_snapshot() {
  if (options_.known_seq > 0) {
    result_.snapshot_seq = options_.known_seq;
    next_seq_ = options_.known_seq + 1;
    return {};
  }
  auto seqs = list_snapshots(disk_, dir_);
  if (!seqs) return std::unexpected(seqs.error());
  for (std::uint64_t seq : *seqs) {
    SnapshotFile file{
        .path = dir_ + "/" + snapshot_name(seq), .seq = seq, .cluster_id = options_.cluster_id};
    // Verified to the end before the first chunk is handed out: there is no taking back.
    Status sound = read_snapshot(disk_, file, [](std::string_view) { return Status(); });
    if (sound) return deliver_snapshot(file);
    if (refuses_always(sound.error())) return sound;
    result_.warnings.push_back(sound.error().text + "; trying an older one");
  }
  return {};
}

Status JournalRecovery::deliver_snapshot(const SnapshotFile& file) {
  result_.snapshot_seq = file.seq;
  next_seq_ = file.seq + 1;
  if (replay_.snapshot) {
    if (auto begun = replay_.snapshot(file.seq); !begun) return begun;
  }
  return read_snapshot(disk_, file, [&](std::string_view chunk) {
    return replay_.chunk ? replay_.chunk(chunk) : Status();
  });
}

// The last segment that begins at or before the first record wanted. Nothing before it need be
// read.
std::optional<std::size_t> JournalRecovery::choose_start() const {
  for (std::size_t i = found_.size(); i > 0; --i) {
    const auto& header = found_[i - 1].header;
    if (header && header->first_seq <= next_seq_) return i - 1;
  }
  return std::nullopt;
}

Status JournalRecovery::replay_segments() {
  if (found_.empty()) return {};
  auto start = choose_start();
  if (!start) {
    Damage damage{.segment = 0, .offset = 0, .seq = next_seq_, .what = found_[0].problem};
    if (found_[0].header) {
      damage.seen_seq = found_[0].header->first_seq;
      damage.what = fmt::format("begins at record {}, so that records from {} on are missing",
                                damage.seen_seq, next_seq_);
    }
    return answer_damage(damage);
  }
  // Segments before the start are kept for the feed alone.
  std::vector<Found> kept;
  for (std::size_t i = 0; i < *start; ++i) {
    if (found_[i].header) {
      kept.push_back(found_[i]);
    } else {
      result_.warnings.push_back(fmt::format("{} {}; all its records are in the snapshot, ignoring",
                                             found_[i].path, found_[i].problem));
    }
  }
  std::size_t first = kept.size();
  kept.insert(kept.end(), found_.begin() + static_cast<std::ptrdiff_t>(*start), found_.end());
  found_ = std::move(kept);

  auto& segments = result_.journal->segments_;
  for (std::size_t i = 0; i < first; ++i) {
    std::uint64_t end = found_[i + 1].header->first_seq;
    segments.push_back({.index = found_[i].index,
                        .first_seq = found_[i].header->first_seq,
                        .end_seq = std::max(end, found_[i].header->first_seq),
                        .marks = {}});
    note_overlong(found_[i], end);
  }
  for (std::size_t i = first; i < found_.size(); ++i) {
    auto damage = replay_one(i);
    if (!damage) return std::unexpected(damage.error());
    if (*damage) return answer_damage(**damage);
  }
  return {};
}

Result<std::optional<JournalRecovery::Damage>> JournalRecovery::replay_one(std::size_t at) {
  const Found& found = found_[at];
  if (!found.header) {
    return Damage{.segment = at, .offset = 0, .seq = next_seq_, .what = found.problem};
  }
  const Found* next = at + 1 < found_.size() ? &found_[at + 1] : nullptr;
  std::uint64_t until = next && next->header ? next->header->first_seq : kSeqMax;
  auto bytes = read_whole(disk_, found.path, kSegmentFileBytesMax);
  if (!bytes) return std::unexpected(bytes.error());
  SegmentScanRequest request{.bytes = *bytes,
                             .first_seq = found.header->first_seq,
                             .until_seq = until,
                             .wanted_from = result_.snapshot_seq + 1};
  auto scan = scan_segment(request, [&](std::uint64_t seq, std::string_view payload) {
    ++result_.records;
    return replay_.record ? replay_.record(seq, payload) : Status();
  });
  if (!scan) return std::unexpected(scan.error());
  next_seq_ = std::max(next_seq_, scan->next_seq);
  if (scan->unreadable > 0) {
    result_.warnings.push_back(fmt::format("{}: {} damaged records, all in the snapshot, skipped",
                                           found.path, scan->unreadable));
  }
  result_.journal->segments_.push_back({.index = found.index,
                                        .first_seq = found.header->first_seq,
                                        .end_seq = scan->next_seq,
                                        .marks = std::move(scan->marks)});
  // Reached the next segment; it may begin earlier than this one only by damage.
  if (scan->next_seq == until) {
    if (scan->unreadable == 0 && scan->end < bytes->size())
      overlong_.emplace_back(found.path, scan->end);
    return std::nullopt;
  }
  TailVerdict verdict = judge_tail({.bytes = *bytes,
                                    .offset = scan->end,
                                    .missing_seq = scan->next_seq,
                                    .durable_through = found.header->durable_through});
  Damage damage{.segment = at,
                .offset = scan->end,
                .seq = scan->next_seq,
                .what = fmt::format("record {} is damaged or missing", scan->next_seq),
                .seen_seq = verdict.seen_seq};
  if (next != nullptr && until != kSeqMax) {
    damage.seen_seq = until;
    damage.what += fmt::format(", although {} goes on at record {}", next->path, until);
    return damage;
  }
  // Behind the snapshot nothing was found at all: it holds everything that there is.
  bool in_snapshot = next == nullptr && scan->next_seq <= result_.snapshot_seq &&
                     found.header->durable_through <= result_.snapshot_seq && verdict.seen_seq == 0;
  if (verdict.kind == TailKind::Damaged && !in_snapshot) return damage;
  if (next == nullptr) finish_last(at, *bytes, *scan);
  return std::nullopt;
}

void JournalRecovery::finish_last(std::size_t at, const std::string& bytes,
                                  const SegmentScan& scan) {
  std::string_view rest = std::string_view(bytes).substr(std::min(scan.end, bytes.size()));
  std::size_t last = rest.find_last_not_of('\0');
  result_.torn_bytes = last == std::string_view::npos ? 0 : last + 1;
  if (scan.next_seq <= result_.snapshot_seq) {
    if (scan.next_seq < result_.snapshot_seq + 1) {
      result_.warnings.push_back(fmt::format(
          "{} ends at record {}, before the snapshot of record {}; the snapshot has everything",
          found_[at].path, scan.next_seq - 1, result_.snapshot_seq));
    }
    return;
  }
  tail_ = Tail{.segment = at,
               .used = scan.end,
               .clean = result_.torn_bytes == 0,
               .group_seq = 0,
               .group = {}};
  if (scan.next_seq - 1 > found_[at].header->durable_through) {
    tail_->group_seq = scan.group_seq;
    tail_->group = bytes.substr(scan.group_at, scan.end - scan.group_at);
  }
}

// One that was not read, as all of it is known: a standby that takes over warm reads the last only.
// Looked at closely only if it ends in zeros, and so once in its life.
void JournalRecovery::note_overlong(const Found& found, std::uint64_t until) {
  auto file = disk_.open(found.path, DiskOpen::Read);
  if (!file) return;
  auto size = (*file)->size();
  if (!size || *size <= kZerosLookedFor) return;
  auto end = (*file)->read(*size - kZerosLookedFor, kZerosLookedFor);
  if (!end || end->find_first_not_of('\0') != std::string::npos) return;
  auto bytes = read_whole(disk_, found.path, kSegmentFileBytesMax);
  if (!bytes) return;
  SegmentScanRequest request{.bytes = *bytes,
                             .first_seq = found.header->first_seq,
                             .until_seq = until,
                             .wanted_from = kSeqMax};
  auto scan = scan_segment(request, [](std::uint64_t, std::string_view) { return Status(); });
  if (scan && scan->next_seq == until && scan->unreadable == 0 && scan->end < bytes->size())
    overlong_.emplace_back(found.path, scan->end);
}

// Each crash leaves a segment that its successor cut short, zeroed in advance to its full size:
// without this a controller that dies again and again fills the disk.
// REQUIRES: the successor's name is durable. If it fails there is merely less space.
void JournalRecovery::trim() {
  for (const auto& [path, end] : overlong_)
    if (auto file = disk_.open(path, DiskOpen::Write)) [[maybe_unused]]
      auto ignored = (*file)->truncate(end);
}

Status JournalRecovery::make_ready() {
  Journal& journal = *result_.journal;
  result_.last_seq = next_seq_ - 1;
  journal.next_seq_ = next_seq_;
  journal.durable_seq_ = next_seq_ - 1;
  // A predecessor may have died between a rename and this.
  if (auto synced = disk_.sync_dir(dir_); !synced) return synced;
  trim();
  if (!tail_) return {};
  // Behind the end of another leader's file that leader may still write.
  if (tail_->group.empty() && options_.epoch != 0) return {};
  if (tail_->group.empty()) {
    const std::string& path = found_[tail_->segment].path;
    auto file = disk_.open(path, DiskOpen::Write);
    if (!file) return std::unexpected(file.error());
    auto size = (*file)->size();
    if (!size) return std::unexpected(size.error());
    journal.active_ = {
        .file = std::move(*file), .size = *size, .used = tail_->used, .trusted = tail_->clean};
    return {};
  }
  // The last group may be in the page cache only: our predecessor may have died before its sync, or
  // after a sync that failed and left the pages marked clean. What we have read and acted upon must
  // not vanish later, so it is written once more, to a new segment, which then replaces the end of
  // this one.
  YM_CHECK(journal.segments_.back().first_seq <= tail_->group_seq);
  journal.segments_.back().end_seq = tail_->group_seq;
  journal.durable_seq_ = tail_->group_seq - 1;
  journal.group_ = std::move(tail_->group);
  journal.group_marks_ = {{.seq = tail_->group_seq, .offset = 0}};
  if (auto done = journal.commit(); !done) {
    result_.warnings.push_back(fmt::format(
        "the journal cannot be written: {}; trying again with the next record", done.error().text));
  }
  return {};
}

}  // namespace ym
