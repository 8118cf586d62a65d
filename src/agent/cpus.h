// SPDX-License-Identifier: Apache-2.0
// Which CPUs belong to whom on this node. The controller counts CPUs, the node chooses them
// (decision 6). Pure.
//
// Thread rule: one thread.
// Invariants: (1) an attempt keeps the CPUs that it got first; (2) a step's CPUs are among its
// attempt's; (3) nothing here ever fails: where more is asked for than is free, CPUs are shared,
// those with the fewest users first; (4) of attempts that share by the controller's order those in
// one row have different CPUs, as many as there are of them.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "agent/topology.h"
#include "model/ids.h"

namespace ym::agent {

class CpuBook {
 public:
  struct Setup {
    Topology topology;                 // of the machine
    std::uint32_t configured = 0;      // CPUs that slurm.conf gives the node
    CpuNumbers withheld;               // whose cores are kept from jobs: CpuSpecList, abstract
    std::uint32_t withheld_cores = 0;  // or so many cores, the highest: CoreSpecCount
  };
  // Abstract numbers are slurm.conf's: CPUs of the node counted socket by socket, core by core.
  // An empty topology, or one with fewer CPUs than are configured, chooses nothing: whoever
  // pretends to have CPUs cannot bind to them.
  explicit CpuBook(const Setup& setup);
  CpuBook() = default;

  bool chooses() const { return !pool_.cpus.empty(); }
  // What the attempt was given; empty if nothing is known of it.
  CpuNumbers cpus_of(Sluid sluid) const;
  // The same CPUs by their abstract numbers.
  CpuNumbers abstract(const CpuNumbers& numbers) const;
  // The cores of CPUs: socket by socket, counted from 0.
  CpuNumbers cores(const CpuNumbers& numbers) const;
  // What attempts and steps are given is empty where nothing is chosen. CPUs of `near`, cores as
  // above, are taken first as far as nobody has them.
  struct Wanted {
    std::uint32_t count = 1;
    CpuNumbers near = {};
    std::uint32_t row = 0;  // of those who share (NodeShare::row)
  };
  CpuNumbers attempt(Sluid sluid, const Wanted& wanted);
  CpuNumbers attempt(Sluid sluid, std::uint32_t count, CpuNumbers near = {}) {
    return attempt(sluid, {.count = count, .near = std::move(near)});
  }
  // `overlap`: it takes nothing away from other steps. REQUIRES: attempt() or adopt() of the same
  // attempt came before.
  CpuNumbers step(Sluid sluid, StepId step, std::uint32_t count, bool overlap);
  // What an order in the spool says, after a restart.
  struct Given {
    CpuNumbers cpus;
    std::uint32_t row = 0;
  };
  void adopt(Sluid sluid, StepId step, const Given& attempt, const CpuNumbers& step_cpus);
  // Gives back what belongs to attempts and steps that are over.
  void give_back(const std::function<bool(Sluid)>& attempt_over,
                 const std::function<bool(Sluid, StepId)>& step_over);

 private:
  struct Attempt {
    CpuNumbers cpus;
    std::uint32_t row = 0;
    std::map<StepId, CpuNumbers> steps;  // those that overlap with nothing
  };
  using Users = std::map<std::uint32_t, std::uint32_t>;  // by CPU number

  Topology pool_;             // what jobs may have
  std::uint32_t factor_ = 1;  // CPUs of the machine for one CPU of slurm.conf
  std::map<std::uint32_t, std::uint32_t> abstract_;  // by CPU number
  std::map<std::uint32_t, std::uint32_t> core_;      // likewise
  std::map<Sluid, Attempt> attempts_;
};

// `count` CPUs of `pool`: those with the fewest users first; among these whole cores, in the socket
// that they fill best, lowest first. All of them if the pool is smaller.
CpuNumbers choose_cpus(const std::vector<Cpu>& pool, std::uint32_t count,
                       const std::map<std::uint32_t, std::uint32_t>& users);

}  // namespace ym::agent
