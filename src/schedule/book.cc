// SPDX-License-Identifier: Apache-2.0
#include "schedule/book.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace ym {
namespace {

void set_bit(Bits& bits, std::uint32_t place, bool on) {
  std::uint64_t bit = std::uint64_t{1} << (place % 64);
  if (on)
    bits[place / 64] |= bit;
  else
    bits[place / 64] &= ~bit;
}

// Nodes with so many cpus have the bits of all levels below this.
std::size_t levels_of(std::uint32_t cpus) {
  return std::min<std::size_t>(Pool::kLevels, static_cast<std::size_t>(std::bit_width(cpus)));
}

// The most that a row has left for one more who shares; 0 where somebody has CPUs for himself.
std::uint32_t most_in_rows(const Track& track, std::uint32_t sharers) {
  std::map<std::uint32_t, std::uint32_t> used;
  for (const Holding& one : track.holdings) {
    if (one.row == 0) return 0;
    used[one.row] += one.cpus;
  }
  std::uint32_t total = track.free.cpus_total, most = used.size() < sharers ? total : 0;
  for (const auto& [row, cpus] : used)
    if (row <= sharers) most = std::max(most, total - std::min(total, cpus));
  return most;
}

bool same(const Book::Running& a, const Book::Running& b) {
  return a.end == b.end && a.allocation.same_as(b.allocation) && a.nodes_left == b.nodes_left &&
         a.counts == b.counts && a.is_suspended == b.is_suspended &&
         a.makes_room_for == b.makes_room_for;
}

}  // namespace

void add_promise(Track& track, Promised promised) {
  auto key = [](const Promised& one) { return std::tuple(one.from, one.job); };
  auto at = std::ranges::upper_bound(track.promised, key(promised), {}, key);
  track.promised_alone += promised.for_user || promised.for_mcs;
  track.promised.insert(at, std::move(promised));
}

void count_sharers(Track& track) {
  auto shared = std::ranges::count_if(track.holdings, [](const Holding& one) { return one.row; });
  if (shared == 0) return;
  track.free.cpus = 0;
  track.free.cpus_owed = static_cast<std::uint64_t>(shared - 1) * track.free.cpus_total;
}

void Book::rebuild(const State& state) {
  std::uint64_t passes = passes_;
  *this = Book();
  passes_ = passes;
  std::uint64_t last = 0;
  state.nodes.for_each([&](std::uint64_t id, const Node&) { last = id; });
  tracks_.resize(last + 1);
  state.partitions.for_each([&](std::uint64_t, const Partition& partition) {
    auto number = static_cast<std::uint32_t>(pools_.size());
    pool_by_partition_[partition.id] = number;
    Pool& pool = pools_.emplace_back();
    pool.partition = partition.id;
    pool.nodes = *partition.nodes;
    pool.sharers = sharers_in(*partition.spec);
    std::size_t words = (pool.nodes.size() + 63) / 64;
    for (Bits& bits : pool.free) bits.resize(words);
    pool.idle.resize(words);
    for (std::uint32_t place = 0; place < pool.nodes.size(); ++place)
      if (knows(pool.nodes[place])) track(pool.nodes[place]).in.emplace_back(number, place);
  });
  state.jobs.for_each([&](std::uint64_t, const Job& job) { refresh(job.id, state); });
  state.nodes.for_each([&](std::uint64_t, const Node& node) { refresh(node.id, state); });
}

void Book::refresh(NodeId id, const State& state) {
  const Node* node = state.find(id);
  if (id.value >= tracks_.size()) tracks_.resize(id.value + 1);
  Track& track = tracks_[id.value];
  if (track.usable) cpus_ -= track.free.cpus_total;
  Free before = track.usable ? track.free : Free{};
  track.usable = node && node->usable();
  if (node) {
    track.spec = node->spec;
    track.free = free_now(*node);
    if (node->features_chosen) {
      track.features = Ref(node->active_features);
      track.free.features_chosen = &*track.features;
    }
    track.jobs = node->jobs;
    // What jobs that are suspended for others want back is for those who may suspend them only.
    track.free.cpus -= std::min(track.free.cpus, node->parked_cpus);
    track.free.idle = track.free.idle && node->parked == 0;
    if (node->rows) count_sharers(track);
  }
  if (track.usable) cpus_ += track.free.cpus_total;
  const Free& after = track.free;
  bool shared = node && node->rows;  // what is free in their rows is not in `free`
  mark(track, after.cpus > before.cpus || after.memory_mb > before.memory_mb || shared ||
                  (after.idle && !before.idle) || !(after.gres == before.gres));
}

// Sets the bits of its pools. `more` of it is free than before: who was blocked may try again.
void Book::mark(Track& track, bool more) {
  track.levels.made = false;
  track.row_levels.clear();
  for (const auto& [number, place] : track.in) {
    Pool& pool = pools_[number];
    std::uint32_t cpus = track.free.cpus;
    if (pool.sharers > 1) cpus = std::max(cpus, most_in_rows(track, pool.sharers));
    std::size_t levels = track.usable ? levels_of(cpus) : 0;
    for (std::size_t level = 0; level < Pool::kLevels; ++level)
      set_bit(pool.free[level], place, level < levels);
    set_bit(pool.idle, place, track.usable && track.free.idle);
    pool.cpus_most = std::max(pool.cpus_most, track.free.cpus_total);
    if (levels == 0 || !more) continue;
    if (pool.awake_cpus == 0) awake_pools_.push_back(number);
    pool.awake_cpus = std::max(pool.awake_cpus, cpus);
  }
}

void Book::wake(NodeId id) {
  if (knows(id)) mark(track(id), true);
}

void Book::forget_changes() {
  for (std::uint32_t number : awake_pools_) pools_[number].awake_cpus = 0;
  awake_pools_.clear();
  eased_ = false;
}

void Book::refresh(JobId id, const State& state) {
  const Job* job = state.find(id);
  auto before = running_.find(id);
  if (!job || !job->holds_resources()) {
    if (before == running_.end()) return;
    std::vector<NodeShare> shares = before->second.allocation->nodes;
    drop(id, state.time);
    for (const NodeShare& share : shares) refresh(share.node, state);
    return;
  }
  Running running{
      // A completing job gives its nodes back as soon as they are clean: expect that at once.
      .end = job->completing() ? job->end : job->limit_end,
      .allocation = job->allocation,
      .nodes_left = job->nodes_left,
      .array_job = job->array_job,
      .counts = !job->completing(),
      .is_suspended = job->state == JobState::Suspended,
      .makes_room_for = job->preemption->mode == PreemptMode::Cancel ||
                                job->preemption->mode == PreemptMode::Requeue
                            ? job->preemption->by
                            : JobId()};
  if (before != running_.end() && same(before->second, running)) return;
  std::vector<NodeShare> shares;
  if (before != running_.end()) {
    shares = before->second.allocation->nodes;
    if (running.end < before->second.end) eased_ = true;
    drop(id, before->second.end);
  }
  hold(id, running);
  for (const NodeShare& share : shares) refresh(share.node, state);
  for (const NodeShare& share : running.allocation->nodes) refresh(share.node, state);
}

void Book::hold(JobId id, const Running& running) {
  running_[id] = running;
  if (running.counts && running.array_job) ++array_running_[running.array_job];
  if (running.makes_room_for) ++leaving_for_[running.makes_room_for];
  if (!running.allocation->licenses.empty() && running.counts && !running.is_suspended)
    licensed_[id] = running;
  if (running.allocation->topo_alone && !running.is_suspended) alone_.insert(id);
  if (running.is_suspended) return;
  for_each_share(running, [&](const NodeShare& share) {
    if (!knows(share.node)) tracks_.resize(share.node.value + 1);
    std::vector<Holding>& holdings = track(share.node).holdings;
    Holding holding{.at = running.end,
                    .job = id,
                    .cpus = share.cpus,
                    .memory_mb = share.memory_mb,
                    .allocation = running.allocation->gres ? running.allocation : Ref<Allocation>(),
                    .row = share.row};
    auto key = [](const Holding& one) { return std::tuple(one.at, one.job); };
    holdings.insert(std::ranges::upper_bound(holdings, key(holding), {}, key), std::move(holding));
  });
}

// `now` before its end: it goes before its time.
void Book::drop(JobId id, Instant now) {
  auto at = running_.find(id);
  const Running& running = at->second;
  if (now < running.end) eased_ = true;
  if (running.counts && running.array_job && --array_running_[running.array_job] == 0)
    array_running_.erase(running.array_job);
  if (running.makes_room_for && --leaving_for_[running.makes_room_for] == 0)
    leaving_for_.erase(running.makes_room_for);
  licensed_.erase(id);
  alone_.erase(id);
  for (const NodeShare& share : running.allocation->nodes)
    if (knows(share.node))
      std::erase_if(track(share.node).holdings, [&](const Holding& one) { return one.job == id; });
  running_.erase(at);
}

const std::uint32_t* Book::pool_of(PartitionId id) const {
  auto at = pool_by_partition_.find(id);
  return at == pool_by_partition_.end() ? nullptr : &at->second;
}

std::uint32_t Book::leaving_for(JobId job) const {
  auto at = leaving_for_.find(job);
  return at == leaving_for_.end() ? 0 : at->second;
}

std::uint32_t Book::running_of_array(JobId array) const {
  auto at = array_running_.find(array);
  return at == array_running_.end() ? 0 : at->second;
}

}  // namespace ym
