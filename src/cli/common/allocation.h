// SPDX-License-Identifier: Apache-2.0
// Getting nodes for a command that runs here (salloc, srun), telling it about them, and giving them
// back.
#pragma once
#include <signal.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/controller.h"
#include "cli/common/watch.h"
#include "cli/options/job_options.h"

namespace ym::cli {

struct Granted {
  JobId job;
  std::vector<JobRow> rows;  // of each component; of the job alone if it is not heterogeneous
  JobWatcher watcher;        // has answered; may be asked for the job's end
};
struct Waiting {
  std::string_view program;  // remarks on the way go to stderr as this one's
  bool quiet = false;
  std::optional<Duration> at_most{};  // --immediate: then the request is given up
};
// Submits, waits for the nodes; an interrupt gives the request up.
Result<Granted> allocate(Controller& controller, const SubmitJob& request, const Waiting& waiting);
// As the options say.
Waiting waiting_of(const JobOptions& options, std::string_view program);
// Tells why there are no nodes; the exit code.
int refuse_allocation(JobCommand command, const Error& error, const SubmitJob& request,
                      const Controller& controller);
// What Slurm says before that, of wrong partitions and of what no node has.
void tell_before_refusal(JobCommand command, const Error& error, const SubmitJob& request,
                         const Controller& controller);
// Tells the controller that the allocation is no longer needed. Its failure is none of the user's
// business: the controller finds out by itself.
void relinquish(Controller& controller, JobId job, ExitStatus exit);

// "4(x2),2": how often the same number stands in a row.
std::string repeat_counts(const std::vector<std::uint32_t>& numbers);
// How many of `tasks` go to each node, in blocks, as slots allow.
std::vector<std::uint32_t> tasks_per_node(std::uint32_t tasks, std::uint32_t cpus_per_task,
                                          const std::vector<std::uint32_t>& cpus);
// SLURM_* of an allocation.
std::vector<std::pair<std::string, std::string>> allocation_variables(
    const JobRow& row, const JobOptions& options, const std::string& cluster,
    const std::string& submit_dir);
// Puts them into our own environment; those of a heterogeneous job end in _HET_GROUP_n.
void set_allocation_variables(const Granted& granted, const std::vector<JobOptions>& components,
                              const std::string& cluster, const std::string& submit_dir);

// Blocks the signals that end programs while it lives, and tells whether one has come. Within
// another one it leaves those that came to that one.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  bool pending() const;

 private:
  sigset_t before_;
};

}  // namespace ym::cli
