// SPDX-License-Identifier: Apache-2.0
#include "agent/cpus.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ym::agent {
namespace {

struct Core {
  std::uint32_t socket = 0;
  std::vector<std::uint32_t> free;  // CPUs of the level that is looked at
  bool whole = false;               // all of its CPUs are
};

std::vector<Core> cores_of(const std::vector<Cpu>& pool, const auto& is_free) {
  std::vector<Core> cores;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (i == 0 || pool[i].core != pool[i - 1].core)
      cores.push_back({.socket = pool[i].socket, .whole = true});
    if (is_free(pool[i]))
      cores.back().free.push_back(pool[i].number);
    else
      cores.back().whole = false;
  }
  return cores;
}

// The socket whose whole cores leave the least over when `count` CPUs are taken from them.
std::optional<std::uint32_t> best_socket(const std::vector<Core>& cores, std::uint32_t count) {
  std::map<std::uint32_t, std::size_t> free;
  for (const Core& core : cores)
    if (core.whole) free[core.socket] += core.free.size();
  std::optional<std::uint32_t> best;
  for (const auto& [socket, size] : free)
    if (size >= count && (!best || size < free[*best])) best = socket;
  return best;
}

// Takes up to `count` free CPUs: whole cores, then threads of broken ones, then of whole ones.
void take(std::vector<Core> cores, std::uint32_t count, CpuNumbers& out) {
  if (auto best = best_socket(cores, count)) {
    auto first = std::ranges::find(cores, *best, &Core::socket);
    auto last = std::find_if(first, cores.end(), [&](const Core& c) { return c.socket != *best; });
    std::rotate(cores.begin(), first, last);
  }
  std::size_t wanted = out.size() + count;
  for (Core& core : cores) {
    if (!core.whole || core.free.size() > wanted - out.size()) continue;
    out.insert(out.end(), core.free.begin(), core.free.end());
    core.free.clear();
  }
  for (bool whole : {false, true})
    for (const Core& core : cores)
      for (std::uint32_t cpu : core.free)
        if (core.whole == whole && out.size() < wanted) out.push_back(cpu);
}

}  // namespace

CpuNumbers choose_cpus(const std::vector<Cpu>& pool, std::uint32_t count,
                       const std::map<std::uint32_t, std::uint32_t>& users) {
  auto users_of = [&](const Cpu& cpu) {
    auto found = users.find(cpu.number);
    return found == users.end() ? 0u : found->second;
  };
  std::set<std::uint32_t> levels;
  for (const Cpu& cpu : pool) levels.insert(users_of(cpu));
  CpuNumbers out;
  for (std::uint32_t level : levels) {
    if (out.size() >= count) break;
    auto left = static_cast<std::uint32_t>(count - out.size());
    take(cores_of(pool, [&](const Cpu& cpu) { return users_of(cpu) == level; }), left, out);
  }
  std::ranges::sort(out);
  return out;
}

CpuBook::CpuBook(const Setup& setup) {
  auto size = static_cast<std::uint32_t>(setup.topology.cpus.size());
  std::uint32_t cores = setup.topology.core_count();
  if (setup.configured == 0 || setup.configured > size) return;
  // CPUs= may count cores; then each of them is all the threads of one.
  if (setup.configured == cores) factor_ = size / cores;
  for (std::uint32_t i = 0; i < size; ++i) abstract_[setup.topology.cpus[i].number] = i / factor_;
  for (std::uint32_t i = 0, core = 0; i < size; ++i) {
    if (i > 0 && setup.topology.cpus[i].core != setup.topology.cpus[i - 1].core) ++core;
    core_[setup.topology.cpus[i].number] = core;
  }
  std::set<std::uint32_t> kept;  // cores
  for (const Cpu& cpu : setup.topology.cpus)
    if (std::ranges::binary_search(setup.withheld, abstract_[cpu.number])) kept.insert(cpu.core);
  if (setup.withheld.empty())
    for (auto cpu = setup.topology.cpus.rbegin(); cpu != setup.topology.cpus.rend(); ++cpu)
      if (kept.contains(cpu->core) || kept.size() < setup.withheld_cores) kept.insert(cpu->core);
  for (const Cpu& cpu : setup.topology.cpus)
    if (!kept.contains(cpu.core)) pool_.cpus.push_back(cpu);
}

CpuNumbers CpuBook::cpus_of(Sluid sluid) const {
  auto known = attempts_.find(sluid);
  return known == attempts_.end() ? CpuNumbers{} : known->second.cpus;
}

CpuNumbers CpuBook::abstract(const CpuNumbers& numbers) const {
  std::set<std::uint32_t> out;
  for (std::uint32_t number : numbers)
    if (auto known = abstract_.find(number); known != abstract_.end()) out.insert(known->second);
  return {out.begin(), out.end()};
}

CpuNumbers CpuBook::cores(const CpuNumbers& numbers) const {
  std::set<std::uint32_t> out;
  for (std::uint32_t number : numbers)
    if (auto known = core_.find(number); known != core_.end()) out.insert(known->second);
  return {out.begin(), out.end()};
}

CpuNumbers CpuBook::attempt(Sluid sluid, const Wanted& wanted) {
  if (!chooses()) return {};
  auto [known, fresh] = attempts_.try_emplace(sluid);
  if (!fresh) return known->second.cpus;
  Users users;
  std::set<std::uint32_t> same_row;
  for (const auto& [other, attempt] : attempts_) {
    for (std::uint32_t cpu : attempt.cpus) ++users[cpu];
    if (wanted.row && attempt.row == wanted.row)
      same_row.insert(attempt.cpus.begin(), attempt.cpus.end());
  }
  // Those that are near, the others, and those of the same row, which are none of its own.
  std::vector<Cpu> pools[3];
  for (const Cpu& cpu : pool_.cpus) {
    bool near = std::ranges::find(wanted.near, core_[cpu.number]) != wanted.near.end();
    bool first = near && !users[cpu.number];
    pools[same_row.contains(cpu.number) ? 2 : first ? 0 : 1].push_back(cpu);
  }
  std::uint32_t count = std::max(1u, wanted.count) * factor_;
  CpuNumbers chosen;
  for (const std::vector<Cpu>& pool : pools) {
    auto left = static_cast<std::uint32_t>(count - chosen.size());
    for (std::uint32_t cpu : choose_cpus(pool, left, users)) chosen.push_back(cpu);
  }
  std::ranges::sort(chosen);
  known->second.cpus = std::move(chosen);
  known->second.row = wanted.row;
  return known->second.cpus;
}

CpuNumbers CpuBook::step(Sluid sluid, StepId step, std::uint32_t count, bool overlap) {
  auto known = attempts_.find(sluid);
  if (known == attempts_.end()) return {};
  Attempt& attempt = known->second;
  Users users;
  for (const auto& [other, cpus] : attempt.steps)
    for (std::uint32_t cpu : cpus) ++users[cpu];
  CpuNumbers chosen = choose_cpus(pool_.among(attempt.cpus), std::max(1u, count) * factor_, users);
  if (!overlap) attempt.steps[step] = chosen;
  return chosen;
}

void CpuBook::adopt(Sluid sluid, StepId step, const Given& given, const CpuNumbers& step_cpus) {
  if (!chooses() || given.cpus.empty()) return;
  Attempt& attempt = attempts_[sluid];
  attempt.cpus = given.cpus;
  attempt.row = given.row;
  // A batch script or an extern step has all of them and takes none away.
  if (step_cpus != given.cpus) attempt.steps[step] = step_cpus;
}

void CpuBook::give_back(const std::function<bool(Sluid)>& attempt_over,
                        const std::function<bool(Sluid, StepId)>& step_over) {
  std::erase_if(attempts_, [&](const auto& entry) { return attempt_over(entry.first); });
  for (auto& [sluid, attempt] : attempts_)
    std::erase_if(attempt.steps, [&](const auto& step) { return step_over(sluid, step.first); });
}

}  // namespace ym::agent
