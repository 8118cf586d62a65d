// SPDX-License-Identifier: Apache-2.0
#include "shepherd/spill.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace ym {

bool SpillFile::open() {
  if (fd_) return true;
  if (folder_.empty()) return false;
  fd_ = Fd(::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd_) return true;
  // Not every file system has files without a name.
  std::string path = folder_ + "/spill.XXXXXX";
  fd_ = Fd(::mkostemp(path.data(), O_CLOEXEC));
  if (fd_) ::unlink(path.c_str());
  return static_cast<bool>(fd_);
}

bool SpillFile::takes(std::uint64_t bytes) {
  if (refused_ || used_ + bytes > most_ || !open()) return false;
  struct statvfs room {};
  if (::fstatvfs(fd_.get(), &room) != 0) return true;
  return std::uint64_t{room.f_bavail} * 100 >= std::uint64_t{room.f_blocks} * kFreePercentMin;
}

bool SpillFile::write(std::uint64_t position, std::string_view bytes) {
  std::size_t size = bytes.size();
  if (!takes(size)) return false;
  std::uint64_t at = position;
  while (!bytes.empty()) {
    ssize_t wrote = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      refused_ = true;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
    at += static_cast<std::uint64_t>(wrote);
  }
  used_ += size;
  return true;
}

bool SpillFile::read(std::uint64_t position, char* to, std::size_t size) const {
  while (size > 0) {
    ssize_t got = ::pread(fd_.get(), to, size, static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    position += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void SpillFile::release(std::uint64_t position, std::size_t size) {
  used_ -= size;
  refused_ = false;
  if (used_ == 0) {
    [[maybe_unused]] int emptied = ::ftruncate(fd_.get(), 0);
    return;
  }
  ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(position),
              static_cast<off_t>(size));
}

}  // namespace ym
