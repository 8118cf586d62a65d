// SPDX-License-Identifier: Apache-2.0
#include "os/temporary.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>

#include "base/format.h"

namespace ym {

Result<std::string> write_temporary(std::string prefix, std::string_view text) {
  std::string path = std::move(prefix) + "XXXXXX";
  int fd = ::mkostemp(path.data(), O_CLOEXEC);  // O_EXCL and mode 0600 are its habit
  if (fd < 0) return fail(fmt::format("{} cannot be written", path));
  while (!text.empty()) {
    ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  bool closed = ::close(fd) == 0;
  if (text.empty() && closed) return path;
  ::unlink(path.c_str());
  return fail(fmt::format("{} cannot be written", path));
}

}  // namespace ym
