// SPDX-License-Identifier: Apache-2.0
#include "agent/topology.h"

#include <algorithm>

namespace ym::agent {

Topology Topology::regular(std::uint32_t sockets, std::uint32_t cores, std::uint32_t threads) {
  Topology out;
  for (std::uint32_t socket = 0; socket < sockets; ++socket)
    for (std::uint32_t core = 0; core < cores; ++core)
      for (std::uint32_t thread = 0; thread < threads; ++thread)
        out.cpus.push_back({.number = thread * sockets * cores + socket * cores + core,
                            .socket = socket,
                            .core = socket * cores + core,
                            .thread = thread,
                            .numa = socket});
  return out;
}

std::uint32_t Topology::core_count() const {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    if (i == 0 || cpus[i].core != cpus[i - 1].core) ++count;
  return count;
}

CpuNumbers Topology::numbers() const { return numbers_of(cpus); }

std::vector<Cpu> Topology::among(const CpuNumbers& numbers) const {
  std::vector<Cpu> out;
  for (const Cpu& cpu : cpus)
    if (std::ranges::binary_search(numbers, cpu.number)) out.push_back(cpu);
  return out;
}

CpuNumbers numbers_of(const std::vector<Cpu>& cpus) {
  CpuNumbers out;
  for (const Cpu& cpu : cpus) out.push_back(cpu.number);
  std::ranges::sort(out);
  return out;
}

}  // namespace ym::agent
