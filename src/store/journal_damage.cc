// SPDX-License-Identifier: Apache-2.0
// What recovery does about damage: refuse in clear words, or keep everything before it and set the
// rest aside. Nothing is deleted here, and at no instant is a good record without a name.
#include <algorithm>
#include <utility>

#include "base/format.h"
#include "store/errc.h"
#include "store/journal_recovery.h"

namespace ym {
namespace {

constexpr int kDamagedNamesMax = 1000;

Status write_synced(Disk& disk, const std::string& path, std::string_view bytes) {
  auto file = disk.open(path, DiskOpen::Create);
  if (!file) return std::unexpected(file.error());
  if (auto wrote = (*file)->write(0, bytes); !wrote) return wrote;
  return (*file)->sync();
}

}  // namespace

Status JournalRecovery::answer_damage(const Damage& damage) {
  const Found& found = found_[damage.segment];
  std::string where = fmt::format("the journal is damaged: {} at offset {}: {}", found.path,
                                  damage.offset, damage.what);
  if (!options_.accept_loss) {
    std::string kept = damage.seq > 1 ? fmt::format("records up to {} are intact", damage.seq - 1)
                                      : std::string("no record before it is left");
    return fail(
        store_errc::kCorrupt,
        fmt::format(
            "{} (record {}; {}). Nothing was changed. Restore the file from a backup, or start "
            "with -i to go on without record {} and all after it; the damaged files are then "
            "set aside, not deleted",
            where, damage.seq, kept, damage.seq));
  }
  // From the end: if this is interrupted, the log is as damaged as before, and found so again.
  for (std::size_t i = found_.size(); i > damage.segment + 1; --i) {
    if (found_[i - 1].header) {
      result_.lost_through = std::max(result_.lost_through, found_[i - 1].header->durable_through);
    }
    if (auto aside = set_aside(found_[i - 1]); !aside) return aside;
  }
  bool holds_some =
      found.header && found.header->first_seq < damage.seq && damage.offset > kSegmentHeaderBytes;
  Status done = holds_some ? cut_at(damage) : set_aside(found);
  if (!done) return done;
  auto& segments = result_.journal->segments_;
  std::erase_if(segments, [&](const Journal::Segment& segment) {
    return segment.index > found.index || (segment.index == found.index && !holds_some);
  });
  if (holds_some) segments.back().end_seq = damage.seq;
  if (found.header)
    result_.lost_through = std::max(result_.lost_through, found.header->durable_through);
  result_.lost_through = std::max({result_.lost_through, damage.seen_seq, next_seq_});
  result_.lost_from = next_seq_;  // what is in the snapshot is not lost
  result_.warnings.push_back(
      fmt::format("{}; going on without record {} and all after it", where, damage.seq));
  return disk_.sync_dir(dir_);
}

Status JournalRecovery::set_aside(const Found& found) {
  auto name = free_name_for(found.path);
  if (!name) return std::unexpected(name.error());
  if (auto renamed = disk_.rename(found.path, *name); !renamed) return renamed;
  result_.set_aside.push_back(*name);
  return disk_.sync_dir(dir_);
}

// The damaged file is copied aside, then replaced by one that holds its good part only.
Status JournalRecovery::cut_at(const Damage& damage) {
  const Found& found = found_[damage.segment];
  auto file = disk_.open(found.path, DiskOpen::Read);
  if (!file) return std::unexpected(file.error());
  auto size = (*file)->size();
  if (!size) return std::unexpected(size.error());
  auto bytes = (*file)->read(0, *size);
  if (!bytes) return std::unexpected(bytes.error());
  auto name = free_name_for(found.path);
  if (!name) return std::unexpected(name.error());
  if (auto wrote = write_synced(disk_, *name, *bytes); !wrote) return wrote;
  if (auto synced = disk_.sync_dir(dir_); !synced) return synced;
  result_.set_aside.push_back(*name);

  SegmentHeader header = *found.header;
  header.durable_through = damage.seq - 1;
  bytes->resize(std::min<std::uint64_t>(damage.offset, bytes->size()));
  bytes->replace(0, kSegmentHeaderBytes, encode_segment_header(header));
  if (auto wrote = write_synced(disk_, found.path + ".tmp", *bytes); !wrote) return wrote;
  if (auto renamed = disk_.rename(found.path + ".tmp", found.path); !renamed) return renamed;
  return disk_.sync_dir(dir_);
}

Result<std::string> JournalRecovery::free_name_for(const std::string& path) {
  auto names = disk_.list(dir_);
  if (!names) return std::unexpected(names.error());
  for (int i = 0; i < kDamagedNamesMax; ++i) {
    std::string name = i == 0 ? path + ".damaged" : fmt::format("{}.damaged-{}", path, i);
    if (std::ranges::find(*names, name.substr(dir_.size() + 1)) == names->end()) return name;
  }
  return fail(
      fmt::format("{} has {} damaged copies already; move them away", path, kDamagedNamesMax));
}

}  // namespace ym
