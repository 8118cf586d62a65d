// SPDX-License-Identifier: Apache-2.0
// The thread that owns the state: takes inputs, decides, and hands batches to the journal and the
// planner.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "daemon/driver/core.h"
#include "daemon/slurmctld/fair_queue.h"
#include "daemon/slurmctld/journal_loop.h"
#include "daemon/slurmctld/planner_loop.h"
#include "daemon/slurmctld/published.h"
#include "net/peer.h"

namespace ym {

class CoreLoop {
 public:
  // Inputs that wait for the core; beyond that commands are told to come back later.
  static constexpr std::size_t kInputsMax = 20'000;
  // Of them one user's: whoever floods leaves room for the others.
  static constexpr std::size_t kInputsOfOneUserMax = kInputsMax / 4;

  // `refuse` sends a refusal at once.
  using Refuse = std::function<void(Reply&)>;
  CoreLoop(Core core, JournalLoop& journal, Published& published, Refuse refuse);
  ~CoreLoop();
  // Before start(): hears of each plan, on the core's thread.
  void set_on_plan(std::function<void(const Plan&)> hear) { on_plan_ = std::move(hear); }
  void start();
  void stop();

  // False if there are too many already, of this user or in all.
  bool offer(Input input);
  // Whether a request of this caller would be taken now.
  bool has_room(const Caller& caller) const { return queue_.has_room(lane_of(caller)); }
  // For what comes from our own threads and is bounded there.
  void push(Input input) { queue_.push(std::move(input)); }
  void set_log_trouble(const std::string& text);
  // The user whose requests wait together; none for administrators, whose share the common lane.
  static FairQueue<Input>::Lane lane_of(const Caller& caller);

  struct Counters {
    std::atomic<std::uint64_t> inputs = 0, batches = 0, events = 0, plans = 0, started = 0;
    std::atomic<std::uint64_t> committed = 0;  // of the proposed starts; the others were stale
  };
  const Counters& counters() const { return counters_; }

 private:
  void run();
  void take(Input& input, std::vector<BlobToKeep>& blobs, bool& plan_handled);
  void follow_connections(const Input& input);
  void hand_over(std::vector<BlobToKeep> blobs, bool plan_handled);
  // Nodes are heard from now on: the time since they last were, if that is long, was not their
  // silence but ours. We stood still, or the log could not be written.
  void attend();
  // The time for the next input. The core hears first if somebody has set the clock.
  Instant now();

  Core core_;
  JournalLoop& journal_;
  Published& published_;
  Refuse refuse_;
  std::function<void(const Plan&)> on_plan_;
  FairQueue<Input> queue_;
  Counters counters_;
  // The connection on which a node has reported fully. An order leaves on the one that stood when
  // it was decided, or not at all: on a later one it could contradict what the node's next report
  // brought about.
  std::map<std::string, ConnectionId, std::less<>> connections_;
  std::mutex trouble_mutex_;
  std::string trouble_;  // guarded by trouble_mutex_
  std::atomic<bool> trouble_changed_ = false;
  Ref<PreemptRules> preempt_;  // the configuration's, for the planner
  Duration ahead_;             // the wall clock of the monotonic one
  Duration attended_{};        // when nodes were last heard, by the monotonic clock
  bool deaf_ = false;          // the log is in trouble: what nodes say is not taken
  std::unique_ptr<PlannerLoop> planner_;
  std::jthread thread_;
};

}  // namespace ym
