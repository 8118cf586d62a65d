// SPDX-License-Identifier: Apache-2.0
// The seam between durable things and the machine: what the journal, snapshots and blobs need of a
// file system, and nothing more. disk_posix.h is the real one, disk_memory.h the one that tests and
// simulation crash at will.
//
// What callers may rely on, and implementations must give:
//  (1) Bytes are durable after sync() of the file returned success, names after sync_dir() of their
//  directory did. (2) After a FAILED sync() nothing is known about writes since the last successful
//  one, and a later sync() that
//      succeeds proves nothing about them: the kernel may have dropped the pages and marked them
//      clean.
//  (3) Without sync, any subset of writes may survive a crash, each wholly, partly or not at all.
//
// Thread rule: a DiskFile belongs to one thread at a time. DiskPosix may be used by many threads,
// DiskMemory by one. Errors carry the path in their text and kNotFound, kNoSpace or kIo (errc.h) as
// their code.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

enum class DiskOpen {
  Read,    // must exist
  Write,   // must exist; read and write
  Create,  // read and write; emptied if it exists
};

class DiskFile {
 public:
  virtual ~DiskFile() = default;

  virtual Result<std::uint64_t> size() = 0;
  // At most `length` bytes from `offset`; fewer only where the file ends.
  virtual Result<std::string> read(std::uint64_t offset, std::size_t length) = 0;
  // All of `bytes` or an error; after an error any part of them may be in the file.
  virtual Status write(std::uint64_t offset, std::string_view bytes) = 0;
  // Zeros really written (not merely allocated), so that a later overwrite changes no metadata.
  virtual Status write_zeros(std::uint64_t offset, std::uint64_t length) = 0;
  virtual Status truncate(std::uint64_t size) = 0;
  virtual Status sync() = 0;
};

// Held as long as the object lives, and given up by the system when the process dies.
class DiskLock {
 public:
  virtual ~DiskLock() = default;
};

class Disk {
 public:
  virtual ~Disk() = default;

  virtual Result<std::unique_ptr<DiskFile>> open(const std::string& path, DiskOpen how) = 0;
  // With its parents; fine if it is there already.
  virtual Status make_dir(const std::string& path) = 0;
  // Names of the plain files in `dir`, sorted.
  virtual Result<std::vector<std::string>> list(const std::string& dir) = 0;
  // Replaces `to` atomically. Both in the same directory.
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  virtual Status unlink(const std::string& path) = 0;
  virtual Status sync_dir(const std::string& dir) = 0;
  // The file appears whole and durable, or not at all: kExists if the name is taken. Of several who
  // try, on any machine that shares the directory, one succeeds.
  virtual Status create_exclusive(const std::string& path, std::string_view bytes) = 0;
  // Refuses with kLocked and the holder's pid while anyone, this process included, holds it.
  virtual Result<std::unique_ptr<DiskLock>> lock(const std::string& path) = 0;
};

// The whole of a file of at most `size_max` bytes.
Result<std::string> read_whole(Disk& disk, const std::string& path, std::uint64_t size_max);

}  // namespace ym
