// SPDX-License-Identifier: Apache-2.0
// Just enough JSON for etcd's gateway: a tree of what it answers, and text for what it is asked.
// Bounded in depth and in number of values; the input is what a network brings.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr int kJsonDepthMax = 32;
inline constexpr std::size_t kJsonValuesMax = 1'000'000;

struct JsonValue {
  // A string's or number's text; "true", "false", "null".
  std::string text;
  std::vector<std::string> names;  // of an object: of its items, one by one
  std::vector<JsonValue> items;    // of an object or an array

  // What is not there is an empty value, so that paths can be walked without asking.
  const JsonValue& at(std::string_view name) const;
  // etcd writes 64-bit numbers as strings. 0 if it is none.
  std::uint64_t number() const;
  std::int64_t signed_number() const;
  bool is_true() const { return text == "true"; }
};

// The first value of the text, and where it ends: streams have several, one after the other.
struct JsonRead {
  JsonValue value;
  std::size_t end = 0;
};
Result<JsonRead> parse_json(std::string_view text);

std::string to_base64(std::string_view bytes);
Result<std::string> from_base64(std::string_view text);

}  // namespace ym
