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
  // So many jobs may have a CPU at once, where most do; 1: nobody shares.
  std::uint32_t rows = 1;
  // All cpus, each as often as there are rows.
  std::int64_t room() const { return cpus * rows; }
  // So much of the room do cpus take of a job that is in one of `among` rows; 0: they are its own.
  std::int64_t room_of(std::int64_t taken, std::uint32_t among) const {
    return among ? (taken * rows + among - 1) / among : taken * rows;
  }
};

struct Grounds {
  std::vector<Ground> all;
  std::vector<std::uint32_t> of_pool;  // places in `all`, by the book's pools

  // Made anew for each full pass. Those who take turns (GANG) stand in no rows. O(nodes × their
  // partitions).
  static Grounds of(const Book& book, bool takes_turns = false);
};

}  // namespace ym
