// SPDX-License-Identifier: Apache-2.0
// The names of things. Everything in the model refers to everything else by one of these, never by
// pointer.
#pragma once
#include <cstdint>

#include "base/id.h"

namespace ym {

// Slurm's 32-bit job number. Bits 26–31 are the cluster of origin in a grid, 0 outside of one.
using JobId = Id<struct JobTag, std::uint32_t>;
inline constexpr std::uint32_t kJobIdLocalBits = 26;
inline constexpr std::uint32_t kJobIdLocalMax = (1u << kJobIdLocalBits) - 1;

// One attempt at running a job: 64 bits that sort by time, new at each requeue. Printed as `s` and
// 13 characters.
using Sluid = Id<struct SluidTag, std::uint64_t>;

using NodeId = Id<struct NodeTag, std::uint32_t>;
using PartitionId = Id<struct PartitionTag, std::uint32_t>;
// Place in the event log; the first event is 1.
using Seq = Id<struct SeqTag, std::uint64_t>;

struct Uid {
  std::uint32_t value = 0;
  auto operator<=>(const Uid&) const = default;
};
struct Gid {
  std::uint32_t value = 0;
  auto operator<=>(const Gid&) const = default;
};

// A step within a job. The named ones have Slurm's own numbers, which scripts and accounting know.
struct StepId {
  std::uint32_t value = 0;
  auto operator<=>(const StepId&) const = default;
};
inline constexpr StepId kBatchStep{0xfffffffb};
inline constexpr StepId kExternStep{0xfffffffc};
inline constexpr StepId kInteractiveStep{0xfffffffa};
// Shepherds of slurmd's own programs around an attempt; these numbers never leave the node.
inline constexpr StepId kPrologStep{0xfffffff0};
inline constexpr StepId kEpilogStep{0xfffffff1};

}  // namespace ym
