// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree of values, for configuration files that are written in it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

struct YamlNode {
  enum class Kind : std::uint8_t { Text, List, Map };
  Kind kind = Kind::Text;
  std::string key;              // of an entry of a map
  std::string text;             // of Text
  std::vector<YamlNode> items;  // of List and Map, in the file's order
  std::size_t line = 0;         // from 1

  // Null if it is no map or has no such key.
  const YamlNode* find(std::string_view key) const;
};

inline constexpr std::size_t kYamlNodesMax = 1'000'000;
inline constexpr std::uint32_t kYamlDepthMax = 32;

// The only document of the text. Aliases are refused; keys are texts. "file:line: what is wrong".
Result<YamlNode> parse_yaml(const std::string& path, std::string_view text);

}  // namespace ym
