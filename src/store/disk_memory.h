// SPDX-License-Identifier: Apache-2.0
// A Disk in memory that remembers what is durable and what is not, and that can be crashed, filled
// and damaged. Deterministic: the same calls and the same Prng give the same bytes. For tests and
// simulation, single-threaded.
//
// The model is as unkind as POSIX permits:
//  (1) crash() decides for each unsynced write on its own: kept, lost, kept up to some byte, or
//  kept in some of its
//      512-byte sectors only. Unsynced creations, renames and removals survive or vanish one by
//      one.
//  (2) A sync that fails by fault drops its dirty pages: readers still see them, a later sync
//  succeeds without writing
//      them, and they are gone after a crash. This is what Linux does.
//  (3) When the power is out (faults.power_after) every call fails until crash() starts the machine
//  again.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/prng.h"
#include "store/disk.h"

namespace ym {

class DiskMemory final : public Disk {
 public:
  struct Faults {
    std::optional<std::uint64_t> capacity;  // bytes of all files together; more is "no space left"
    std::optional<std::uint64_t>
        power_after;                  // this many changing calls succeed, then the power is out
    std::uint32_t syncs_to_fail = 0;  // the next ones, each dropping its pages
    std::uint32_t dir_syncs_to_fail = 0;
    std::uint32_t writes_to_fail = 0;  // the next ones fail half-way through their bytes
    std::set<std::string> unreadable;  // paths whose reads fail
  };
  Faults faults;

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, DiskOpen how) override;
  Status make_dir(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& dir) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status unlink(const std::string& path) override;
  Status sync_dir(const std::string& dir) override;
  Status create_exclusive(const std::string& path, std::string_view bytes) override;
  Result<std::unique_ptr<DiskLock>> lock(const std::string& path) override;

  // The machine goes down and comes up: what was not durable is decided by `prng`, locks and open
  // files are void, a power failure is over. Other faults stay.
  void crash(Prng& prng);
  // The process dies but the machine stays: locks and open files are void, everything written is
  // still readable.
  void kill_process();

  // Beneath every file system: what a failing device or an administrator does. Durable at once.
  void put_file(const std::string& path, std::string bytes);
  void remove_file(const std::string& path);
  void flip(const std::string& path, std::uint64_t offset, std::uint8_t mask);
  // What a reader would see now; nothing if there is no such file.
  std::optional<std::string> contents(const std::string& path) const;

  // Changing calls so far: the places between which a crash can fall.
  std::uint64_t operations() const { return operations_; }
  std::uint64_t syncs() const { return syncs_; }
  std::uint64_t bytes_used() const;

 private:
  friend class MemoryFile;
  friend class MemoryLock;
  struct Change {
    std::uint64_t offset = 0;
    std::string bytes;
    bool truncate = false;  // then `offset` is the new size
  };
  struct Inode {
    std::string durable;
    std::string current;
    std::vector<Change> unsynced;
  };
  using InodeRef = std::shared_ptr<Inode>;
  // A change of names not yet synced: `inode` is now called `name` (nothing: the name is gone), no
  // longer `old_name`.
  struct NameChange {
    std::string name;
    InodeRef inode;
    std::string old_name;
  };
  using Names = std::map<std::string, InodeRef>;

  Status begin_change(const std::string& path);
  Status check_power(const std::string& path) const;
  static void apply(std::string& bytes, const Change& change);
  static void apply(Names& names, const NameChange& change);
  static void apply_torn(std::string& bytes, const Change& change, Prng& prng);
  void change_names(NameChange change);

  Names names_;
  Names durable_names_;
  std::vector<NameChange> unsynced_names_;
  std::set<std::string> locks_;
  std::uint64_t boots_ = 0;  // open files and locks of an earlier boot are void
  std::uint64_t operations_ = 0;
  std::uint64_t syncs_ = 0;
  bool power_out_ = false;
};

}  // namespace ym
