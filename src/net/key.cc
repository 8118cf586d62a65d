// SPDX-License-Identifier: Apache-2.0
#include "net/key.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"
#include "base/format.h"
#include "net/address.h"
#include "os/files.h"
#include "os/random.h"

namespace ym {
namespace {

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Root believes a file of SlurmUser's, too: one that nobody but root and that user can have put
// there.
bool put_there_by(std::uint32_t owner, const std::string& path) {
  struct stat folder;
  if (::geteuid() != 0 || ::stat(folder_of(path).c_str(), &folder) != 0) return false;
  return (folder.st_mode & 022) == 0 && (folder.st_uid == 0 || folder.st_uid == owner);
}

Status check_file(const struct stat& file, const std::string& path) {
  if (!S_ISREG(file.st_mode)) return fail(fmt::format("key file {} is not an ordinary file", path));
  if ((file.st_mode & 077) != 0)
    return fail(
        fmt::format("key file {} is open to others (mode {:04o}); mend it with: chmod 0600 {}",
                    path, file.st_mode & 07777, path));
  if (file.st_uid != 0 && file.st_uid != ::geteuid() && !put_there_by(file.st_uid, path))
    return fail(fmt::format(
        "key file {} belongs to user {}, not to us ({}) or root; mend it with: chown {} {}", path,
        file.st_uid, ::geteuid(), ::geteuid(), path));
  return {};
}

// At most one byte more than `size_max`.
Result<std::string> read_all(int fd, const std::string& path, std::size_t size_max) {
  std::string bytes(size_max + 1, '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t n = ::read(fd, bytes.data() + have, bytes.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(fmt::format("cannot read key file {}: {}", path, errno_text(errno)));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

// If another starter was quicker, his key stays.
Status create_key(const std::string& path, const Entropy& entropy) {
  std::string secret(kKeySizeNew, '\0');
  entropy({reinterpret_cast<std::uint8_t*>(secret.data()), secret.size()});
  Status created = create_file(path, secret, 0600);
  OPENSSL_cleanse(secret.data(), secret.size());
  if (!created) return fail("cannot create key file " + created.error().text);
  return {};
}

}  // namespace

Entropy system_entropy() { return fill_random; }

Result<ClusterKey> ClusterKey::from_bytes(std::string bytes) {
  if (bytes.size() < kKeySizeMin || bytes.size() > kKeySizeMax)
    return fail(fmt::format("a key of {} bytes; it must have {} to {}", bytes.size(), kKeySizeMin,
                            kKeySizeMax));
  return ClusterKey(std::move(bytes));
}

ClusterKey::~ClusterKey() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

Result<std::string> read_secret(const std::string& path, std::size_t size_max) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return fail(fmt::format("cannot open key file {}: {}", path, errno_text(errno)));
  struct stat file;
  if (::fstat(fd.get(), &file) != 0)
    return fail(fmt::format("cannot look at key file {}: {}", path, errno_text(errno)));
  if (Status good = check_file(file, path); !good) return std::unexpected(good.error());
  auto bytes = read_all(fd.get(), path, size_max);
  if (bytes && bytes->size() > size_max)
    return fail(fmt::format("key file {} is longer than {} bytes", path, size_max));
  return bytes;
}

Result<ClusterKey> load_key(const std::string& path) {
  auto bytes = read_secret(path, kKeySizeMax + 1);
  if (!bytes) return std::unexpected(bytes.error());
  auto key = ClusterKey::from_bytes(std::move(*bytes));
  if (!key) return fail(fmt::format("key file {}: {}", path, key.error().text));
  return key;
}

Result<ClusterKey> load_or_create_key(const std::string& path, const Entropy& entropy) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0 && errno == ENOENT)
    if (Status created = create_key(path, entropy); !created)
      return std::unexpected(created.error());
  return load_key(path);
}

}  // namespace ym
