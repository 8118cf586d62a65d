// SPDX-License-Identifier: Apache-2.0
#include "bcast/bcast_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/crc32c.h"
#include "base/format.h"
#include "bcast/compress.h"
#include "os/files.h"

namespace ym {
namespace {

timespec to_timespec(Instant at) {
  return {.tv_sec = static_cast<time_t>(at.unix_ms / 1000),
          .tv_nsec = at.unix_ms % 1000 * 1'000'000};
}

}  // namespace

BcastFile::~BcastFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status BcastFile::take(const BcastChunk& piece) {
  if (!state_) return state_;
  if (path_.empty()) state_ = open(piece);
  if (state_) state_ = write(piece);
  if (state_ && piece.last) state_ = finish(piece);
  if (!state_) fd_ = Fd();
  return state_;
}

Status BcastFile::open(const BcastChunk& piece) {
  if (piece.path.empty()) return fail("no name for the file");
  path_ =
      piece.path.starts_with('/') ? piece.path : fmt::format("{}/{}", piece.work_dir, piece.path);
  std::size_t slash = path_.rfind('/') + 1;
  // Where the libraries of a program go is made for them; other folders are the user's to make.
  if (std::string folder = path_.substr(0, slash - 1); folder.ends_with("_libs"))
    ::mkdir(folder.c_str(), 0755);
  struct stat there;
  if (::stat(path_.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return fail(fmt::format("{}: is a directory", path_));
    if (!piece.force) return fail(fmt::format("{}: {}", path_, std::strerror(EEXIST)));
  }
  std::string fresh =
      fmt::format("{}.{}.sbcast-XXXXXX", path_.substr(0, slash), path_.substr(slash, 200));
  fd_ = Fd(::mkostemp(fresh.data(), O_CLOEXEC));
  if (!fd_) return fail(errno_text(path_));
  temporary_ = fresh;
  return {};
}

Status BcastFile::write(const BcastChunk& piece) {
  if (!fd_) return fail("a piece after the last one");
  if (piece.offset != size_) return fail(fmt::format("{}: a piece is missing at {}", path_, size_));
  Result<std::string> opened = std::string();
  std::string_view raw = piece.data;
  if (piece.raw_size > 0) {
    opened = decompress(piece.data, piece.raw_size);
    if (!opened) return std::unexpected(opened.error());
    raw = *opened;
  }
  if (crc32c(raw) != piece.checksum)
    return fail(fmt::format("{}: the piece at {} was damaged on its way", path_, size_));
  size_ += raw.size();
  while (!raw.empty()) {
    ssize_t wrote = ::write(fd_.get(), raw.data(), raw.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail(errno_text(path_));
    raw.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Status BcastFile::finish(const BcastChunk& piece) {
  if (size_ != piece.file_size)
    return fail(fmt::format("{}: {} bytes came of {}", path_, size_, piece.file_size));
  if (::fchmod(fd_.get(), piece.mode & 07777) != 0) return fail(errno_text(path_));
  if (piece.preserve) {
    timespec times[2] = {to_timespec(piece.accessed), to_timespec(piece.modified)};
    if (::futimens(fd_.get(), times) != 0) return fail(errno_text(path_));
  }
  // Some file systems say only now that the disk is full.
  if (::close(fd_.release()) != 0) return fail(errno_text(path_));
  // Without --force nobody's file is replaced, even if it came meanwhile.
  bool placed = piece.force ? ::rename(temporary_.c_str(), path_.c_str()) == 0
                            : ::link(temporary_.c_str(), path_.c_str()) == 0;
  if (!placed) return fail(errno_text(path_));
  if (!piece.force) ::unlink(temporary_.c_str());
  temporary_.clear();
  return {};
}

}  // namespace ym
