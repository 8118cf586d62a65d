// SPDX-License-Identifier: Apache-2.0
#include "os/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace ym {

void fill_random(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    ssize_t got = ::getrandom(out.data(), out.size(), 0);
    YM_CHECK(got > 0 || (got < 0 && errno == EINTR));
    if (got > 0) out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace ym
