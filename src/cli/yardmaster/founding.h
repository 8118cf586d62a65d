// SPDX-License-Identifier: Apache-2.0
// Makes the folder and the slurm.conf of a personal cluster, or takes those that are there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "site/configuration.h"

namespace ym::cli {

struct FoundingWishes {
  std::optional<std::uint32_t> nodes, cpus;
};

inline constexpr std::uint32_t kPersonalNodesUsual = 4;
// Clients' own ports are given out from 32768 on (ip_local_port_range): stay below them.
inline constexpr std::uint16_t kPortsBegin = 20000, kPortsEnd = 32000;

struct Founded {
  LoadedConfiguration loaded;
  bool by_hand = false;  // somebody has edited slurm.conf: it was left alone
};
// A file that somebody edited is never written to, and neither is that of a cluster that runs.
// Afterwards all folders that the configuration names exist.
Result<Founded> found_cluster(const std::string& folder, const FoundingWishes& wishes);

// Whether 127.0.0.1 takes a listener on the port.
bool port_is_free(std::uint16_t port);
// `count` free ports one after the other, looked for from a place that depends on `seed`.
Result<std::uint16_t> free_ports(std::size_t count, std::uint64_t seed);

// What this process may use of the machine.
std::uint32_t machine_cpus();
std::uint64_t machine_memory_mb();

}  // namespace ym::cli
