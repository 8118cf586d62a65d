// SPDX-License-Identifier: Apache-2.0
// The brain of the node daemon: messages, ends of shepherds and ticks in; effects out. Pure.
//
// An attempt at a job (Sluid) has shepherds here, one for each step, the batch script's among them.
// Everything is level-triggered and idempotent: what is repeated changes nothing, and what has
// ended is reported again and again until the controller says that it has written it down.
//
// Thread rule: one thread.
// Invariants: (1) for one (Sluid, StepId) Launch is asked for at most once in the life of an Agent;
// (2) an attempt that is being killed starts nothing more; (3) an attempt is reported Clean only
// when none of its shepherds is alive;
// (4) an attempt that was killed or forgotten is never launched while its tombstone is remembered;
// (5) nothing of an attempt is launched before its prolog has succeeded, and the epilog only when
// nothing else of it is alive.
//
// Files: agent.cc (attempts, orders, reports), programs.cc (prolog, epilog and extern step),
// suspension.cc, memory.cc (less of it for a running job).
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/effects.h"
#include "base/result.h"
#include "base/time.h"

namespace ym::agent {

inline constexpr std::size_t kTombstonesMax = 32768;
inline constexpr std::size_t kAttemptsMax = 65536;
inline constexpr std::size_t kStepsMax = 65536;  // of one attempt, on this node
// SIGKILL is repeated so often while something of a killed attempt is alive.
inline constexpr Duration kKillAgain = std::chrono::seconds(2);

// slurmd's own programs around an attempt, and these with the extern step: never reported as steps.
inline bool is_program(StepId step) { return step == kPrologStep || step == kEpilogStep; }
inline bool is_around(StepId step) { return is_program(step) || step == kExternStep; }

// How a shepherd ended.
struct Ended {
  ExitStatus exit;
  std::string error;  // why it could not be started, or what happened to the shepherd
  bool out_of_memory = false;
  std::string drain_reason;  // the node should get no more work
  StepUsage usage;
  bool on_order = false;       // a prolog that was killed with its attempt
  bool launch_failed = false;  // this node could not launch it: nothing of it ran
};

// What a shepherd says to a Limit.
struct MemoryTold {
  StepId step;
  std::uint64_t limit_mb = 0;     // of the whole attempt here; 0: nothing limits it
  std::uint64_t attempt_mb = 0;   // resident, of all its shepherds; 0: not known
  std::uint64_t resident_mb = 0;  // of this one
};

// What runs around an attempt on this node besides its steps.
struct Around {
  bool prolog = false, epilog = false;
  bool contain = false;     // an extern step on every node
  bool serial = false;      // one prolog or epilog at a time
  bool run_in_job = false;  // the prolog belongs to the extern step, so that one comes first
};

// What a restarted daemon finds of a shepherd in its spool.
enum class Found : std::uint8_t {
  Alive = 0,         // its lock is held
  Finished = 1,      // it left a result
  NeverStarted = 2,  // no mark, no lock: nothing of it ran
  Lost = 3,          // it had started, is gone, and left no result
};
struct Recovered {
  JobId job;
  Sluid sluid;
  StepId step;
  Found found = Found::Lost;
  Ended ended;  // of a finished one
};

class Agent {
 public:
  // Before recover(), and after a new configuration. Attempts that are here keep the prolog and the
  // extern step that they have; whether an epilog follows is decided when it is due.
  void set_around(const Around& around) { around_ = around; }

  // After a restart, once, before anything else. A batch script that never started is launched
  // again: nothing of it has run. A step's srun is gone, so such a step has failed.
  void recover(const std::vector<Recovered>& found, Outbox& out);

  // Attempts that were over before a restart. Oldest first.
  void remember_over(const std::vector<Sluid>& sluids) {
    for (Sluid sluid : sluids) bury(sluid);
  }

  // A new connection to the controller: the complete report, always the first on it.
  void connected(Outbox& out) const;
  // Says again what the controller has not confirmed; an empty report is a sign of life.
  void heartbeat(Outbox& out);
  // SIGKILL for those whose grace is over. Call about once a second.
  void tick(Instant now, Outbox& out);

  void handle(const LaunchJob& order, Outbox& out);
  void handle(const KillJob& order, Instant now, Outbox& out);
  void handle(const SignalJob& order, Outbox& out);
  // Until it is told otherwise, or killed. suspension.cc
  void handle(const SuspendJob& order, Outbox& out);
  void handle(const ForgetAttempts& order, Outbox& out);
  // Answered when all shepherds of the attempt have said what they set; if one has not, not at all:
  // the order comes again. memory.cc
  void handle(const LimitMemory& order, Outbox& out);
  void memory_told(Sluid sluid, std::uint64_t asked_mb, const std::vector<MemoryTold>& told,
                   Outbox& out) const;
  // What of the attempt is started from now on gets no more than this; 0: what its order says.
  std::uint64_t memory_limit(Sluid sluid) const;

  // srun asks for a step and has shown a good credential. Refused if this step was here before, or
  // if its attempt is being killed or over.
  Status launch_step(JobId job, Sluid sluid, StepId step, Outbox& out);
  void shepherd_ended(Sluid sluid, StepId step, const Ended& ended, Outbox& out);

  // The attempt's shepherds that are alive: for `scontrol listpids` and tests.
  bool alive(Sluid sluid, StepId step) const;
  // The attempt at the job in which the step is alive here. Only one can be: a job is requeued when
  // it is clean.
  std::optional<Sluid> running_attempt(JobId job, StepId step) const;
  // Nothing of it is left here, or it was never here: its CPUs may go to others.
  bool attempt_over(Sluid sluid) const;
  // The attempt was killed or forgotten here: what was signed for it holds no more.
  bool revoked(Sluid sluid) const;
  bool step_over(Sluid sluid, StepId step) const { return !alive(sluid, step); }
  // Everything that is alive here; unset: all.
  struct Alive {
    JobId job;
    Sluid sluid;
    StepId step;
  };
  std::vector<Alive> alive_steps(std::optional<JobId> job, std::optional<StepId> step) const;
  std::size_t attempt_count() const { return attempts_.size(); }

 private:
  struct Shepherd {
    bool alive = true;
    bool waiting = false;  // alive, but not launched yet: for the prolog, or for its turn
    Ended ended;
  };
  struct Attempt {
    JobId job;
    bool batch = false;  // the script was this node's to run
    bool killed = false;
    bool suspended = false;
    bool prolog_failed = false;   // by itself, not because the attempt was killed
    Instant kill_at;              // SIGKILL from then on
    std::optional<KillJob> kill;  // the latest that described the job, for the epilog
    std::map<StepId, Shepherd> shepherds;
    std::set<StepId> forgotten;  // steps that have been here: never again
    bool told = false;           // a heartbeat has said that it is here
  };

  AttemptReport report_of(Sluid sluid, const Attempt& attempt) const;
  static void add_ended_steps(Sluid sluid, const Attempt& attempt, NodeReport& report);
  void report_attempt(Sluid sluid, Outbox& out) const;
  void report_clean(JobId job, Sluid sluid, bool batch, std::string error, Outbox& out) const;
  void signal_attempt(Sluid sluid, const Attempt& attempt, std::uint16_t signal, Outbox& out,
                      KillCause cause = KillCause::None) const;
  static void freeze_attempt(Sluid sluid, const Attempt& attempt, Outbox& out);
  void end_waiting(Sluid sluid, Attempt& attempt, const Ended& ended, Outbox& out);
  // programs.cc
  void prepare(Sluid sluid, Attempt& attempt, const std::optional<LaunchJob>& order,
               std::optional<StepId> sake, Outbox& out);
  // Launches what waits and need not any more, refuses what waits in vain, starts the epilog.
  // Idempotent.
  void advance(Sluid sluid, Attempt& attempt, Outbox& out);
  void advance_queue(Outbox& out);
  bool may_launch(const Attempt& attempt, StepId step) const;
  bool program_running() const;
  bool wants_epilog(const Attempt& attempt) const;
  void bury(Sluid sluid);
  void forget_attempt(Sluid sluid, Outbox& out);
  void forget_step(const StepReport& step, Outbox& out);

  std::vector<StepId> limited_steps(const Attempt& attempt) const;

  Around around_;
  std::map<Sluid, Attempt> attempts_;
  std::map<Sluid, std::uint64_t> memory_limits_;  // by orders, also of attempts with nothing here
  // Oldest first; tombstones_ holds the same ones for looking up.
  std::deque<Sluid> buried_;
  std::set<Sluid> tombstones_;
};

}  // namespace ym::agent
