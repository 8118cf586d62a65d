// SPDX-License-Identifier: Apache-2.0
// A step's control groups: its processes cannot leave them, so that all can be killed, frozen and
// counted at once, and cannot use more memory, other cpus or other devices than they were given.
//
// The hierarchy is yardmaster/NODE/job_ID_SLUID/step_X, on v2 below the mount point, on v1 below
// each controller's. Where v1 is mounted with a v2 tree beside it (`unified`), that one tracks the
// processes, since only it can kill and freeze all of a group in one call.
//
// Only what an order needs is made: a step without limits costs one folder, and the only task of a
// step is alone in the step's. Of several, each has a group of its own within (task_N), where the
// processes are tracked; limits are those of the step, for all its tasks together. What the machine
// does not let us do is left out and told; without any group `tracks` is false, and descendants.h
// has to suffice.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "net/address.h"
#include "shepherd/order.h"

namespace ym {

class Containment {
 public:
  // Looks at what the machine has and makes nothing: for slurmd, which finds what a shepherd left.
  Containment(const CgroupConfig& config, const std::string& node, JobId job, Sluid sluid,
              StepId step);
  explicit Containment(const ShepherdOrder& order)
      : Containment(order.cgroup, order.node, order.job, order.sluid, order.step) {}

  // Makes what the order needs. Returns what could not be done, for the log.
  std::vector<std::string> make(const ShepherdOrder& order);

  // fork(2), with the child in the groups, for the task of that place in the order. Milliseconds
  // cheaper than joining where the kernel can start a process in its group.
  pid_t fork_inside(std::size_t task = 0) const;

  bool tracks() const { return !tracker_.empty(); }
  // Of the tracked processes, as of now.
  std::vector<pid_t> members() const;
  // False if it cannot; a frozen process does not run until thawed, and can be killed.
  bool freeze() const;
  bool thaw() const;
  // SIGKILL for every process, those being born included. Returns before they are gone.
  bool kill() const;

  // Processes that the kernel killed because the memory was used up.
  std::uint64_t oom_kills() const;
  // Readable when a group runs out of memory; empty where the kernel itself kills the whole step.
  Fd watch_oom() const;
  // Bytes, the highest at once; 0 if not known.
  std::uint64_t memory_peak() const;
  // containment_memory.cc
  // Lowers the limits of the job and of the step, never below what is in use now, and raises none.
  // So many megabytes the job may have then, at least those that were asked for; 0: no limit.
  std::uint64_t lower_memory(std::uint64_t megabytes) const;
  // Of all steps of the job here, resident; 0 if not known.
  std::uint64_t job_resident_mb() const;

  // REQUIRES: no process is left. The job's groups go with its last step.
  void remove() const;

  // The step's folder that tracks; empty if nothing does. For tests and `scontrol listpids`.
  const std::string& tracker() const { return tracker_; }
  // The same for one task; the step's own if it has no other.
  std::string task_tracker(std::size_t task) const;

 private:
  enum class Kind : std::uint8_t { None, Unified, Freezer };

  struct Branch {
    std::string root;   // where the hierarchy is mounted
    bool made = false;  // the step's folder is there
    bool valid() const { return !root.empty(); }
  };

  std::string node_folder(const Branch& branch) const;
  std::string job_folder(const Branch& branch) const;
  std::string step_folder(const Branch& branch) const;
  bool make_folder(Branch& branch) const;
  void enable(const Branch& branch, const char* controller) const;
  void limit_memory(const ShepherdOrder& order, std::vector<std::string>& troubles);
  void limit_memory_of(const std::string& folder, std::uint64_t megabytes,
                       std::vector<std::string>& troubles) const;
  std::uint64_t allowed_bytes(std::uint64_t megabytes) const;
  std::uint64_t memory_limit(const std::string& folder) const;
  std::uint64_t resident(const std::string& folder) const;
  bool lower_limit(const std::string& folder, std::uint64_t bytes) const;
  void limit_swap(const std::string& folder, std::uint64_t megabytes) const;
  void limit_cpus(const ShepherdOrder& order, std::vector<std::string>& troubles);
  void limit_devices(const ShepherdOrder& order, std::vector<std::string>& troubles);
  void remove_from(const Branch& branch) const;

  CgroupConfig config_;
  std::string path_;  // of the step, below a root
  bool v2_ = false;   // one tree for everything
  bool by_task_ = false;
  Kind kind_ = Kind::None;
  Branch track_, memory_, cpuset_, devices_;
  std::string tracker_;
};

// "batch", "extern", "interactive" or the number.
std::string step_word(StepId step);

}  // namespace ym
