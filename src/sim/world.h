// SPDX-License-Identifier: Apache-2.0
// A cluster in one process: controller, nodes, clients, the network between them, and what goes
// wrong. Connections keep their order while they live; what was in flight when one breaks is lost,
// and each side notices later.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>

#include "sim/clients.h"
#include "sim/control.h"
#include "sim/ledger.h"
#include "sim/machine.h"
#include "sim/run.h"
#include "sim/timeline.h"

namespace ym::sim {

class World {
 public:
  explicit World(const RunOptions& options);
  RunResult run();

 private:
  struct Cable {
    std::string node;
    bool whole = true;
    Instant last_up, last_down;
  };

  ClusterConfig random_config();
  Machine::Setting machine_setting();
  Control::Setting control_setting();
  Clients::Setting client_setting();
  Duration delay();
  bool troubled() const { return faults_on_; }
  void add_machine(const NodeSpec& spec);

  // network.cc
  void live(const std::string& node);
  void connect(const std::string& node);
  void break_cable(std::uint64_t cable);
  bool whole(std::uint64_t cable) const;
  void send_report(const std::string& node, NodeReport report);
  void send_order(const std::string& node, std::uint64_t cable, const NodeMessage& message);
  void ask(const Command& command, const Caller& caller, Clients::Callback callback);
  void answer(const Reply& reply);
  void settle(std::uint64_t request, const Answer* answer);
  void launch_step(const StepCreated& created, JobId job);
  void controller_crashed();

  // faults.cc
  void work();
  void next_fault();
  void controller_fault();
  void node_fault();
  void network_fault();
  void disk_fault();
  void reconfigure();
  void heal();

  // run.cc
  void check_zombies();
  bool over() const;
  std::string unfinished() const;

  RunOptions options_;
  Prng prng_;
  Timeline time_;
  Ledger ledger_;
  ClusterConfig config_;
  std::unique_ptr<Control> control_;
  std::map<std::string, std::unique_ptr<Machine>> machines_;
  std::unique_ptr<Clients> clients_;
  std::map<std::uint64_t, Cable> cables_;
  std::map<std::string, std::uint64_t> plugged_;  // the node's side of its connection
  std::set<std::string> cut_, restarting_;
  std::map<std::uint64_t, Clients::Callback> asked_;
  std::map<Ledger::Process, Instant> zombies_;
  std::uint64_t last_cable_ = 0, last_request_ = 0;
  std::uint64_t controller_crashes_ = 0, node_crashes_ = 0;
  bool faults_on_ = true;
};

}  // namespace ym::sim
