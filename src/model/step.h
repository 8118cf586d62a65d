// SPDX-License-Identifier: Apache-2.0
// A step: a set of tasks within a job's allocation.
//
// The controller keeps steps that are alive, and the last that ended; the others are history, which
// the log carries to accounting. Steps may be made by the controller (srun inside an allocation) or
// later by the job's own manager, which reports them in batches; `made_by_job` tells the two apart.
#pragma once
#include <string>
#include <vector>

#include "base/time.h"
#include "model/gres.h"
#include "model/ids.h"
#include "model/usage.h"

namespace ym {

// A task's or job's end as wait(2) tells it.
struct ExitStatus {
  std::uint8_t code = 0;
  std::uint8_t signal = 0;
  auto operator<=>(const ExitStatus&) const = default;
  bool ok() const { return code == 0 && signal == 0; }
};

// The tasks of a step on one node: `ranks` if it is not empty, else `tasks` from `first_task` on.
struct StepShare {
  NodeId node;
  std::uint32_t first_task = 0;
  std::uint32_t tasks = 0;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;       // 0: the job's own limit is the only one
  std::vector<std::uint32_t> ranks;  // ascending
  std::uint32_t rank(std::uint32_t local) const {
    return ranks.empty() ? first_task + local : ranks[local];
  }
  bool operator==(const StepShare&) const = default;
};

// What srun said of a step, for people: kept apart, as few ask.
struct StepTexts {
  std::string submit_line;               // at most kSubmitLineMax bytes
  std::string std_in, std_out, std_err;  // names of files, with their patterns; empty: srun's own
  std::string cpu_freq;                  // --cpu-freq, as notation/cpu_freq.h prints it
  std::string container_id, network;
  std::string distribution;  // --distribution, as it was given
  std::string host;          // where srun runs, and its process there
  std::uint32_t pid = 0;
  GresOptions gres;  // as options say it; what it has is Step::gres
  bool operator==(const StepTexts&) const = default;
};

struct Step {
  StepId id;
  std::string name;
  std::uint32_t tasks = 0;
  std::uint32_t cpus_per_task = 1;
  bool overlap = false;  // shares the job's cpus with other steps
  bool made_by_job = false;
  std::vector<StepShare> shares;   // in task order
  std::vector<NodeId> nodes_left;  // nodes that have not reported the end of their tasks
  Instant start;
  ExitStatus worst;   // the highest exit seen so far
  Instant limit_end;  // 0: the job's own is the only one
  std::string key;    // of the request that made it: a repeated one gets the same step
  StepUsage usage;    // of the nodes that have ended
  bool out_of_memory = false;
  bool no_kill = false;                     // goes on without a node that is lost
  Ref<GresShares> gres;                     // of the job's
  std::uint16_t first_port = 0, ports = 0;  // --resv-ports: so many from there on, on each node
  std::string container;                    // --container: the bundle it runs in
  Ref<StepTexts> texts;
  bool operator==(const Step&) const = default;
};

// A step that has ended, for those who ask soon (sacct). The last kEndedStepsMax of a job's present
// attempt are part of the state: the log may be cut behind a snapshot while the job is still known,
// so it cannot be asked. Older ones are with accounting only.
inline constexpr std::size_t kEndedStepsMax = 32;
struct EndedStep {
  Step step;
  Instant end;
  bool operator==(const EndedStep&) const = default;
};

}  // namespace ym
