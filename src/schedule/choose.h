// SPDX-License-Identifier: Apache-2.0
// "Best?": which of the nodes that could take a part of the job get it.
#pragma once
#include <cstdint>
#include <vector>

#include "schedule/placement.h"

namespace ym {

// A node and how many of the job's tasks it could take: at least one.
struct Candidate {
  Free free;
  std::uint32_t capacity = 0;
  std::uint64_t gres = 0;  // what it could give to wishes for the whole job (place_gres.h)
};

struct NodesWanted {
  std::uint32_t nodes_min = 1, nodes_max = 0xffffffff, tasks = 1;
  std::uint64_t gres = 0;
  bool most = false;  // --nodes=min-max: as many as there are, rather than as few as suffice
  bool least_loaded = false;
};

// What some candidates can do together.
struct Sum {
  std::uint64_t tasks = 0, gres = 0;
  void add(const Candidate& one) {
    tasks += one.capacity;
    gres += one.gres;
  }
  void remove(const Candidate& one) {
    tasks -= one.capacity;
    gres -= one.gres;
  }
  bool suffices(const NodesWanted& wanted) const {
    return tasks >= wanted.tasks && gres >= wanted.gres;
  }
};

// Of one who shares: so many users has a CPU there at most, himself among them, if he takes all
// that the node gives him; 0: he does not share.
std::uint32_t users_of(const Free& node);

// Would a node that can take everything be chosen alone, if there is one?
bool takes_one_alone(const JobSpec& spec, const PlacementRules& rules);

// Nodes that together take all tasks, as --nodes, --nodelist, --constraint, --contiguous and
// --spread-job want; empty if there are none. O(candidates log candidates) for each of the
// constraint's alternatives.
std::vector<Candidate> choose(const JobSpec& spec, std::vector<Candidate> candidates,
                              const PlacementRules& rules);

}  // namespace ym
