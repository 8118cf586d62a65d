// SPDX-License-Identifier: Apache-2.0
// One small JSON object (RFC 8259), as tokens have it. Pure and strict. Debian's RapidJSON does not
// pass here: its document.h does not compile with clang-19, and its stack offsets a null pointer,
// which our sanitizers refuse.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kJsonSizeMax = 8192;
inline constexpr int kJsonDepthMax = 16;

class JsonObject {
 public:
  struct Other {       // null, true, false, an array or an object: there, and well formed
    std::string text;  // of an array or an object, as it stands there
    bool operator==(const Other&) const = default;
  };
  using Value = std::variant<Other, std::int64_t, double, std::string>;

  // Refuses what is not exactly one object, a name given twice (readers would differ in which they
  // believe), broken UTF-8, and anything above the limits.
  static Result<JsonObject> parse(std::string_view text, std::size_t size_max = kJsonSizeMax);
  // An array of objects, and of nothing else.
  static Result<std::vector<JsonObject>> parse_array(std::string_view text, std::size_t size_max);
  // Null if there is no such member.
  const Value* find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, Value>> members_;
};

// With its quotes. `text` must be UTF-8.
std::string json_quoted(std::string_view text);

}  // namespace ym
