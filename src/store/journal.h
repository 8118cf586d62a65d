// SPDX-License-Identifier: Apache-2.0
// The durable home of the controller's log: records of opaque bytes, numbered 1, 2, 3 … without
// gaps, in segment files zeroed in advance, written and synced in groups.
//
//   auto recovered = Journal::open(disk, dir, options, replay);     // newest snapshot, then the
//   tail, then ready journal.append(records);  journal.append(more);  journal.commit();      // one
//   write, one fdatasync for all
//
// Invariants:
//  (1) At most one group is between write and sync. Everything before it is durable.
//  (2) A segment gets its name only after its first group is synced in it: no crash leaves an empty
//  segment. (3) Where the next segment begins, the one before ends, whatever bytes may follow
//  there. So a group is moved to a
//      new segment by writing it there; nothing is ever cut out of an old one.
//  (4) Nothing acknowledged is overwritten or removed but by prune().
//
// Thread rule: none inside; one thread at a time calls. SnapshotWriter works beside it on any
// thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/disk.h"
#include "store/segment.h"
#include "store/snapshot.h"

namespace ym {

struct JournalOptions {
  std::uint64_t cluster_id = 0;  // another cluster's files are refused
  std::uint64_t segment_bytes = 16 * 1024 * 1024;
  std::uint64_t record_bytes_max = 16 * 1024 * 1024;
  std::uint64_t pending_bytes_max = 256 * 1024 * 1024;  // appended, not yet durable
  // Start in spite of damage: keep everything before it and set the damaged files aside (slurmctld
  // -i).
  bool accept_loss = false;
  // With standbys (file_home.h): the epoch of this leader, from 1. Its files have numbers of their
  // own, it never writes to a file of another epoch, and no lock keeps a successor out. 0: alone.
  std::uint64_t epoch = 0;
  // The caller has the state after this record: no snapshot is read, and records from the next one
  // on are given.
  std::uint64_t known_seq = 0;
  // Asked after each sync, before the group counts as durable: an error means that another leads by
  // now. Then nothing more is ever committed here.
  std::function<Status()> fence = {};
};

// The number of an epoch's first segment or file; those of later epochs come after it.
inline constexpr std::uint64_t first_index_of(std::uint64_t epoch) { return epoch << 32; }
inline constexpr std::uint64_t epoch_of_index(std::uint64_t index) { return index >> 32; }

// Where recovery delivers. An error stops open(), which returns it. Empty functions are skipped.
struct Replay {
  std::function<Status(std::uint64_t seq)>
      snapshot;  // a snapshot of the state after record `seq` follows
  ChunkFn chunk;
  RecordFn record;
};

class Journal;

struct Recovered {
  std::unique_ptr<Journal> journal;
  std::uint64_t snapshot_seq = 0;  // 0: there was none
  std::uint64_t records = 0;       // replayed after the snapshot
  std::uint64_t last_seq = 0;      // of everything recovered
  std::uint64_t torn_bytes = 0;    // of an unacknowledged group, cut off
  // With accept_loss only: records from here on are gone, through at least the last one of which a
  // trace was seen. The numbers are used again: whoever follows the log must be told.
  std::uint64_t lost_from = 0;
  std::uint64_t lost_through = 0;
  std::vector<std::string> set_aside;  // paths of files renamed or copied to *.damaged
  std::vector<std::string> warnings;   // for the daemon's log
};

class Journal {
 public:
  // Takes the directory's lock (kLocked names the holder), creates the directory if need be,
  // recovers. kCorrupt: damage before the end of the log; the text names file, offset, record and
  // what to do. Nothing changed. kFuture: written by a newer release; refused even with
  // accept_loss. If the disk is full the journal opens in the failed state: the last group waits in
  // it for commit().
  static Result<Recovered> open(Disk& disk, const std::string& dir, const JournalOptions& options,
                                const Replay& replay);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::uint64_t durable_seq() const { return durable_seq_; }  // the last durable record, 0 if none
  std::uint64_t next_seq() const { return next_seq_; }        // what the next append will get
  std::uint64_t oldest_seq() const;                           // the first that read_from can give
  std::uint64_t pending_bytes() const { return group_.size(); }
  bool fenced() const { return fenced_; }  // another leads: nothing will be committed any more
  bool failed() const { return failure_.has_value(); }  // the last commit failed, records wait
  const std::optional<Error>& failure() const { return failure_; }

  // Buffers the records, all or none, and returns the number of the first. They count once commit()
  // succeeded.
  Result<std::uint64_t> append(std::span<const std::string_view> payloads);

  // Writes and syncs everything appended. On error none of it counts as durable, it stays pending,
  // and the next commit() (or retry()) tries again, together with what was appended since.
  Status commit();
  Status retry() { return commit(); }

  // Zeroes up to `bytes` of the next segment in advance, so that no commit has to. True when it is
  // ready. For idle moments; also a reserve: with it the journal goes on for a segment after the
  // disk is full.
  Result<bool> prepare_next(std::uint64_t bytes);

  // Gives durable records from `seq` on until `bytes_max` of payload are exceeded, at least one if
  // there is one; returns the number to go on with. kPruned if `seq` is no longer there.
  using FeedFn = std::function<void(std::uint64_t seq, std::string_view payload)>;
  Result<std::uint64_t> read_from(std::uint64_t seq, std::uint64_t bytes_max, const FeedFn& fn);

  // Removes the segments that hold nothing but records before `keep_from`, and nothing that the
  // kept snapshots need to recover from: without a snapshot nothing goes. Returns how many went.
  Result<std::size_t> prune(std::uint64_t keep_from);

 private:
  friend class JournalRecovery;
  struct Segment {
    std::uint64_t index = 0;
    std::uint64_t first_seq = 0;
    std::uint64_t end_seq = 0;  // the first that is not in it
    std::vector<SegmentMark> marks;
  };
  // The segment that the next group goes to.
  struct Active {
    std::unique_ptr<DiskFile> file;
    std::uint64_t size = 0;
    std::uint64_t used = 0;
    // False once a sync failed or foreign bytes were found behind `used`: the next group goes to a
    // new segment.
    bool trusted = false;
  };
  struct Spare {
    std::unique_ptr<DiskFile> file;
    std::uint64_t zeroed = 0;
    bool synced = false;
  };

  Journal(Disk& disk, std::string dir, const JournalOptions& options,
          std::unique_ptr<DiskLock> lock);
  std::string path_of(std::uint64_t index) const;
  std::string spare_path() const;
  Status check_fence();
  Status write_in_active();
  Status write_in_new_segment();
  Status fill_new_segment(std::uint64_t bytes_needed);
  Status zero_spare(std::uint64_t size, std::uint64_t bytes_needed);
  void drop_spare();
  void note_durable(std::uint64_t group_offset);
  Result<std::uint64_t> read_segment(Segment& segment, std::uint64_t seq, std::uint64_t& bytes_left,
                                     const FeedFn& fn);

  // Constant after construction.
  Disk& disk_;
  const std::string dir_;
  const JournalOptions options_;
  const std::unique_ptr<DiskLock> lock_;

  // What is on disk.
  std::vector<Segment> segments_;
  std::uint64_t next_index_ = 1;
  std::uint64_t durable_seq_ = 0;
  Active active_;
  Spare spare_;

  // The pending group: records durable_seq_+1 … next_seq_-1, encoded.
  std::string group_;
  std::vector<SegmentMark> group_marks_;  // offsets within group_
  std::uint64_t next_seq_ = 1;
  std::optional<Error> failure_;
  bool fenced_ = false;
};

// "journal-0000000007.seg"
std::string segment_name(std::uint64_t index);
std::optional<std::uint64_t> parse_segment_name(std::string_view name);

}  // namespace ym
