// SPDX-License-Identifier: Apache-2.0
// A file to all nodes of a job: for sbcast and for srun --bcast.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/common/controller.h"

namespace ym::cli {

inline constexpr std::uint64_t kPieceDefault = 8u << 20;
inline constexpr std::uint64_t kPieceMax = 32u << 20;

struct BroadcastWish {
  std::string source;
  std::string destination;  // relative: to our working directory; ending in /: a folder
  bool compress = false, force = false, preserve = false;
  std::uint32_t fanout = 0;  // 0: slurm.conf's TreeWidth
  std::uint64_t piece = kPieceDefault;
  Duration patience = std::chrono::seconds(120);
};

// Of the nodes to which it could not be copied: their errors. An error is one of our own side.
Result<std::vector<NodeOutcome>> broadcast(Controller& controller, const StepCreated& job,
                                           const BroadcastWish& wish);

// The program and, beside it in a folder named after it (NAME_libs), its libraries.
Result<std::vector<NodeOutcome>> broadcast_with_libraries(
    Controller& controller, const StepCreated& job, const BroadcastWish& wish,
    const std::vector<std::string>& exclusions);

// "DestDir=/tmp,Compression=lz4,send_libs": the value of one, or nothing if it is not there.
std::optional<std::string> bcast_parameter(std::string_view parameters, std::string_view name);
// The path on the nodes. `parameters` are slurm.conf's BcastParameters.
std::string destination_of(const std::string& source, const std::string& given,
                           std::string_view parameters);
// --compress and its values; an error for what there is not.
Result<bool> parse_compression(std::string_view text);
// "8m", "512k", bytes.
Result<std::uint64_t> parse_piece(std::string_view text);

}  // namespace ym::cli
