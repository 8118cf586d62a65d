// SPDX-License-Identifier: Apache-2.0
// What the controller wants done. Order is a contract: all events of an Outbox are durable before
// any reply or order of it leaves the machine.
#pragma once
#include <cstdint>
#include <variant>
#include <vector>

#include "model/control_messages.h"
#include "model/event.h"
#include "model/job_messages.h"
#include "model/node_messages.h"
#include "model/step_messages.h"

namespace ym {

// Who waits for an answer; the shell's own number, opaque here.
using RequestId = Id<struct RequestTag, std::uint64_t>;

using Answer = std::variant<Done, Failure, SubmitAnswer, AlterAnswer, StepCreated, HetStepCreated,
                            TriggerAdded, CrontabUpdated>;
struct Reply {
  RequestId to;
  Answer answer;
};

// `LaunchJob` leaves here without script and environment: the shell adds them from the blob store.
// A credential in `StepCreated` leaves here unsigned: the shell has the key.
using NodeMessage = std::variant<LaunchJob, KillJob, SignalJob, ForgetAttempts, SuspendJob,
                                 RebootNode, NotifyJob, LimitMemory>;
struct Order {
  NodeId node;
  NodeMessage message;
};

// PrologSlurmctld and EpilogSlurmctld. Their ends come back as program_ended() and epilog_ended().
struct ControllerProgram {
  JobId job;
  Sluid sluid;
  bool epilog = false;
  LaunchJob facts;  // without script and environment
  ExitStatus exit;  // of the job, for the epilog
};

// A program beside the jobs: of a trigger, MailProg, SuspendProgram and the like. Nobody waits for
// its end.
struct SideProgram {
  std::string program;                 // a path, or a line for the shell if there are no arguments
  std::vector<std::string> arguments;  // without the name
  std::vector<std::string> environment;  // NAME=value
  Uid uid;                               // who it runs as
  Gid gid;
  std::string user_name;  // empty: as whom the controller runs
  // A file that is there while it runs: the variable with its name, and what is in it.
  std::string file_variable, file_text;
};

struct Outbox {
  std::vector<Event> events;
  std::vector<Reply> replies;
  std::vector<Order> orders;
  std::vector<ControllerProgram> programs;
  std::vector<SideProgram> side_programs;
  bool empty() const {
    return events.empty() && replies.empty() && orders.empty() && programs.empty() &&
           side_programs.empty();
  }
};

}  // namespace ym
