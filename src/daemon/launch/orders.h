// SPDX-License-Identifier: Apache-2.0
// From what the controller or srun asks for to what a shepherd does. No I/O: the machine's facts
// are arguments.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node_messages.h"
#include "model/step_messages.h"
#include "os/users.h"
#include "shepherd/order.h"

namespace ym {

struct LaunchFacts {
  std::string node;           // our name in the cluster
  std::string configuration;  // path of slurm.conf
  std::string temp_dir = "/tmp";
  UserEntry user;
  std::vector<std::uint32_t> groups;
  std::string boot_id;
  Duration kill_wait{30000};
  std::uint32_t acct_frequency_s = 30;
  std::int32_t nice = 0;                 // slurmd's own
  std::uint32_t propagate_priority = 0;  // slurm.conf PropagatePrioProcess
  std::string task_prolog, task_epilog;  // slurm.conf's
  std::string launcher;                  // where srun is, as an IP address; may be unknown
};

struct CredentialTime {
  Instant now;
  Duration skew{0};  // that the controller's clock may differ
};
// Signed by the controller; says who may run what here, and until when. The share of this node.
Result<StepShare> check_credential(const StepCredential& credential, const std::string& node,
                                   std::uint32_t caller, const CredentialTime& time);

ShepherdOrder batch_order(const LaunchJob& job, const LaunchFacts& facts);
// Refuses a step without a program, and a broken --multi-prog file.
Result<ShepherdOrder> step_order(const LaunchTasks& request, const StepCredential& credential,
                                 const StepShare& share, const LaunchFacts& facts);

// The text of a --multi-prog file, for one task. %t is the task, %o its offset in the line's range.
Result<std::vector<std::string>> multi_prog_arguments(std::string_view text, std::uint32_t task);

}  // namespace ym
