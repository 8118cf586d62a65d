// SPDX-License-Identifier: Apache-2.0
// The CPUs of a node, as its brain sees them: where each one is.
#pragma once
#include <cstdint>
#include <vector>

#include "notation/cpu_list.h"

namespace ym::agent {

struct Cpu {
  std::uint32_t number = 0;  // the kernel's
  std::uint32_t socket = 0;
  std::uint32_t core = 0;    // unique on the machine
  std::uint32_t thread = 0;  // within its core
  std::uint32_t numa = 0;    // the kernel's number of its memory domain
};

// Ascending by socket, core, thread.
struct Topology {
  std::vector<Cpu> cpus;

  // Of a regular machine whose CPUs are numbered as Linux often does: all first threads, then the
  // second ones. One memory domain for each socket.
  static Topology regular(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads);
  std::uint32_t core_count() const;
  CpuNumbers numbers() const;  // ascending
  // Those that are in the set, in the topology's order.
  std::vector<Cpu> among(const CpuNumbers& numbers) const;
};

// The numbers, ascending.
CpuNumbers numbers_of(const std::vector<Cpu>& cpus);

}  // namespace ym::agent
