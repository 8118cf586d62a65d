// SPDX-License-Identifier: Apache-2.0
// Partitions that share nodes compete for them; those that share none are machines of their own.
// A ground is such a machine: policies look at one at a time.
#pragma once
#include <cstdint>
#include <vector>

#include "model/ids.h"
#include "schedule/book.h"

namespace ym {

struct Ground {
  PartitionId name;  // the first of its partitions
  // Of its usable nodes.
  std::int64_t nodes = 0, cpus = 0;
  std::uint64_t memory_mb = 0;
  NodeShape shape;  // of the first of them
};

struct Grounds {
  std::vector<Ground> all;
  std::vector<std::uint32_t> of_pool;  // places in `all`, by the book's pools

  // Made anew for each full pass. O(nodes × their partitions).
  static Grounds of(const Book& book);
};

}  // namespace ym
