// SPDX-License-Identifier: Apache-2.0
// A node: power, slurmd (the real Agent over a virtual spool) and processes that take virtual time.
// Processes outlive slurmd and die with the power.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "agent/agent.h"
#include "base/prng.h"
#include "controller/outbox.h"
#include "sim/ledger.h"
#include "sim/run.h"
#include "sim/timeline.h"

namespace ym::sim {

class Machine {
 public:
  // What a node is given to live in; all outlive it.
  struct Setting {
    Timeline& time;
    Prng& prng;
    Ledger& ledger;
    std::uint64_t seed = 0;
    Bug bug = Bug::None;
    std::function<void(const std::string& node, NodeReport report)> send;
  };
  Machine(Setting setting, NodeSpec spec);

  const std::string& name() const { return spec_.name; }
  bool powered() const { return powered_; }
  bool daemon_up() const { return agent_.has_value(); }
  std::size_t attempts() const { return agent_ ? agent_->attempt_count() : 0; }

  void power_off();                   // everything dies
  void power_on(bool spool_is_lost);  // and slurmd starts
  void kill_daemon();
  // The next effects are carried out up to this many, then slurmd dies.
  void kill_daemon_after(std::size_t effects) { effects_left_ = effects; }
  void start_daemon();

  // A new connection: sends the complete report.
  void connected();
  void heartbeat();
  void tick();
  void receive(const NodeMessage& message);
  void launch_step(JobId job, Sluid sluid, StepId step);

 private:
  using Key = std::pair<Sluid, StepId>;
  struct Record {
    JobId job;
    bool started = false;
    std::optional<agent::Ended> ended;
  };

  void carry_out(const agent::Outbox& effects);
  void carry_out(const agent::Effect& effect);
  void spawn(JobId job, Key key);
  void end(Key key, std::uint64_t pid, const agent::Ended& ended);
  void signal(Key key, std::uint16_t number);
  void report(NodeReport report);
  void lower_memory(const agent::Limit& order);

  Setting in_;
  NodeSpec spec_;
  bool powered_ = false;
  Instant boot_time_, daemon_start_;
  std::uint64_t incarnation_ = 0;  // of slurmd
  std::uint64_t pids_ = 0;
  std::optional<agent::Agent> agent_;
  std::optional<std::size_t> effects_left_;
  std::map<Key, Record> spool_;
  std::map<Key, std::uint64_t> alive_;  // pids
};

}  // namespace ym::sim
