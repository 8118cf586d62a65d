// SPDX-License-Identifier: Apache-2.0
// scancel: ends or signals jobs and steps.
#pragma once
#include "cli/common/command.h"
#include "cli/common/targets.h"
#include "model/job_messages.h"

namespace ym::cli {

struct ScancelSettings {
  std::vector<std::string> users, partitions, accounts, qos, names;
  StateChoice states;
  std::string nodes, reservation, wckey, cluster;
  std::optional<std::string> admin_comment;
  std::string refusal;       // whole lines about what was wrong with the command line
  std::uint16_t signal = 0;  // 0: end the job
  bool batch = false, full = false, quiet = false, interactive = false, hurry = false, cron = false;
  std::uint32_t verbose = 0;
  bool has_filter() const;
};

CommandPage scancel_page();
std::vector<Option<ScancelSettings>> scancel_table();
// One request for all jobs, then one for each step: an answer tells of jobs, not of steps, and what
// holds of a step must not be said of its job.
std::vector<AlterJobs> scancel_requests(const ScancelSettings& settings,
                                        std::vector<JobTarget> targets);
// What --verbose says before the request is sent.
std::vector<std::string> announcements(const ScancelSettings& settings, const AlterJobs& request);
// What is said about the answer, and the exit code. An unknown job is nothing to complain about: it
// is gone.
struct CancelReport {
  std::vector<std::string> complaints, remarks;
  int exit_code = 0;
};
// But where a signal or a step is meant, or the job was asked about before, it is an error.
CancelReport report_of(const AlterAnswer& answer, const ScancelSettings& settings,
                       const AlterJobs& request = {.verb = JobVerb::Cancel});
int scancel_main(const Arguments& arguments);

}  // namespace ym::cli
