// SPDX-License-Identifier: Apache-2.0
// For tests of this room: a journal in a directory of any Disk, opened, filled and reopened in one
// line each.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "store/disk_memory.h"
#include "store/journal.h"

namespace ym {

inline const std::string kDir = "state";

inline std::string payload_of(std::uint64_t seq, std::size_t length = 0) {
  std::string text = fmt::format("record {} ", seq);
  while (text.size() < length) text += static_cast<char>('a' + (seq + text.size()) % 26);
  return text;
}

// What a recovery delivered.
struct Log {
  std::uint64_t snapshot_seq = 0;
  std::vector<std::string> chunks;
  std::vector<std::pair<std::uint64_t, std::string>> records;

  Replay replay() {
    return {.snapshot =
                [this](std::uint64_t seq) {
                  snapshot_seq = seq;
                  return Status();
                },
            .chunk =
                [this](std::string_view chunk) {
                  chunks.emplace_back(chunk);
                  return Status();
                },
            .record =
                [this](std::uint64_t seq, std::string_view payload) {
                  records.emplace_back(seq, payload);
                  return Status();
                }};
  }
  // Records begin right after the snapshot, have no gaps, and each is what was written under its
  // number.
  bool consistent(std::size_t length = 0) const {
    std::uint64_t expected = snapshot_seq + 1;
    for (const auto& [seq, payload] : records) {
      if (seq != expected++ || payload != payload_of(seq, length)) return false;
    }
    return true;
  }
  std::uint64_t last() const { return records.empty() ? snapshot_seq : records.back().first; }
};

inline JournalOptions small_options() { return {.cluster_id = 7, .segment_bytes = 1024}; }

inline Result<Recovered> open_journal(Disk& disk, Log& log,
                                      const JournalOptions& options = small_options()) {
  return Journal::open(disk, kDir, options, log.replay());
}

// Appends `count` records of payload_of(); not committed.
inline Status append_records(Journal& journal, int count, std::size_t length = 0) {
  for (int i = 0; i < count; ++i) {
    std::string payload = payload_of(journal.next_seq(), length);
    std::string_view view = payload;
    auto appended = journal.append({&view, 1});
    if (!appended) return std::unexpected(appended.error());
  }
  return {};
}

inline Status commit_records(Journal& journal, int count, std::size_t length = 0) {
  if (auto appended = append_records(journal, count, length); !appended) return appended;
  return journal.commit();
}

inline Status write_snapshot(Disk& disk, std::uint64_t seq) {
  auto writer = SnapshotWriter::begin(disk, kDir, 7, seq);
  if (!writer) return std::unexpected(writer.error());
  for (int i = 0; i < 3; ++i) {
    if (auto added = writer->add(fmt::format("state after {}, part {}", seq, i)); !added)
      return added;
  }
  return writer->finish();
}

inline std::string segment_path(std::uint64_t index) { return kDir + "/" + segment_name(index); }

}  // namespace ym
