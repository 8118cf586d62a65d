// SPDX-License-Identifier: Apache-2.0
// A connection whose other end vanished without a word: a cut cable, a machine without power.
#pragma once
#include "base/time.h"

namespace ym {

// The connection fails after about so long without a sign of life, whether or not something is on
// its way. At least some seconds; nothing happens to sockets that are not TCP's.
void watch_for_silence(int fd, Duration patience);

}  // namespace ym
