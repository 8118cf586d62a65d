// SPDX-License-Identifier: Apache-2.0
// Signals by name and number, as scancel -s and --signal take them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ym::cli {

// "KILL", "SIGKILL", "kill" or "9"; nothing if it is no signal.
std::optional<std::uint16_t> parse_signal(std::string_view text);
// "SIGKILL"; the number if it has no name.
std::string signal_name(std::uint16_t signal);
// For people: "Killed", "Segmentation fault".
std::string signal_text(std::uint16_t signal);

}  // namespace ym::cli
