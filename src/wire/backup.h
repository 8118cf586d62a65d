// SPDX-License-Identifier: Apache-2.0
// A backup: the controller's whole state as one stream of bytes. Pure: whoever writes and reads the
// file is elsewhere.
//
// On disk, little-endian, DO NOT CHANGE:
//   "YMBACKUP", u32 version, u32 CRC32C of these 12 bytes        as every file of the state begins
//   records: u32 CRC32C of what follows, u32 length, u64 ordinal from 0, u8 kind, length bytes
// The first record is the head, the last one the end; between them are the blobs, then the chunks
// of the snapshot, then other files, in any number.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "model/ids.h"

namespace ym {

struct BackupHead {
  std::string cluster;
  Seq seq;  // of the state
  Instant time;
  std::string release;  // that wrote it
  // Of the state (daemon/slurmctld/state_release.h): who reads only earlier ones would lose fields.
  // 0: of a release that did not say it yet.
  std::uint32_t format = 0;
};
// Something else of the state's folder, which is not in the log.
struct BackupFile {
  std::string name;  // relative to StateSaveLocation; no "..", not absolute
  std::uint32_t mode = 0600;
  std::string bytes;
};

namespace wire {

inline constexpr std::uint32_t kBackupVersion = 1;
inline constexpr std::size_t kBackupRecordMax = 64u << 20;

// DO NOT CHANGE THESE VALUES.
enum class BackupKind : std::uint8_t { Head = 1, Blob = 2, Chunk = 3, File = 4, End = 5 };

class BackupWriter {
 public:
  // The file's first bytes.
  static std::string preamble();
  // REQUIRES: payload.size() <= kBackupRecordMax.
  std::string record(BackupKind kind, std::string_view payload);
  // The last record.
  std::string end() { return record(BackupKind::End, {}); }

 private:
  std::uint64_t next_ = 0;
};

// Takes the bytes in any pieces, checks everything, and never holds more than a record.
class BackupReader {
 public:
  using Sink = std::function<Status(BackupKind kind, std::string_view payload)>;
  // `sink` gets every record but the end, in order; its error is final.
  explicit BackupReader(Sink sink) : sink_(std::move(sink)) {}

  // An error is final, and says what is wrong with the file.
  Status feed(std::string_view bytes);
  // After the last byte: whether that was all.
  Status finish() const;
  std::uint64_t records() const { return next_; }

 private:
  Status take_preamble();
  Result<bool> take_record();
  Status check_order(BackupKind kind);

  Sink sink_;
  std::string buffer_;
  std::size_t at_ = 0;  // in buffer_, what is before has been taken
  bool begun_ = false, ended_ = false;
  std::uint64_t next_ = 0;
  BackupKind last_ = BackupKind::Head;
};

// Whether a file of that name may be written below the state's folder.
bool is_safe_backup_name(std::string_view name);

}  // namespace wire
}  // namespace ym
