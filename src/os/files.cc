// SPDX-License-Identifier: Apache-2.0
#include "os/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/format.h"

namespace ym {
namespace {

struct Fd {
  int value;
  ~Fd() {
    if (value >= 0) ::close(value);
  }
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

Status write_in_place(const std::string& path, std::string_view bytes, mode_t mode) {
  Fd fd{::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)};
  // What is for its owner only, no umask takes away.
  bool moded = fd.value >= 0 && ((mode & 077) == 0 || ::fchmod(fd.value, mode) == 0);
  if (!moded || !write_all(fd.value, bytes)) return fail(errno_text(path));
  return {};
}

}  // namespace

std::string errno_text(std::string_view what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

Result<std::string> read_descriptor(int fd, std::string_view name, std::size_t max) {
  std::string bytes;
  char buffer[65536];
  for (;;) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(errno_text(name));
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > max) return fail(fmt::format("{}: larger than {} bytes", name, max));
  }
}

Result<std::string> read_file(const std::string& path, std::size_t max) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (fd.value < 0) return fail(errno_text(path));
  return read_descriptor(fd.value, path, max);
}

Status write_file(const std::string& path, std::string_view bytes, mode_t mode, Sync sync) {
  if (sync == Sync::No) return write_in_place(path, bytes, mode);
  std::string temporary = fmt::format("{}.{}.new", path, ::getpid());
  {
    Fd fd{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)};
    if (fd.value < 0) return fail(errno_text(temporary));
    bool ok = ::fchmod(fd.value, mode) == 0 && write_all(fd.value, bytes) && ::fsync(fd.value) == 0;
    if (!ok) {
      auto status = fail(errno_text(temporary));
      ::unlink(temporary.c_str());
      return status;
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  auto status = fail(errno_text(path));
  ::unlink(temporary.c_str());
  return status;
}

Status sync_folder(const std::string& path) {
  Fd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (fd.value < 0 || ::fsync(fd.value) != 0) return fail(errno_text(path));
  return {};
}

Status create_file(const std::string& path, std::string_view bytes, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  Fd fd{::mkostemp(temporary.data(), O_CLOEXEC)};  // O_EXCL and mode 0600 are its habit
  if (fd.value < 0) return fail(errno_text(path));
  bool ok = write_all(fd.value, bytes) && ::fchmod(fd.value, mode) == 0 && ::fsync(fd.value) == 0;
  // link, not rename: it fails if the name is taken, so the first one stays.
  ok = ok && (::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST);
  Status done = ok ? Status() : fail(errno_text(path));
  ::unlink(temporary.c_str());
  if (!done) return done;
  std::size_t slash = path.rfind('/');
  return sync_folder(slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash));
}

Status make_folders(const std::string& path, mode_t mode) {
  for (std::size_t at = 1; at != std::string::npos;) {
    at = path.find('/', at);
    std::string part = path.substr(0, at);
    if (::mkdir(part.c_str(), mode) != 0 && errno != EEXIST) return fail(errno_text(part));
    if (at != std::string::npos) ++at;
  }
  return {};
}

}  // namespace ym
