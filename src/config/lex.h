// SPDX-License-Identifier: Apache-2.0
// slurm.conf as lines of `Key=Value`: comments, quotes, continuations and includes are dealt with
// here, meaning is not.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/diagnostics.h"

namespace ym {

// How the room reads: the path as the configuration names it, made absolute by the including file's
// folder.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

inline constexpr std::size_t kConfigBytesMax = 64 << 20;  // of all files together
inline constexpr std::size_t kConfigLinesMax = 2'000'000;
inline constexpr std::size_t kConfigLineBytesMax = 1 << 20;  // of one line, continuations joined
inline constexpr std::size_t kConfigFilesMax = 1'000;
inline constexpr std::size_t kIncludeDepthMax = 16;

struct Assignment {
  std::string key, value;
  bool operator==(const Assignment&) const = default;
};

struct ConfigLine {
  Place place;
  std::vector<Assignment> assignments;
};

// One logical line without its comment: `A=1 B = "two words"`. The error says what is wrong with
// it.
Result<std::vector<Assignment>> split_assignments(std::string_view line);

// Does the key open a line of its own kind: NodeName, PartitionName …?
bool opens_entity(std::string_view key);

// MainKeys: without the lines that such a key begins, which are passed over as a whole.
enum class Reading : std::uint8_t { All, MainKeys };

// All lines of the file and of those it includes, in order. Trouble goes to `diagnostics`; reading
// goes on behind it. Each file read is added to the diagnostics' list of files and to `files` under
// the path that was read.
std::vector<ConfigLine> read_lines(const std::string& path, const ReadFile& read_file,
                                   Diagnostics& diagnostics, std::vector<std::string>& files,
                                   Reading reading = Reading::All);

}  // namespace ym
