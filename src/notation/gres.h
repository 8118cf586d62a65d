// SPDX-License-Identifier: Apache-2.0
// Lists of generic resources as users and configurations write them: "gpu:a100:2,shard:4" and
// "bandwidth:lustre:no_consume:4G".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

inline constexpr std::size_t kGresTermsMax = 64;  // of one list
inline constexpr std::size_t kGresNameMax = 64;   // bytes of a name or a type
inline constexpr std::size_t kGresFilesMax = 1024;

struct GresTerm {
  std::string name, type;
  std::uint64_t count = 1;
  bool no_consume = false;
  bool operator==(const GresTerm&) const = default;
};

// 2, 4K, 1G: units are powers of 1024.
std::optional<std::uint64_t> parse_gres_count(std::string_view text);
// Letters, digits, '_', '-' and '.'; not a count.
bool valid_gres_name(std::string_view text);

// NAME[:TYPE][:COUNT], separated by commas; NAME may follow "gres/" or "gres:", and '=' may stand
// before the count. The empty text is the empty list. What stands twice counts twice.
Result<std::vector<GresTerm>> parse_gres(std::string_view text);
// The same as NodeName lines have it: with NAME[:TYPE][:no_consume][:COUNT], and with what in
// brackets sinfo adds: gpu:2(S:0-1).
Result<std::vector<GresTerm>> parse_node_gres(std::string_view text);
// "gpu:a100:2,shard:4"
std::string print_gres(const std::vector<GresTerm>& terms);

// "/dev/nvidia[0-3,7],/dev/x": each by itself.
Result<std::vector<std::string>> expand_files(std::string_view text);

}  // namespace ym
