// SPDX-License-Identifier: Apache-2.0
#include "x11/cookie.h"

#include <limits.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "net/key.h"
#include "x11/xauthority.h"

namespace ym {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string cookie_host() {
  char name[HOST_NAME_MAX + 1] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string new_cookie() {
  std::string out(kCookieBytes, '\0');
  system_entropy()(std::span(reinterpret_cast<std::uint8_t*>(out.data()), out.size()));
  return out;
}

std::string hex_of_bytes(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    auto byte = static_cast<std::uint8_t>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    auto high = kDigits.find(text[i]), low = kDigits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

}  // namespace ym
