// SPDX-License-Identifier: Apache-2.0
// YM_CHECK: a truth about our own code. On in every build: crash, restart, replay (STYLE: "We are
// wrong").
#pragma once

namespace ym {
[[noreturn]] void check_failed(const char* expression, const char* file, int line);
}

#define YM_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::ym::check_failed(#expression, __FILE__, __LINE__))
