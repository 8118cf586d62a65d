// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "os/machine.h"

namespace ym {

Result<Machine> examine_machine() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail("hwloc cannot be initialised");
  std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)> topology(raw, hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return fail("hwloc cannot examine this machine");
  auto count = [&](hwloc_obj_type_t type) {
    return static_cast<std::uint32_t>(std::max(hwloc_get_nbobjs_by_type(raw, type), 0));
  };
  std::uint32_t sockets = std::max(count(HWLOC_OBJ_PACKAGE), 1u);
  std::uint32_t threads = std::max(count(HWLOC_OBJ_PU), 1u);
  std::uint32_t cores = std::clamp(count(HWLOC_OBJ_CORE), 1u, threads);
  Machine machine{.cpus = threads,
                  .sockets = sockets,
                  .cores_per_socket = std::max(cores / sockets, 1u),
                  .threads_per_core = std::max(threads / cores, 1u)};
  machine.memory_mb = hwloc_get_root_obj(raw)->total_memory >> 20;
  return machine;
}

}  // namespace ym
