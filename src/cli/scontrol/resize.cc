// SPDX-License-Identifier: Apache-2.0
// After a running job has given nodes back: scripts that tell its shell of it.
#include "cli/scontrol/resize.h"
#include "base/format.h"
#include "cli/scontrol/scontrol.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

// "4(x2),2"
std::string repeated(const std::vector<NodeShare>& nodes) {
  std::string out;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i;
    while (end < nodes.size() && nodes[end].cpus == nodes[i].cpus) ++end;
    out += fmt::format("{}{}", out.empty() ? "" : ",", nodes[i].cpus);
    if (end - i > 1) out += fmt::format("(x{})", end - i);
    i = end;
  }
  return out;
}

}  // namespace

std::string resize_script(const JobRow& row, bool csh) {
  const Allocation& allocation = *row.job.allocation;
  std::string out;
  auto set = [&](std::string_view name, std::string_view value) {
    out += csh ? fmt::format("setenv {} \"{}\"\n", name, value)
               : fmt::format("export {}=\"{}\"\n", name, value);
  };
  auto unset = [&](std::string_view name) {
    out += csh ? fmt::format("unsetenv {}\n", name) : fmt::format("unset {}\n", name);
  };
  std::string count = fmt::format("{}", allocation.nodes.size());
  for (std::string_view name : {"SLURM_NODELIST", "SLURM_JOB_NODELIST"}) set(name, row.nodes);
  for (std::string_view name : {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}) set(name, count);
  set("SLURM_JOB_CPUS_PER_NODE", repeated(allocation.nodes));
  for (std::string_view name : {"SLURM_NPROCS", "SLURM_NTASKS", "SLURM_TASKS_PER_NODE"})
    unset(name);
  return out;
}

int write_resize_scripts(ScontrolContext& context, JobId job) {
  if (!environment_variable("SLURM_JOB_ID") && !environment_variable("SLURM_JOBID")) return 0;
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  QueryJobs question{.filter = {.targets = {{.job = job}}, .all_states = true}};
  std::vector<JobRow> rows;
  Status asked = fetch_rows<JobRows>(**controller, question, rows);
  bool runs = asked && rows.size() == 1 && rows[0].job.state == JobState::Running;
  if (!runs) return 0;
  std::string name = fmt::format("slurm_job_{}_resize", job.value);
  for (bool csh : {false, true}) {
    std::string file = name + (csh ? ".csh" : ".sh");
    if (Status ok = write_file(file, resize_script(rows[0], csh), 0700, Sync::No); !ok)
      return context.fail_with(ok.error().text);
  }
  print(
      fmt::format("To reset Slurm environment variables, execute\n"
                  "  For bash or sh shells:  . ./{0}.sh\n"
                  "  For csh shells:         source ./{0}.csh\n",
                  name));
  return 0;
}

}  // namespace ym::cli
