// SPDX-License-Identifier: Apache-2.0
#include "net/trust_file.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace ym {
namespace {

constexpr std::string_view kRevoked = "# revoked ";
constexpr std::size_t kSerialMax = 64;

bool is_serial(std::string_view text) {
  return !text.empty() && text.size() <= kSerialMax &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

std::string trust_text(const TlsTrust& trust) {
  std::string text = trust.authority;
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const std::string& serial : trust.revoked) {
    text += kRevoked;
    text += serial;
    text += '\n';
  }
  return text;
}

TlsTrust parse_trust(std::string_view text) {
  TlsTrust trust;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kRevoked)) {
      std::string_view serial = line.substr(kRevoked.size());
      if (is_serial(serial) && trust.revoked.size() < kRevokedMax)
        trust.revoked.emplace_back(serial);
    } else {
      trust.authority += line;
      trust.authority += '\n';
    }
  }
  return trust;
}

}  // namespace ym
