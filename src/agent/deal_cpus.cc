// SPDX-License-Identifier: Apache-2.0
// Which CPUs each task of a step has, by sockets and cores.
#include <algorithm>
#include <optional>
#include <set>

#include "agent/binding.h"
#include "notation/distribution.h"

namespace ym::agent {
namespace {

class Dealer {
 public:
  Dealer(const std::vector<Cpu>& pool, Spread sockets, Spread cores)
      : pool_(pool), free_(pool.size(), true), left_(pool.size()), by_sockets_(sockets) {
    by_cores_ = cores == Spread::Default ? sockets : cores;
    for (const Cpu& cpu : pool_) {
      if (sockets_.empty() || sockets_.back() != cpu.socket) sockets_.push_back(cpu.socket);
      cores_.insert(cpu.core);
    }
  }

  std::size_t core_count() const { return cores_.size(); }

  CpuNumbers deal(std::uint32_t count, bool threads_are_needed) {
    CpuNumbers out;
    std::set<std::uint32_t> held;
    if (left_ == 0) refill();
    if (by_sockets_ != Spread::Fcyclic) turn_to_socket_with(count);
    while (out.size() < count && out.size() < pool_.size()) {
      if (left_ == 0) refill();
      if (by_sockets_ == Spread::Fcyclic && !out.empty()) next_socket();
      while (free_in(sockets_[at_]) == 0) next_socket();
      std::size_t chosen = choose(sockets_[at_], held, threads_are_needed);
      free_[chosen] = false;
      --left_;
      held.insert(pool_[chosen].core);
      out.push_back(pool_[chosen].number);
    }
    if (by_sockets_ != Spread::Block) next_socket();
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
  }

 private:
  void refill() {
    free_.assign(pool_.size(), true);
    left_ = pool_.size();
    at_ = 0;
  }
  void next_socket() { at_ = (at_ + 1) % sockets_.size(); }
  std::size_t free_in(std::uint32_t socket) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < pool_.size(); ++i) count += free_[i] && pool_[i].socket == socket;
    return count;
  }
  // All CPUs of a task come from one socket if any has as many.
  void turn_to_socket_with(std::uint32_t count) {
    for (std::size_t n = 0; n < sockets_.size(); ++n) {
      if (free_in(sockets_[at_]) >= count) return;
      next_socket();
    }
  }

  // The CPU with the least of: a core that the task has not; the core's rank; its number.
  std::size_t choose(std::uint32_t socket, const std::set<std::uint32_t>& held,
                     bool threads_are_needed) const {
    std::optional<std::size_t> best;
    std::pair<int, long> best_rank;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (!free_[i] || pool_[i].socket != socket) continue;
      bool stays = by_cores_ != Spread::Fcyclic && held.contains(pool_[i].core);
      std::pair<int, long> rank{stays ? 0 : 1, core_rank(pool_[i].core, threads_are_needed)};
      if (!best || rank < best_rank) {
        best = i;
        best_rank = rank;
      }
    }
    return *best;
  }
  // Block fills a core that was begun, if its threads are needed at all; everything else goes to
  // the core with the most free threads.
  long core_rank(std::uint32_t core, bool threads_are_needed) const {
    long free = 0;
    for (std::size_t i = 0; i < pool_.size(); ++i) free += free_[i] && pool_[i].core == core;
    return by_cores_ == Spread::Block && threads_are_needed ? free : -free;
  }

  const std::vector<Cpu>& pool_;
  std::vector<bool> free_;
  std::size_t left_ = 0, at_ = 0;
  Spread by_sockets_, by_cores_ = Spread::Cyclic;
  std::vector<std::uint32_t> sockets_;
  std::set<std::uint32_t> cores_;
};

}  // namespace

std::vector<CpuNumbers> deal_cpus(const std::vector<Cpu>& pool, std::uint32_t tasks,
                                  std::uint32_t cpus_per_task, const std::string& distribution) {
  std::vector<CpuNumbers> out(tasks);
  if (pool.empty()) return out;
  auto parsed = Distribution::parse(distribution).value_or(Distribution{});
  Dealer dealer(pool, parsed.sockets == Spread::Default ? Spread::Cyclic : parsed.sockets,
                parsed.cores);
  std::uint64_t needed = std::uint64_t{tasks} * std::max(1u, cpus_per_task);
  for (CpuNumbers& cpus : out)
    cpus = dealer.deal(std::max(1u, cpus_per_task), needed > dealer.core_count());
  return out;
}

}  // namespace ym::agent
