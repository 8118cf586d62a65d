// SPDX-License-Identifier: Apache-2.0
// What the files of scenarios share: the beginning of time, numbers, lists of names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "notation/hostlist.h"

namespace ym::sim {

inline constexpr Instant kZero{1'700'000'000'000};

// A word of a scenario, compared with those that mean something. One that is none of them is a
// mistake: mem= written as memory= would show nothing.
class Known {
 public:
  explicit Known(std::string_view word) : word_(word) {}
  bool operator==(std::string_view other) const {
    known_ = known_ || word_ == other;
    return word_ == other;
  }
  // What is said about it; nothing of one that was known.
  std::string complaint() const {
    return known_ ? std::string() : "what is " + std::string(word_) + "?\n";
  }

 private:
  std::string_view word_;
  mutable bool known_ = false;
};

inline std::uint32_t number(std::string_view text) {
  return parse_unsigned<std::uint32_t>(text).value_or(0);
}
inline Instant moment(std::string_view seconds) {
  return kZero + std::chrono::seconds(number(seconds));
}
inline std::vector<std::string> names_of(std::string_view list) {
  std::vector<std::string> names;
  if (auto hosts = Hostlist::parse(list))
    hosts->for_each([&](std::string_view host) { names.emplace_back(host); });
  return names;
}

}  // namespace ym::sim
