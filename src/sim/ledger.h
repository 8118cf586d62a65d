// SPDX-License-Identifier: Apache-2.0
// What was promised, and whether it was kept. Every durable event passes through here into a second
// state, made by nothing but the log; clients tell what was acknowledged, nodes what really runs.
//
// Checked:
//  (1) an acknowledged job is there until MinJobAge after its end; (2) what recovery finds is the
//  log up to its end, at least up to what was acknowledged; (3) an attempt runs as one process, and
//  only once its start is durable; (4) a node is released only when nothing of the attempt is alive
//  there, unless it was given up as down; (5) cpus and memory are given once; (6) limits of arrays
//  and partitions, dependencies, holds and cancellations that were acknowledged are kept; (7) of a
//  heterogeneous job all components run or none does.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "model/config.h"
#include "model/event.h"
#include "model/state.h"

namespace ym::sim {

class Ledger {
 public:
  explicit Ledger(bool trace) : trace_(trace) {}

  // --- the trail ---
  void say(Instant now, std::string line);
  void fail(std::string what);
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  const std::deque<std::string>& trail() const { return trail_; }

  // --- the log ---
  void appended(const std::vector<Event>& events);  // handed to the journal
  void durable(Seq through);                        // and synced
  void recovered(const State& state);               // after a restart
  void use(const ClusterConfig& config) { config_ = config; }
  const State& state() const { return state_; }
  std::uint64_t events() const { return state_.seq.value; }
  void check_resources();
  void check_gres(const Node& node);
  void check_same(const State& live);
  void check_components(const State& live);

  // --- what clients were told ---
  void acknowledged(JobId job, const std::string& dependency);
  void cancelled(JobId job) { doomed_.insert(job); }
  void cancelled(JobId array, std::uint32_t task) { doomed_tasks_.insert({array, task}); }
  // Somebody asks for a hold or a release: from now on the job may start. The number stands for
  // this request.
  std::uint64_t maybe_released(JobId job) {
    held_.erase(job);
    return ++hold_requests_[job];
  }
  // A hold was acknowledged. It counts only if nobody has asked for anything else since: answers
  // cross.
  void held(JobId job, std::uint64_t request) {
    if (hold_requests_[job] == request) held_.insert(job);
  }
  std::size_t jobs() const { return acknowledged_.size(); }

  // --- what really runs ---
  void process_started(const std::string& node, JobId job, Sluid sluid, StepId step);
  void process_ended(const std::string& node, Sluid sluid, StepId step);
  struct Process {
    std::string node;
    Sluid sluid;
    StepId step;
    auto operator<=>(const Process&) const = default;
  };
  const std::map<Process, JobId>& processes() const { return alive_; }
  std::uint64_t processes_started() const { return ever_.size(); }
  // Does the durable state want the attempt to hold something on the node?
  bool wanted(const Process& process, JobId job) const;

 private:
  struct Fate {
    bool completed = false, failed = false, ended = false, started = false;
  };
  void fold(const Event& event);
  void check_start(const JobStarted& event);
  void check_dependency(JobId job, const Dependency& dependency);
  void check_allocation(const Job& job, const Partition* partition);
  void check_array_limit(const Job& job);
  void check_release(const JobNodeReleased& event);
  void check_forgotten(const JobForgotten& event, Instant at);

  bool trace_;
  std::string failure_;
  std::deque<std::string> trail_;
  ClusterConfig config_;
  State state_;
  std::deque<Event> pending_;
  std::map<JobId, std::string> acknowledged_;  // with what it was asked to wait for
  std::set<JobId> forgotten_, doomed_, held_;
  std::map<JobId, std::uint64_t> hold_requests_;
  std::set<std::pair<JobId, std::uint32_t>> doomed_tasks_;
  std::map<JobId, Fate> fates_;
  std::map<JobId, std::uint32_t> array_limits_;
  std::set<Sluid> started_;
  std::map<Process, JobId> alive_;
  std::set<Process> ever_;
  std::set<Sluid> batches_;
};

}  // namespace ym::sim
