// SPDX-License-Identifier: Apache-2.0
// Prologs and epilogs: what they are told of the job, and the orders of their shepherds.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/node_messages.h"
#include "model/step_messages.h"
#include "shepherd/order.h"

namespace ym {

// What a prolog or epilog may know of a job, wherever it came from.
struct JobFacts {
  JobId job, array_job;
  Sluid sluid;
  std::uint32_t array_task = kNoTask, restarts = 0;
  std::uint32_t uid = 0, gid = 0;
  std::string user, account, qos, name, partition, cluster, nodes, work_dir;
  std::string comment, constraints, reservation, std_in, std_out, std_err, wckey, extra, licenses;
  std::vector<std::uint32_t> cpus;
  Instant start, end;
  ExitStatus exit;
  GresShares gres;  // on this node
  // How it shares nodes, as variables; empty where only a step's credential tells of the job.
  std::vector<std::pair<std::string, std::string>> sharing;
};
JobFacts job_facts(const LaunchJob& order);
JobFacts job_facts(const StepCredential& credential);
JobFacts job_facts(const KillJob& order);

// The environment that slurm.conf's programs get, wherever they run. `context` is their
// SLURM_SCRIPT_CONTEXT: "prolog_slurmd" and the like.
std::string program_environment(const JobFacts& job, const std::string& context,
                                const std::string& configuration, const std::string& node);

struct ProgramPlace {
  std::string node, configuration, boot_id;
  std::uint32_t uid = 0, gid = 0;  // slurmd's own
};

// kPrologStep or kEpilogStep.
ShepherdOrder program_order(StepId step, const JobFacts& job, const ProgramPlace& place,
                            const std::vector<std::string>& programs);
ShepherdOrder extern_order(const JobFacts& job, const ProgramPlace& place);

}  // namespace ym
