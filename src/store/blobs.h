// SPDX-License-Identifier: Apache-2.0
// Scripts and environments, stored once by their content: put() names the bytes by their SHA-256,
// and thousands of jobs that share a script cost one entry and, after the first, no write at all.
//
//   auto id = blobs.put(BlobKind::Script, text);  …  blobs.sync();     // now acknowledge
//
// Entries are appended to a few large files and found through an index in memory, rebuilt at the
// start: a group of new blobs costs one write and one fdatasync, where a file for each would cost
// two syncs for each. FORMAT.md has the bytes.
//
// Invariants, as in journal.h: (1) at most one group is between write and sync; (2) a file gets its
// name after its first group is synced. Entries do not depend on each other: damage costs the blobs
// it hits, no others.
//
// Thread rule: none inside; one thread at a time calls.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/blob_store.h"
#include "store/disk.h"

namespace ym {

struct BlobOptions {
  std::uint64_t script_bytes_max = 4 * 1024 * 1024;
  std::uint64_t environment_bytes_max = 16 * 1024 * 1024;
  std::uint64_t file_bytes = 64 * 1024 * 1024;          // then a new file is begun
  std::uint64_t pending_bytes_max = 256 * 1024 * 1024;  // put, not yet synced
  // As in JournalOptions.
  std::uint64_t epoch = 0;
  std::function<Status()> fence = {};
};

class Blobs final : public BlobStore {
 public:
  // Takes the lock `blobs.lock` in `dir`, reads every file once. Damaged entries are skipped and
  // reported in warnings(); whoever asks for them gets kNotFound. kFuture if a newer release wrote
  // here.
  static Result<std::unique_ptr<Blobs>> open(Disk& disk, const std::string& dir,
                                             const BlobOptions& options);
  ~Blobs() override;
  Blobs(const Blobs&) = delete;
  Blobs& operator=(const Blobs&) = delete;

  // 64 hexadecimal digits.
  static std::string id_of(std::string_view bytes);

  std::size_t count() const { return index_.size(); }
  bool contains(std::string_view id) const override;
  bool pending() const { return !group_.empty(); }  // something waits for sync()
  const std::vector<std::string>& warnings() const override { return warnings_; }

  Result<std::string> put(BlobKind kind, std::string_view bytes) override;
  // One write and one fdatasync for everything put since the last; nothing to do, nothing done.
  Status sync() override;
  Result<std::string> get(std::string_view id) override;

  // Files that are mostly dead are rewritten and removed. A forgotten blob may come back after a
  // restart, until its file is rewritten: it then goes with the next call.
  Result<Retained> retain(const std::function<bool(const std::string& id)>& wanted) override;

 private:
  using Digest = std::array<unsigned char, 32>;
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const {
      std::size_t word = 0;
      std::memcpy(&word, digest.data(), sizeof word);
      return word;
    }
  };
  struct Place {
    std::uint64_t file = 0;    // kPending: `offset` is within group_
    std::uint64_t offset = 0;  // of the payload
    std::uint32_t length = 0;
  };
  struct File {
    std::uint64_t used = 0;
    std::uint64_t live = 0;  // of `used`, in entries that the index knows
  };
  static constexpr std::uint64_t kPending = 0;

  Blobs(Disk& disk, std::string dir, const BlobOptions& options, std::unique_ptr<DiskLock> lock);
  static Digest digest_of(std::string_view bytes);
  static std::string hex(const Digest& digest);
  static std::optional<Digest> unhex(std::string_view id);
  std::string path_of(std::uint64_t file) const;
  Status load();
  Status load_file(std::uint64_t file, bool last);
  Status find_moved();
  std::string temporary() const;
  void enqueue(const Digest& digest, std::string_view bytes);
  Status write_in_active();
  Status write_in_new_file();
  void note_durable(std::uint64_t file, std::uint64_t group_offset);
  Result<std::string> read_payload(const Place& place);
  Status rewrite(std::uint64_t file);
  Status remove_file(std::uint64_t file);

  // Constant after construction.
  Disk& disk_;
  const std::string dir_;
  const BlobOptions options_;
  const std::unique_ptr<DiskLock> lock_;

  std::unordered_map<Digest, Place, DigestHash> index_;
  std::map<std::uint64_t, File> files_;
  std::vector<std::string> warnings_;
  std::uint64_t next_file_ = 1;

  // The file that the next group goes to; `active_` is kPending if there is none that can be
  // trusted.
  std::uint64_t active_ = kPending;
  std::unique_ptr<DiskFile> active_file_;

  // The pending group: entries as they will be written, except for the offset of the group and the
  // checksum.
  std::string group_;
  std::vector<std::pair<Digest, std::uint64_t>> group_entries_;  // offset of each in group_
};

}  // namespace ym
