// SPDX-License-Identifier: Apache-2.0
// The values of slurm.conf, read by the type that the table of keys gives them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys.h"

namespace ym {

// "No limit" where a 32-bit number stands, as the model has it.
inline constexpr std::uint32_t kConfigUnlimited = 0xffffffff;

struct Value {
  std::string text;          // as shown: choices and debug levels in their canonical spelling
  std::uint64_t number = 0;  // Number, Limit, Ports (the first), Time (in seconds), YesNo (0 or 1)
  bool unlimited = false;    // Limit and Time only
};

// The error says what is wrong and what would be right: "'maybe' is not YES or NO".
Result<Value> parse_value(const KeyInfo& key, std::string_view text);

// The value as `scontrol show config` prints it: numbers with the unit that the key's default has.
std::string shown_value(const KeyInfo& key, const Value& value);

// The word for a debug level given by name or number; "" if it is neither.
std::string_view debug_level(std::string_view text);

bool is_unlimited(std::string_view text);

// Paths of slurm.conf for one node: %n is its NodeName, %h its NodeHostname, %% a percent sign.
std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view host_name);

}  // namespace ym
