// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/job_around.h"

#include <algorithm>

#include "base/format.h"
#include "os/environment.h"

namespace ym::cli {

Status look_at_job(Controller& controller, JobOptions& options) {
  auto around = environment_variable("SLURM_JOB_ID");
  if (!options.jobid || around == fmt::format("{}", options.jobid)) return {};
  JobFilter filter{.targets = {{.job = JobId{options.jobid}}}};
  auto answer = controller.ask<JobRows>(QueryJobs{.filter = std::move(filter)});
  if (!answer) return {};
  auto row = std::ranges::find(answer->rows, JobId{options.jobid},
                               [](const JobRow& one) { return one.job.id; });
  if (row == answer->rows.end() || !row->job.allocation) return {};
  if (!row->job.het_job && !options.het_groups.empty() && options.het_groups.max() > 0)
    return fail(fmt::format("Requested het-group offset exceeds highest hetjob index ({} > 0)",
                            options.het_groups.max()));
  auto nodes = static_cast<std::uint32_t>(row->job.allocation->nodes.size());
  if (options.min_nodes.value_or(0) > nodes)
    return fail(fmt::format("Only allocated {} nodes asked for {}", nodes, *options.min_nodes));
  options.soft_nodes = nodes;
  return {};
}

}  // namespace ym::cli
