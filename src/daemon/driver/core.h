// SPDX-License-Identifier: Apache-2.0
// The loop around the brain: inputs in, batches out. A batch is what one group commit makes
// durable, together with everything that may leave only then. The controller daemon runs it on a
// thread, the simulator under virtual time; it is the same code.
//
// Thread rule: one owner. No clock, no I/O, no threads here.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "controller/controller.h"
#include "model/caller.h"
#include "model/config.h"

namespace ym {

// --- inputs ---
struct NewConfiguration {
  ClusterConfig config;
};
using Command =
    std::variant<SubmitJob, AlterJobs, CreateStep, UpdateNodes, UpdatePartition, NewConfiguration,
                 RebootNodes, UpdateReservation, CreateHetStep, SetTrigger, ClearTriggers,
                 UpdateCrontab, UpdateStep, CreateNodes, DeleteNodes>;
struct Request {
  RequestId id;
  Caller caller;
  Command command;
  std::uint64_t key = 0;  // the client's number for it, if it may ask again; 0: it has none
};
// `connection` is the shell's own number; orders leave on the connection that they were decided
// for.
struct NodeSpoke {
  NodeReport report;
  std::uint64_t connection = 0;
};
struct NodeDisconnected {
  std::string node;
  std::uint64_t connection = 0;
};
struct OwnerPresent {
  JobId job;
};
struct OwnerGone {
  JobId job;
};
struct Planned {
  Plan plan;
};
struct TimePassed {};
// The clock by which the core is told the time was set by so much.
struct ClockMoved {
  Duration by{0};
};
// A PrologSlurmctld or EpilogSlurmctld has ended; without an error it succeeded.
struct ProgramEnded {
  JobId job;
  Sluid sluid;
  std::string error;
  bool epilog = false;
};
using Input = std::variant<Request, NodeSpoke, NodeDisconnected, OwnerPresent, OwnerGone, Planned,
                           TimePassed, ProgramEnded, ClockMoved>;

// One group: the records in the order of their sequence numbers, and what waits for them.
struct Batch {
  std::vector<Event> events;
  std::vector<std::string> records;  // the events, encoded
  std::vector<Reply> replies;
  std::vector<Order> orders;
  std::vector<ControllerProgram> programs;
  std::vector<SideProgram> side_programs;
  Snapshot state;  // after the last event
  bool something_to_plan =
      false;  // a change that could start something, or a plan that was cut short
};

class Core {
 public:
  explicit Core(Controller controller) : controller_(std::move(controller)) {}

  const Controller& controller() const { return controller_; }
  const State& state() const { return controller_.state(); }

  // REQUIRES: now is not before any earlier `now`, except by what the clock jumped back
  // (ClockMoved).
  void handle(const Input& input, Instant now);
  // Takes the configuration at a start over and begins to watch.
  Status begin(const ClusterConfig& config, Instant now, std::size_t place = 0);

  // While the log cannot be written nothing new is taken on: requests are refused with the reason,
  // reports and time are left for later (they come again).
  void set_log_trouble(std::string text) { log_trouble_ = std::move(text); }

  // Refusals because of that trouble: they promise nothing, so they need not wait for the log.
  std::vector<Reply> take_refusals() { return std::exchange(refusals_, {}); }

  bool has_batch() const { return !out_.empty() || replan_; }
  // What has gathered since the last call. Encodes the events: O(their size).
  Batch take_batch();

 private:
  void handle(const Request& request, Instant now);
  void decide(const Request& request, Instant now);
  bool answer_again(const Request& request);
  void remember(const Request& request, std::size_t replies_before, Instant now);

  Controller controller_;
  Outbox out_;
  std::string log_trouble_;
  std::vector<Reply> refusals_;
  bool replan_ = false;
};

}  // namespace ym
