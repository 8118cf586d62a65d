// SPDX-License-Identifier: Apache-2.0
// Snapshots: the state after record `seq`, as a stream of opaque chunks in one file of its own
// (FORMAT.md).
//
// A snapshot is written beside the running journal, on any thread: it touches its own temporary
// file, and at the end takes its name and removes the snapshots that are too old. A file that has a
// snapshot's name is complete; a file that lost its trailer or any bit since then is recognised and
// never taken.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/disk.h"

namespace ym {

inline constexpr std::uint32_t kSnapshotVersion = 1;
inline constexpr std::size_t kSnapshotsKept = 2;
inline constexpr std::size_t kSnapshotChunkBytesMax = 64 * 1024 * 1024;

class SnapshotWriter {
 public:
  // REQUIRES: record `seq` is durable in the journal (seq <= durable_seq()): a snapshot must never
  // know more than the log. `disk` outlives the writer. One writer at a time per directory.
  static Result<SnapshotWriter> begin(Disk& disk, std::string dir, std::uint64_t cluster_id,
                                      std::uint64_t seq);
  SnapshotWriter(SnapshotWriter&&) noexcept;
  SnapshotWriter& operator=(SnapshotWriter&&) = delete;
  // Abandons the snapshot unless finish() succeeded.
  ~SnapshotWriter();

  // Buffered; written in pieces. After an error the snapshot can only be abandoned.
  Status add(std::string_view chunk);
  // Trailer, sync, name, sync of the directory; then all but the newest kSnapshotsKept are removed.
  // On failure there is no new snapshot and the old ones are untouched.
  Status finish();

  std::uint64_t bytes() const { return offset_ + buffer_.size(); }

 private:
  SnapshotWriter(Disk& disk, std::string dir, std::uint64_t seq, std::unique_ptr<DiskFile> file);
  Status flush();

  Disk* disk_;
  std::string dir_;
  std::uint64_t seq_;
  std::unique_ptr<DiskFile> file_;  // empty once finished or abandoned
  std::string buffer_;
  std::uint64_t offset_ = 0;  // of `buffer_` in the file
  std::uint64_t chunks_ = 0;
  std::uint64_t payload_bytes_ = 0;
};

// "snapshot-00000000000000000042.snap"
std::string snapshot_name(std::uint64_t seq);
// Sequence numbers of the snapshots in `dir` by their names, newest first.
Result<std::vector<std::uint64_t>> list_snapshots(Disk& disk, const std::string& dir);

struct SnapshotFile {
  std::string path;
  std::uint64_t seq = 0;
  std::uint64_t cluster_id = 0;  // 0: any
};
using ChunkFn = std::function<Status(std::string_view chunk)>;
// Gives the chunks in order. An error after some of them is possible: verify with an idle `fn`
// first. kCorrupt if damaged or incomplete, kFuture if newer than this program, kWrongOwner if of
// another cluster.
Status read_snapshot(Disk& disk, const SnapshotFile& snapshot, const ChunkFn& fn);

}  // namespace ym
