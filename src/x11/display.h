// SPDX-License-Identifier: Apache-2.0
// The name of a display: [HOST]:NUMBER[.SCREEN]. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/address.h"

namespace ym {

inline constexpr std::uint16_t kX11Port = 6000;  // of display 0

struct DisplayName {
  std::string host;  // empty: this machine, by its socket
  std::uint32_t number = 0, screen = 0;
  bool operator==(const DisplayName&) const = default;
};
// Also "unix:0" and, as some systems have it, the path of a socket that ends in ":0".
Result<DisplayName> parse_display(std::string_view text);
// Where its server listens.
Address address_of(const DisplayName& display);

}  // namespace ym
