// SPDX-License-Identifier: Apache-2.0
#include "config/munge.h"

#include "base/format.h"
#include "base/text.h"

namespace ym {

MungeConfig munge_of(const MainConfig& config) {
  constexpr std::string_view kSocket = "socket=";
  MungeConfig out;
  for (const auto& [name, value] : config.shown) {
    if (name == "AuthType") out.enabled = same_ignoring_case(value, "auth/munge");
    if (name != "AuthInfo") continue;
    for (std::string_view word : split_words(value, ','))
      if (starts_with_ignoring_case(word, kSocket)) out.socket = word.substr(kSocket.size());
  }
  return out;
}

std::string munge_payload(const std::string& cluster, std::string_view binding) {
  std::string text = "yardmaster cluster " + cluster;
  if (binding.empty()) return text;
  text += " channel ";
  for (unsigned char byte : binding) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace ym
