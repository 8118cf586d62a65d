// SPDX-License-Identifier: Apache-2.0
// What a job of a trace asks the cluster for, and what of it the cluster has nothing for.
#pragma once
#include <string>
#include <vector>

#include "model/job_messages.h"
#include "model/state.h"
#include "trace/machine.h"
#include "trace/workload.h"

namespace ym::trace {

class Requests {
 public:
  // REQUIRES: all three outlive this.
  Requests(const Workload& workload, const Machine& machine, const State& state);

  // The job's request; the reference holds until the next call.
  SubmitJob& of(const TraceJob& job);
  // "memory of 3 jobs (no node has any)": one for each kind of thing that jobs had asked for in
  // vain.
  std::vector<std::string> ignored() const;

 private:
  void set_memory(const TraceJob& job);
  void set_extras(const TraceJob& job);
  bool knows_licenses(const std::string& text) const;

  const Workload& workload_;
  const Machine& machine_;
  const State& state_;
  bool has_memory_ = false;
  SubmitJob submit_;  // kept for its memory, as are what its extras were made of
  std::uint32_t gpus_ = 0, licenses_ = 0;
  std::size_t no_memory_ = 0, no_partition_ = 0, no_license_ = 0, no_qos_ = 0;
};

}  // namespace ym::trace
