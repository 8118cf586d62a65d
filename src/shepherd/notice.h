// SPDX-License-Identifier: Apache-2.0
// A word to the user in a task's own error file: why it is being ended.
#pragma once
#include <string>

#include "base/time.h"
#include "shepherd/order.h"

namespace ym {

// How long a file that cannot be written holds a kill up.
inline constexpr Duration kNoticeWait{500};

// Appends `text` to the task's stderr file. A child does it, as the user: nothing is opened with
// root's rights, and a file system that hangs does not hang the shepherd. Returns when it is done,
// or after kNoticeWait. REQUIRES: task.std_err is not empty.
void write_notice(const ShepherdOrder& order, const TaskOrder& task, const std::string& text);

}  // namespace ym
