// SPDX-License-Identifier: Apache-2.0
// .Xauthority: which cookie to show to which X server. The format is libXau's: for each entry a
// family, and four counted texts; all numbers are 16 bits, high byte first. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "x11/display.h"

namespace ym {

inline constexpr std::string_view kCookieName = "MIT-MAGIC-COOKIE-1";
inline constexpr std::size_t kCookieBytes = 16;
inline constexpr std::size_t kXauthorityMax = 1 << 20;

enum class XauthFamily : std::uint16_t { Internet = 0, Internet6 = 6, Local = 256, Wild = 65535 };

struct XauthEntry {
  std::uint16_t family = static_cast<std::uint16_t>(XauthFamily::Local);
  std::string address, number, name, data;
  bool operator==(const XauthEntry&) const = default;
};

// Refuses a file that ends within an entry.
Result<std::vector<XauthEntry>> parse_xauthority(std::string_view bytes);
// REQUIRES: no text is longer than 65535 bytes.
std::string print_xauthority(const std::vector<XauthEntry>& entries);

// Who the server is: this machine's name, and the display's address in network order if it is
// another one's.
struct XauthPlace {
  std::string host;
  std::string address;
};
// The cookie for the display; of several the first, as X clients choose.
std::optional<std::string> find_cookie(const std::vector<XauthEntry>& entries,
                                       const DisplayName& display, const XauthPlace& place);

// The file with an entry for display `number` of `host`, which replaces an earlier one. An empty
// cookie takes it out. Locked as libXau does, so that `xauth` may work on it at the same time.
Status set_cookie(const std::string& path, const std::string& host, std::uint32_t number,
                  const std::string& cookie);

}  // namespace ym
