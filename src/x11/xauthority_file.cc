// SPDX-License-Identifier: Apache-2.0
// The file itself, changed under libXau's lock.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/format.h"
#include "os/clock.h"
#include "os/files.h"
#include "x11/xauthority.h"

namespace ym {
namespace {

constexpr Duration kLockPatience = std::chrono::seconds(10);
constexpr useconds_t kLockPause = 50'000;

// FILE-c is made by whoever wants the lock, and linked to FILE-l by whoever gets it.
class Lock {
 public:
  explicit Lock(const std::string& path) : made_(path + "-c"), held_(path + "-l") {}
  ~Lock() {
    if (!locked_) return;
    ::unlink(made_.c_str());
    ::unlink(held_.c_str());
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  // A lock that nobody gives up is one of a process that died: it is taken over after a while.
  Status take() {
    Duration until = monotonic_clock() + kLockPatience;
    while (!try_once()) {
      if (errno != EEXIST) return fail(errno_text(held_));
      if (monotonic_clock() >= until) {
        ::unlink(made_.c_str());
        ::unlink(held_.c_str());
        if (try_once()) break;
        return fail(errno_text(held_));
      }
      ::usleep(kLockPause);
    }
    locked_ = true;
    return {};
  }

 private:
  bool try_once() const {
    int fd = ::open(made_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) ::close(fd);
    if (fd < 0 && errno != EEXIST) return false;
    return ::link(made_.c_str(), held_.c_str()) == 0;
  }
  const std::string made_, held_;
  bool locked_ = false;
};

}  // namespace

Status set_cookie(const std::string& path, const std::string& host, std::uint32_t number,
                  const std::string& cookie) {
  Lock lock(path);
  if (Status taken = lock.take(); !taken) return taken;
  std::vector<XauthEntry> entries;
  if (::access(path.c_str(), F_OK) == 0) {
    auto bytes = read_file(path, kXauthorityMax);
    if (!bytes) return std::unexpected(bytes.error());
    auto parsed = parse_xauthority(*bytes);
    if (!parsed) return std::unexpected(parsed.error());
    entries = std::move(*parsed);
  }
  XauthEntry entry{.address = host,
                   .number = fmt::format("{}", number),
                   .name = std::string(kCookieName),
                   .data = cookie};
  std::erase_if(entries, [&](const XauthEntry& one) {
    return one.family == entry.family && one.address == entry.address &&
           one.number == entry.number && one.name == entry.name;
  });
  if (!cookie.empty()) entries.push_back(std::move(entry));
  return write_file(path, print_xauthority(entries), 0600, Sync::Yes);
}

}  // namespace ym
