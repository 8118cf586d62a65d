// SPDX-License-Identifier: Apache-2.0
// What callers tell apart among the errors of a connection's beginning.
#pragma once
#include <cstdint>
#include <string_view>

namespace ym {

// In the error of a session whose server does not speak TLS.
inline constexpr std::string_view kNoTls = "it does not speak TLS";

// The code of an error that people should read: somebody is there, but we do not believe him, or he
// does not believe us.
inline constexpr std::uint32_t kNotBelieved = 1802;

}  // namespace ym
