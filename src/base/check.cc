// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ym {

void check_failed(const char* expression, const char* file, int line) {
  // The one write a pure room may do: the last words before the crash.
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, expression);
  std::abort();
}

}  // namespace ym
