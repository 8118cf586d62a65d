// SPDX-License-Identifier: Apache-2.0
// The node's choice of CPUs (decision 6), put into orders: agent/cpus.h chooses, agent/binding.h
// binds; this knows the machine, slurm.conf and the form of orders. One thread.
#pragma once
#include <string>

#include "agent/agent.h"
#include "agent/binding.h"
#include "agent/cpus.h"
#include "model/config.h"
#include "model/node_messages.h"
#include "model/step_messages.h"
#include "os/machine.h"
#include "shepherd/order.h"

namespace ym {

// What an attempt and one of its steps may have on this node, in CPUs of slurm.conf.
struct CpuWish {
  std::uint32_t job_cpus = 0;
  std::uint32_t job_row = 0;  // in which it shares them; 0: it does not
  std::uint32_t cpus = 0;     // of the step; 0: all of the job's
  std::uint32_t cpus_per_task = 1;
  bool overlap = false;
  bool tasks_are_bound = true;  // false: a batch script, which has all of the job's CPUs
  BindingWish binding;
  CpuNumbers near_cores = {};  // of the job's devices: taken first, by Slurm's own numbers
};
CpuWish cpu_wish(const LaunchJob& job, const std::string& node);
CpuWish cpu_wish(const StepCredential& credential, const BindingWish& binding,
                 const std::string& node);

class CpuChoice {
 public:
  CpuChoice(const Machine& machine, const NodeSpec& node, const ClusterConfig& config, bool root);

  // TaskPlugin and TaskPluginParam may change while we run.
  void set_rules(const ClusterConfig& config);
  // Fills in the order's CPUs and the binding of its tasks. `agent` says who is over by now.
  void give(ShepherdOrder& order, const CpuWish& wish, const agent::Agent& agent);
  // The attempt's CPUs by Slurm's own numbers; empty where none are chosen.
  std::string ids_of(Sluid sluid) const {
    return print_cpu_list(book_.abstract(book_.cpus_of(sluid)));
  }
  // The cores of a list of CPUs, by Slurm's own numbers.
  CpuNumbers cores_of(const std::string& cpus) const;
  // After a restart: what this order, found in the spool, holds. `alive`: its shepherd runs.
  void adopt(const ShepherdOrder& order, bool alive);

 private:
  const agent::Topology topology_;
  const bool root_;
  agent::CpuBook book_;
  agent::BindingRules rules_;
};

}  // namespace ym
