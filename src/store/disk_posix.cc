// SPDX-License-Identifier: Apache-2.0
#include "store/disk_posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "store/errc.h"

namespace ym {
namespace {

constexpr mode_t kFileMode = 0600;  // records and scripts are nobody else's business
constexpr mode_t kDirMode = 0700;
constexpr std::size_t kZerosAtOnce = 256 * 1024;

std::unexpected<Error> failed(std::string_view verb, const std::string& path, int error) {
  std::uint32_t code = store_errc::kIo;
  if (error == ENOENT) code = store_errc::kNotFound;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) code = store_errc::kNoSpace;
  return fail(code,
              fmt::format("cannot {} {}: {}", verb, path, std::system_category().message(error)));
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

class PosixFile final : public DiskFile {
 public:
  PosixFile(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<std::uint64_t> size() override {
    struct stat status{};
    if (::fstat(fd_.get(), &status) != 0) return failed("examine", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  Result<std::string> read(std::uint64_t offset, std::size_t length) override {
    auto total = size();
    if (!total) return std::unexpected(total.error());
    if (offset >= *total) return std::string();
    length = static_cast<std::size_t>(std::min<std::uint64_t>(length, *total - offset));
    std::string bytes;
    int error = 0;
    // Not the size that the callback is given: libstdc++ 12 passes the capacity there.
    bytes.resize_and_overwrite(length, [&](char* to, std::size_t) {
      std::size_t done = 0;
      while (done < length) {
        ssize_t n = ::pread(fd_.get(), to + done, length - done, static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) error = errno;
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
      }
      return done;
    });
    if (error != 0) return failed("read", path_, error);
    return bytes;
  }

  Status write(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      ssize_t n = ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("write", path_, errno);
      if (n == 0) return failed("write", path_, ENOSPC);
      bytes.remove_prefix(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
    return {};
  }

  Status write_zeros(std::uint64_t offset, std::uint64_t length) override {
    static constexpr std::array<char, kZerosAtOnce> kZeros{};
    while (length > 0) {
      std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(length, kZeros.size()));
      if (auto wrote = write(offset, {kZeros.data(), n}); !wrote) return wrote;
      offset += n;
      length -= n;
    }
    return {};
  }

  Status truncate(std::uint64_t size) override {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
      return failed("truncate", path_, errno);
    }
    return {};
  }

  // Not repeated on EINTR or anything else: a failed sync is never healed by a second one (disk.h,
  // 2).
  Status sync() override {
    if (::fdatasync(fd_.get()) != 0) return failed("sync", path_, errno);
    return {};
  }

 private:
  Fd fd_;
  std::string path_;
};

class PosixLock final : public DiskLock {
 public:
  explicit PosixLock(Fd fd) : fd_(std::move(fd)) {}

 private:
  Fd fd_;  // closing it gives the lock up
};

std::string holder_of(int fd) {
  std::array<char, 32> text{};
  ssize_t n = ::pread(fd, text.data(), text.size(), 0);
  auto pid = parse_u64(trim({text.data(), n > 0 ? static_cast<std::size_t>(n) : 0}));
  return pid ? fmt::format("process {}", *pid) : std::string("an unknown process");
}

}  // namespace

Result<std::unique_ptr<DiskFile>> DiskPosix::open(const std::string& path, DiskOpen how) {
  int flags = O_CLOEXEC | (how == DiskOpen::Read ? O_RDONLY : O_RDWR);
  if (how == DiskOpen::Create) flags |= O_CREAT | O_TRUNC;
  Fd fd(::open(path.c_str(), flags, kFileMode));
  if (!fd.ok()) return failed(how == DiskOpen::Create ? "create" : "open", path, errno);
  return std::make_unique<PosixFile>(std::move(fd), path);
}

Status DiskPosix::make_dir(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), kDirMode) == 0) {
      // A directory whose own name is not durable would lose everything in it.
      std::size_t slash = part.rfind('/');
      std::string parent =
          slash == std::string::npos ? "." : part.substr(0, std::max<std::size_t>(slash, 1));
      if (auto synced = sync_dir(parent); !synced) return synced;
    } else if (errno != EEXIST) {
      return failed("create directory", part, errno);
    }
    if (end == std::string::npos) return {};
  }
}

Result<std::vector<std::string>> DiskPosix::list(const std::string& dir) {
  DIR* stream = ::opendir(dir.c_str());
  if (stream == nullptr) return failed("list", dir, errno);
  std::vector<std::string> names;
  int error = 0;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr) {
      error = errno;
      break;
    }
    std::string name = entry->d_name;
    struct stat status{};
    if (::fstatat(::dirfd(stream), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISREG(status.st_mode)) names.push_back(std::move(name));
  }
  ::closedir(stream);
  if (error != 0) return failed("list", dir, error);
  std::ranges::sort(names);
  return names;
}

Status DiskPosix::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return failed("rename", from, errno);
  return {};
}

Status DiskPosix::unlink(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return failed("remove", path, errno);
  return {};
}

Status DiskPosix::sync_dir(const std::string& dir) {
  Fd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return failed("open directory", dir, errno);
  if (::fsync(fd.get()) != 0) return failed("sync directory", dir, errno);
  return {};
}

// link() is atomic on network file systems, too, where O_EXCL was not always; and it gives the name
// to a file that has its content already. An answer that was lost on the network shows in the count
// of the file's names.
Status DiskPosix::create_exclusive(const std::string& path, std::string_view bytes) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string temporary = fmt::format("{}.{}.{}.tmp", path, host.data(), ::getpid());
  struct stat status{};
  {
    auto file = open(temporary, DiskOpen::Create);
    if (!file) return std::unexpected(file.error());
    Status done = (*file)->write(0, bytes);
    if (done) done = (*file)->sync();
    if (!done) {
      ::unlink(temporary.c_str());
      return done;
    }
  }
  int error = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  bool ours = error == 0 || (::stat(temporary.c_str(), &status) == 0 && status.st_nlink == 2);
  ::unlink(temporary.c_str());
  if (!ours && error == EEXIST)
    return fail(store_errc::kExists, fmt::format("{} exists already", path));
  if (!ours) return failed("create", path, error);
  std::size_t slash = path.rfind('/');
  return sync_dir(slash == std::string::npos ? "." : path.substr(0, slash));
}

// flock() belongs to the open file, so it also refuses a second opener within this process, and it
// goes with the process however that ends. The pid in the file is for people only.
Result<std::unique_ptr<DiskLock>> DiskPosix::lock(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (!fd.ok()) return failed("create", path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return failed("lock", path, errno);
    return fail(store_errc::kLocked, fmt::format("{} is locked by {}: only one controller may use "
                                                 "this directory; stop the other one first",
                                                 path, holder_of(fd.get())));
  }
  // A full disk must not keep the controller from starting: without the pid the lock is as good.
  std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] ssize_t n = ::pwrite(fd.get(), pid.data(), pid.size(), 0);
  }
  return std::make_unique<PosixLock>(std::move(fd));
}

}  // namespace ym
