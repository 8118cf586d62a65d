// SPDX-License-Identifier: Apache-2.0
// What this machine is made of. machine.cc needs libhwloc, machine_load.cc does not.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ym {

// Where a CPU is. `core` is unique on the machine; `number` and `numa` are the kernel's.
struct MachineCpu {
  std::uint32_t number = 0, socket = 0, core = 0, thread = 0, numa = 0;
};

struct Machine {
  std::uint32_t cpus = 1, boards = 1, sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::uint64_t memory_mb = 1;
  std::vector<MachineCpu> places;  // ascending by socket, core, thread; empty: unknown
};
Result<Machine> examine_machine();

struct MachineLoad {
  std::uint32_t cpu_load = 0;  // hundredths, one minute's average
  std::uint64_t free_memory_mb = 0;
};
MachineLoad machine_load();
// Size of the file system that holds the path; 0 if unknown.
std::uint64_t filesystem_mb(const std::string& path);
Instant boot_time();
// New at each boot.
std::string boot_id();
// "Linux 6.1.0-13-amd64 #1 SMP …" and "x86_64".
std::string operating_system();
std::string architecture();

}  // namespace ym
