// SPDX-License-Identifier: Apache-2.0
// Being woken soon on a machine whose processors are busy.
#pragma once

namespace ym {

// Asks the kernel for short turns of the calling thread (Linux 6.12 and later; older ones ignore
// it): it gets no more of a processor than before, but what it does takes less than a turn, and who
// wants little runs before those who want much. Threads and processes that it starts have the usual
// turns. A thread with a priority of its own (a nice value below 0) is left as it is.
void take_short_turns();

}  // namespace ym
