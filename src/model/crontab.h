// SPDX-License-Identifier: Apache-2.0
// A user's crontab (scrontab): its text, and the jobs that its lines stand for. The command reads
// the lines; the controller submits a job for each and brings it back at its next time
// (JobSpecials::cron).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"
#include "model/job_messages.h"

namespace ym {

struct Crontab {
  Uid uid;
  std::string user_name;
  std::string text;  // empty: none
  std::vector<JobId> jobs;
  bool operator==(const Crontab&) const = default;
};

// Replaces the crontab of the caller, or of `user` if an administrator asks. Nothing changes if one
// of the jobs is refused.
struct UpdateCrontab {
  std::string user;
  std::string text;
  std::vector<SubmitJob> jobs;
  std::vector<std::uint32_t> lines;  // of the text, for each job
};
struct CrontabUpdated {
  std::vector<JobId> jobs;
  std::uint32_t failed_line = 0;  // which line was refused; counted from 1
  std::string warning;
};
struct GetCrontab {
  std::string user;
};

}  // namespace ym
