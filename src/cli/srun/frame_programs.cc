// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/frame_programs.h"

#include <signal.h>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "notation/hostlist.h"
#include "os/child.h"
#include "os/environment_block.h"

namespace ym::cli {
namespace {

EnvironmentBlock step_environment(const FramePrograms::Step& step) {
  std::string bytes, nodes;
  for (const std::string& entry : step.environment) (bytes += entry).push_back('\0');
  for (const NodeAddress& node : step.created.nodes)
    nodes += (nodes.empty() ? "" : ",") + node.name;
  if (auto folded = Hostlist::parse(nodes)) nodes = folded->str();
  EnvironmentBlock out(bytes);
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"}) out.set(name, step.job.value);
  for (const char* name : {"SLURM_STEP_ID", "SLURM_STEPID"})
    out.set(name, step.created.step.id.value);
  for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"})
    out.set(name, step.created.step.tasks);
  out.set("SLURM_STEP_NUM_NODES", step.created.nodes.size());
  out.set("SLURM_STEP_NODELIST", nodes);
  out.set("SLURM_CLUSTER_NAME", step.config.cluster_name);
  return out;
}

// Signals are blocked until the step takes them; somebody who wants srun to end wants this to end.
bool end_wanted() {
  sigset_t waiting;
  ::sigpending(&waiting);
  return ::sigismember(&waiting, SIGINT) == 1 || ::sigismember(&waiting, SIGTERM) == 1 ||
         ::sigismember(&waiting, SIGHUP) == 1;
}

}  // namespace

std::string frame_program(const std::string& option, const std::string& configured) {
  const std::string& wanted = option.empty() ? configured : option;
  return same_ignoring_case(wanted, "none") ? std::string() : wanted;
}

FramePrograms::FramePrograms(const Step& step)
    : prolog_(frame_program(step.options.srun_prolog, step.config.srun_prolog)),
      epilog_(frame_program(step.options.srun_epilog, step.config.srun_epilog)) {
  if (prolog_.empty() && epilog_.empty()) return;
  command_ = step.command;
  environment_ = step_environment(step).bytes();
}

void FramePrograms::run_prolog() const { run(prolog_, "prolog_srun"); }

void FramePrograms::run_epilog() const { run(epilog_, "epilog_srun"); }

void FramePrograms::run(const std::string& program, const char* context) const {
  if (program.empty()) return;
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), command_.begin(), command_.end());
  EnvironmentBlock environment(environment_);
  environment.set("SLURM_SCRIPT_CONTEXT", context);
  std::string error;
  auto pid = start_child(arguments, environment.bytes(), ChildPlace::Here);
  auto pass_on = [&] {
    if (end_wanted()) ::kill(*pid, SIGTERM);
    return false;
  };
  error = pid ? wait_for_child(*pid, Duration(0), pass_on).error : pid.error().text;
  if (!error.empty()) complain("srun", fmt::format("{}: {}", context, error));
}

}  // namespace ym::cli
