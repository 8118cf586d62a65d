// SPDX-License-Identifier: Apache-2.0
// Words of the shepherd in a file of the user.
#pragma once
#include <string>
#include <string_view>

#include "shepherd/order.h"

namespace ym {

// Appends to the file, as the user and from the step's working directory, in a process of its own:
// root must not open what a user names. Waits at most kNoticeWait for it; a file that cannot be
// written stays without.
inline constexpr Duration kNoticeWait = std::chrono::seconds(2);
void append_as_user(const ShepherdOrder& order, const std::string& path, std::string_view text);

}  // namespace ym
