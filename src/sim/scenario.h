// SPDX-License-Identifier: Apache-2.0
// Scenarios: a text of commands and the answers they should give (tests/scenario/*.txt). Drives the
// real Controller and Planner at given times, with nodes that do as they are told.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controller/controller.h"
#include "schedule/planner.h"
#include "schedule/priority.h"

namespace ym::sim {

class Scenario {
 public:
  Scenario();
  // Carries out one line and returns what it has to say, lines ended by newlines.
  std::string run(std::string_view line);

 private:
  using Options = std::map<std::string, std::string, std::less<>>;
  struct Line {
    std::string verb;
    std::vector<std::string> words;
    Options options;
    std::string text;  // all behind the verb
  };
  using Verb = std::string (Scenario::*)(const Line&);
  static const std::map<std::string, Verb, std::less<>>& verbs();

  // The cluster: scenario_cluster.cc
  std::string nodes_defined(const Line& line);
  std::string qos_defined(const Line& line);
  std::string topology(const Line& line);
  std::string yaml(const Line& line);
  std::string scheduler(const Line& line);
  std::string reservation(const Line& line);
  std::string partition_defined(const Line& line);
  std::string set(const Line& line);
  std::string configure(const Line& line);
  std::string weights(const Line& line);  // scenario_priority.cc, with shares() and priorities()
  std::string shares(const Line& line);
  // Time and planning.
  std::string at(const Line& line);
  std::string schedule(const Line& line);
  // Jobs.
  std::string submit(const Line& line);  // scenario_submit.cc
  std::string alter(const Line& line);
  std::string end(const Line& line);
  std::string step(const Line& line);
  std::string step_end(const Line& line);
  // Nodes.
  std::string node_state(const Line& line);
  std::string active_features(const Line& line);
  std::string partition_state(const Line& line);
  std::string connect(const Line& line);
  std::string silence(const Line& line);
  std::string stick(const Line& line);
  // Looking.
  std::string jobs(const Line& line);
  std::string explain(const Line& line);
  std::string show_nodes(const Line& line);
  std::string priorities(const Line& line);

  PriorityScale scale() const;
  void count_priorities();
  static Caller caller_of(const Line& line);
  static Caller root();
  std::string show(const Job& job) const;
  // Lets the planner see what happened, lets the nodes answer, and prints refusals.
  std::string settle();
  void obey(const Order& order);
  void report(const std::string& node, NodeReport report);
  void heartbeats();

  ClusterConfig config_;
  std::string topology_;  // topology.conf so far
  Controller controller_;
  Planner planner_;
  PlanBudget budget_;
  std::vector<Association> associations_;  // what accounting would know
  Verdicts verdicts_;
  Outbox out_;
  Instant now_;
  std::uint64_t requests_ = 0;
  bool configured_ = false;
  std::set<std::string> alive_, stuck_;
  std::map<std::string, Instant> boots_;
  std::map<std::string, std::map<Sluid, AttemptReport>> running_;
};

// The text with the answers that its commands give now; equal to `text` if they are as expected.
std::string rewritten(std::string_view text);

}  // namespace ym::sim
