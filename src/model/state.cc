// SPDX-License-Identifier: Apache-2.0
#include "model/state.h"

namespace ym {

const Node* State::find_node(std::string_view name) const {
  auto at = node_names->find(name);
  return at == node_names->end() ? nullptr : find(at->second);
}

const Partition* State::find_partition(std::string_view name) const {
  auto at = partition_names->find(name);
  return at == partition_names->end() ? nullptr : find(at->second);
}

const Reservation* State::find_reservation(std::string_view name) const {
  const Reservation* found = nullptr;
  reservations.for_each([&](std::uint64_t, const Reservation& one) {
    if (one.name == name) found = &one;
  });
  return found;
}

const Partition* State::default_partition() const {
  const Partition* found = nullptr;
  partitions.for_each([&](std::uint64_t, const Partition& partition) {
    if (partition.spec->is_default) found = &partition;
  });
  return found;
}

Sluid next_sluid(const State& state, Instant now) {
  // 42 bits of milliseconds, 22 to count within one. If more are wanted, or the clock stands still
  // or goes back, counting simply runs on into the next millisecond: order is kept, and the time in
  // it stays within reach.
  constexpr int kCounterBits = 22;
  std::uint64_t by_clock = static_cast<std::uint64_t>(now.unix_ms) << kCounterBits;
  return Sluid{std::max(by_clock, state.last_sluid.value + 1)};
}

const Job* State::find_element(JobId array, std::uint32_t task) const {
  if (task > kArrayIndexMax) return nullptr;
  const JobId* id = elements.find(element_key(array, task));
  return id ? find(*id) : nullptr;
}

void State::note_element(const Job& job) {
  if (job.array_job && job.array_task != kNoTask)
    elements.put(element_key(job.array_job, job.array_task), job.id);
}

}  // namespace ym
