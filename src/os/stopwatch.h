// SPDX-License-Identifier: Apache-2.0
// For measuring what something takes.
#pragma once
#include <chrono>

namespace ym {

// Since some moment; never goes back (clock_real.cc).
std::chrono::microseconds stopwatch();
std::chrono::nanoseconds fine_stopwatch();

}  // namespace ym
