// SPDX-License-Identifier: Apache-2.0
// The name service, asked through the program getent(1): for static programs, which cannot load its
// modules. Users and groups of directories (LDAP, SSSD) are found so.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace ym {

inline constexpr Duration kGetentWait = std::chrono::seconds(5);
inline constexpr std::size_t kGetentMax = 64 << 10;  // bytes of an answer

// The line of `getent DATABASE KEY`, without its end. An error if there is none, if the program is
// missing or if it does not answer in time.
Result<std::string> getent(std::string_view database, std::string_view key);

}  // namespace ym
