// SPDX-License-Identifier: Apache-2.0
// One recovery, from a directory to a running Journal. Internal to the journal; see journal.h for
// the promises.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/journal.h"

namespace ym {

class JournalRecovery {
 public:
  JournalRecovery(Disk& disk, const std::string& dir, const JournalOptions& options,
                  const Replay& replay)
      : disk_(disk), dir_(dir), options_(options), replay_(replay) {}

  // Once only.
  Result<Recovered> run();

 private:
  struct Found {
    std::uint64_t index = 0;
    std::string path;
    std::optional<SegmentHeader> header;  // nothing if damaged, then `problem` says how
    std::string problem;
  };
  // The first record that cannot be had although it, or one after it, was durable once.
  struct Damage {
    std::size_t segment = 0;  // in found_
    std::uint64_t offset = 0;
    std::uint64_t seq = 0;
    std::string what;
    std::uint64_t seen_seq = 0;
  };

  Status list_files();
  Status drop_superseded();
  Status read_header(Found& found);
  Status load_snapshot();
  Status deliver_snapshot(const SnapshotFile& file);
  std::optional<std::size_t> choose_start() const;
  Status replay_segments();
  Result<std::optional<Damage>> replay_one(std::size_t at);
  void finish_last(std::size_t at, const std::string& bytes, const SegmentScan& scan);
  Status answer_damage(const Damage& damage);
  Status set_aside(const Found& found);
  Status cut_at(const Damage& damage);
  Result<std::string> free_name_for(const std::string& path);
  void note_overlong(const Found& found, std::uint64_t until);
  void trim();
  Status make_ready();

  Disk& disk_;
  const std::string& dir_;
  const JournalOptions& options_;
  const Replay& replay_;

  Recovered result_;
  std::vector<Found> found_;  // by index
  std::uint64_t next_seq_ = 1;
  // The end of the last segment, as finish_last() found it.
  struct Tail {
    std::size_t segment = 0;
    std::uint64_t used = 0;
    bool clean = false;
    std::uint64_t group_seq = 0;  // the first of the group that may not be durable
    std::string group;
  };
  std::optional<Tail> tail_;

  // Segments that end before their file does, and where.
  std::vector<std::pair<std::string, std::uint64_t>> overlong_;
};

}  // namespace ym
