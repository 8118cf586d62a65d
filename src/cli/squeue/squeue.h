// SPDX-License-Identifier: Apache-2.0
// squeue: parse, ask once, render.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/job_view.h"
#include "cli/common/report.h"
#include "cli/common/targets.h"
#include "model/job_messages.h"
#include "model/step_messages.h"

namespace ym::cli {

struct SqueueSettings {
  ReportWish report;
  std::vector<JobTarget> targets;
  std::vector<std::string> users, partitions, accounts, qos, names, licenses, reservations;
  StateChoice states;
  std::string nodes;
  std::optional<std::uint32_t> not_user;  // --notme: the uid whose jobs are left out
  // --running-over, --running-under; of jobs that have begun
  std::optional<Duration> running_over, running_under;
  bool start = false, steps = false, single_elements = false, all = false;
  bool by_partition = false;  // -P: a pending job has a line for each of its partitions
  bool only_state = false;
  bool headed = false;  // what stands above the rows has been printed
};

CommandPage squeue_page();
std::vector<Option<SqueueSettings>> squeue_table();
// The question to the controller that the settings make.
JobFilter squeue_filter(const SqueueSettings& settings);
// Whether jobs of partitions that are not shown to everybody are left out: unless --all says
// otherwise, or somebody names the partitions or the jobs.
bool squeue_hides(const SqueueSettings& settings);
// What the columns, filters and sort keys need of each job (JobField; 0: all of it), and whether
// the lines may be printed as they come, in the controller's order.
struct QueuePlan {
  std::uint64_t fields = 0;
  bool streams = false;
};
QueuePlan squeue_plan(const SqueueSettings& settings);
// What stands above the lines; "" if that depends on them.
std::string queue_head(const SqueueSettings& settings, Instant now);
Result<Format<JobView>> queue_format(const SqueueSettings& settings);
// The lines for these rows, in their order. `parts` keeps the records that stand for some of an
// array's elements only.
std::vector<JobView> queue_lines(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, std::deque<JobRow>& parts);
void append_lines(std::string& out, const SqueueSettings& settings, const Format<JobView>& format,
                  const std::vector<JobRow>& rows, Instant now);
// Everything that is printed for these rows, or for these steps of them. What the format has of
// unknown columns is added to `complaints`, if there is one; a wrong sort order is an error.
Result<std::string> render_queue(const SqueueSettings& settings, const std::vector<JobRow>& rows,
                                 Instant now, const std::vector<StepRow>& steps = {},
                                 std::vector<std::string>* complaints = nullptr);
int show_queue(const SqueueSettings& settings, Controller& controller);
int squeue_main(const Arguments& arguments);

}  // namespace ym::cli
