// SPDX-License-Identifier: Apache-2.0
// Colours, for people at a terminal only. Commands whose output is parsed have none.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ym::cli {

enum class Ink : std::uint8_t { Good, Warning, Bad, Strong };

// https://no-color.org: `no_color` is that variable's value, empty if it is not set.
bool wants_colours(bool terminal, std::string_view no_color, std::string_view term);

// The text in that ink, if standard output is a terminal that wants colours.
std::string painted(std::string_view text, Ink ink);
std::string in_ink(std::string_view text, Ink ink);

}  // namespace ym::cli
