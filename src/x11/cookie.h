// SPDX-License-Identifier: Apache-2.0
// Cookies as bytes and as text.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ym {

// This machine's whole name, under which cookies of its displays stand.
std::string cookie_host();
// 16 bytes that nobody can foresee.
std::string new_cookie();
std::string hex_of_bytes(std::string_view bytes);
// Nothing if there is anything but pairs of digits.
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace ym
