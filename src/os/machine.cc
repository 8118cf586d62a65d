// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "os/machine.h"

namespace ym {
namespace {

std::uint32_t index_above(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t object) {
  hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return above ? above->logical_index : 0;
}

// hwloc's logical order is by socket, core and thread.
std::vector<MachineCpu> places_of(hwloc_topology_t topology) {
  std::vector<MachineCpu> places;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit))) {
    MachineCpu place{.number = unit->os_index,
                     .socket = index_above(topology, HWLOC_OBJ_PACKAGE, unit),
                     .core = index_above(topology, HWLOC_OBJ_CORE, unit)};
    if (!hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit))
      place.core = unit->logical_index;
    if (!places.empty() && places.back().core == place.core)
      place.thread = places.back().thread + 1;
    int numa = unit->nodeset ? hwloc_bitmap_first(unit->nodeset) : -1;
    place.numa = numa > 0 ? static_cast<std::uint32_t>(numa) : 0;
    places.push_back(place);
  }
  return places;
}

}  // namespace

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
  // What the kernel counts: memory that was added while it ran may belong to no NUMA node, so that
  // hwloc, which adds these up, has less.
  auto pages = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PHYS_PAGES), 1L));
  machine.memory_mb = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE)) >> 20;
  machine.places = places_of(raw);
  return machine;
}

}  // namespace ym
