// SPDX-License-Identifier: Apache-2.0
#include "x11/display.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

constexpr std::uint32_t kNumberMax = 0xffff - kX11Port;

}  // namespace

Result<DisplayName> parse_display(std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail("a display is [HOST]:NUMBER[.SCREEN]");
  std::string_view host = text.substr(0, colon), rest = text.substr(colon + 1);
  auto dot = rest.find('.');
  auto number = parse_unsigned<std::uint32_t>(rest.substr(0, dot));
  auto screen =
      dot == std::string_view::npos ? 0u : parse_unsigned<std::uint32_t>(rest.substr(dot + 1));
  if (!number || *number > kNumberMax || !screen)
    return fail("a display is [HOST]:NUMBER[.SCREEN]");
  bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  bool local = host == "unix" || host.starts_with('/');
  return DisplayName{.host = local ? "" : std::string(host), .number = *number, .screen = *screen};
}

Address address_of(const DisplayName& display) {
  if (display.host.empty()) return {.path = fmt::format("/tmp/.X11-unix/X{}", display.number)};
  return {.path = "",
          .host = display.host,
          .port = static_cast<std::uint16_t>(kX11Port + display.number)};
}

}  // namespace ym
