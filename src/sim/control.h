// SPDX-License-Identifier: Apache-2.0
// The controller's machine: the real Core, Planner and Journal on a disk in memory, driven as the
// daemon drives them, and crashed where it hurts.
//
// A rule of the shell that this one keeps too: an order leaves only on the connection that the node
// had when the batch was taken, and a batch is taken before a complete report is handled. Otherwise
// a launch decided before the report could leave behind the release that the report brings about.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/prng.h"
#include "daemon/driver/core.h"
#include "schedule/planner.h"
#include "sim/ledger.h"
#include "sim/run.h"
#include "sim/timeline.h"
#include "store/disk_memory.h"
#include "store/journal.h"

namespace ym::sim {

enum class CrashAt : std::uint8_t { Now, BeforeCommit, InTheWrite, AfterCommit };

class Control {
 public:
  struct Setting {
    Timeline& time;
    Prng& prng;
    Ledger& ledger;
    Bug bug = Bug::None;
    std::function<void(const Reply&)> reply;
    std::function<void(const std::string& node, std::uint64_t connection, const NodeMessage&)>
        order;
    std::function<void()> crashed;
  };
  Control(Setting setting, const ClusterConfig& config);

  bool up() const { return core_.has_value(); }
  const State& state() const { return core_->state(); }
  Instant wall() const { return in_.time.now() + clock_error_; }
  const ClusterConfig& config() const { return config_; }
  DiskMemory& disk() { return disk_; }
  bool quiet() const { return up() && waiting_.empty() && !core_->has_batch(); }

  void start();
  void crash(CrashAt where);
  void handle(const Input& input);
  // False: not taken now, the connection is to be closed so that the node says it again.
  bool spoke(std::uint64_t connection, const NodeReport& report);
  void disconnected(const std::string& node, std::uint64_t connection);
  std::uint64_t connection_of(const std::string& node) const;

  void jump_clock(Duration by) {
    clock_error_ += by;
    if (core_) core_->handle(ClockMoved{by}, wall());
  }
  void be_slow(Duration planning) { planning_max_ = planning; }
  void take_snapshot();
  // The configuration on disk: what the next start reads. `known_good` is what it falls back to.
  void set_config(const ClusterConfig& config) { config_ = config; }
  void accept_config() { known_good_ = config_; }
  void revert_config() { config_ = known_good_; }

 private:
  struct Waiting {
    Batch batch;
    std::map<std::string, std::uint64_t> connections;
  };
  void later(Duration delay, std::function<void()> act);
  Result<State> recover();
  bool begin(const State& state);
  void tick();
  void gather();
  void take();
  void commit();
  void die();
  void let_go(const Waiting& waiting);
  void publish(const Batch& batch);
  void wish_plan();

  Setting in_;
  ClusterConfig config_, known_good_, last_used_;
  DiskMemory disk_;
  std::uint64_t incarnation_ = 0;
  Duration clock_error_{0}, planning_max_{50};

  // Alive only while the process is.
  std::optional<Core> core_;
  std::unique_ptr<Journal> journal_;
  Planner planner_{PlacementRules{}};
  Snapshot published_;
  std::deque<Waiting> waiting_;
  std::map<std::string, std::uint64_t> connections_;
  std::optional<CrashAt> doom_;
  bool trouble_ = false;  // the log cannot be written just now
  bool gathering_ = false, committing_ = false, planning_ = false, plan_again_ = false;
};

}  // namespace ym::sim
