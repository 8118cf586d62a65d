// SPDX-License-Identifier: Apache-2.0
// Generic resources of a job and its steps on this node: variables, devices, and which task sees
// which GPU. No I/O: what the machine has is an argument.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gres.h"
#include "notation/cpu_list.h"
#include "os/environment_block.h"
#include "shepherd/order.h"

namespace ym {

// One device as slurmd found it.
struct GresDeviceHere {
  std::string name;
  std::uint32_t index = 0;         // among those of its name
  std::uint32_t number = 0;        // at the end of its file's name; its index if there is none
  std::string file;                // the first of its files; empty: it has none
  std::vector<std::string> rules;  // "c 195:0 rwm"
  CpuNumbers cores;                // near to it; empty: all
  std::uint32_t flags = 0;
};
struct GresHere {
  std::vector<GresItem> items;  // as they are registered
  std::vector<GresDeviceHere> devices;
  bool constrained = false;           // ConstrainDevices: programs see theirs only, counted from 0
  std::vector<std::string> troubles;  // for the log
};

// What a job has here, and which part of it these processes get.
struct GresGiven {
  GresShares job, mine;
  bool step = false;  // else the batch script, or a prolog
  std::string bind;   // --gpu-bind: "gpu:verbose,closest"; empty: no wish
};

// CUDA_VISIBLE_DEVICES, SLURM_JOB_GPUS and their like. Those that an outer job or step has left are
// removed.
void set_gres_variables(EnvironmentBlock& environment, const GresGiven& given,
                        const GresHere& here);
// Variables and devices of the order.
void set_gres(ShepherdOrder& order, const GresGiven& given, const GresHere& here);
// Each task's own GPUs, as given.bind says. `cores_of` tells the cores of a task's CPUs, empty if
// it is not bound. REQUIRES: set_gres() came before.
void bind_gres(ShepherdOrder& order, const GresGiven& given, const GresHere& here,
               const std::function<CpuNumbers(const TaskOrder&)>& cores_of);

}  // namespace ym
