// SPDX-License-Identifier: Apache-2.0
// What a planner proposes and what it found out. The core decides (controller/jobs/start.cc).
#pragma once
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <vector>

#include "model/job.h"
#include "schedule/booking.h"
#include "schedule/placement.h"

namespace ym {

struct Proposal {
  JobId job;
  std::uint32_t array_task = kNoTask;  // an element that has no record yet
  PartitionId partition;
  std::uint64_t shape = 0;  // shape_hash of the request that it was made for
  Allocation allocation;
  std::uint32_t time_limit_s = 0;  // shorter than asked for, as --time-min allows; 0: as asked for
  Instant end;                     // when it is over at the latest
  std::vector<Proposal> others;    // of a heterogeneous job: they start with it, or nothing does
};

// Why a shape does not run now: the value behind squeue's REASON, made where it was decided.
struct Verdict {
  Reason reason = Reason::None;
  JobId head;              // the job it was decided for; the others of the shape wait for Priority
  Instant expected_start;  // of the head; unset if not planned
  std::string text;        // a detail behind the reason, may be empty
};

struct Verdicts {
  std::map<std::uint64_t, Verdict> shapes;  // by shape_hash
  std::map<JobId, Reason> jobs;             // jobs with a reason of their own (JobArrayTaskLimit)
  // Heterogeneous jobs by their first component; the head is the component that it was decided for.
  std::map<JobId, Verdict> het;
  // When jobs are to start at the latest, if nothing is lost.
  std::map<JobId, Instant> promised;
  // Where, for the first of them in the queue: at most kPlacesMax jobs, with together not many more
  // than kPlaceNodesMax nodes. Copies of verdicts share the lists.
  std::map<JobId, Ref<std::vector<NodeId>>> places;
  Instant at;  // when they were given

  static constexpr std::size_t kPlacesMax = 1000, kPlaceNodesMax = 100'000;
  // The bookings come in the order of the queue. O(nodes noted).
  void note_places(const std::vector<Booking>& booked);
  // Those of a quick pass take the place of earlier ones.
  void merge(const Verdicts& newer);
};

// A job that runs is to make room for one that waits.
struct Preemption {
  JobId victim;
  Sluid sluid;  // of the attempt that is meant
  PreemptMode mode = PreemptMode::Off;
  JobId by;
  PartitionId partition;    // in which the other would start
  std::uint64_t shape = 0;  // shape_hash of the other's request
  Duration grace{0};
};

// What a pass asks, see README.md.
enum class PlanQuestion : std::uint8_t { WhoseTurn, FitsNow, When, WhomToPreempt };
inline constexpr std::size_t kPlanQuestions = 4;
// Why a pass came to its end.
enum class PlanExit : std::uint8_t { QueueEnd, StartsMax, PromisesMax, OutOfTime };
inline constexpr std::size_t kPlanExits = 4;
// How deep a pass went, what it found, and what its time went into.
struct PlanTally {
  std::uint64_t looked_at = 0;  // jobs; of a shape that is blocked the others are not looked at
  std::uint64_t promised = 0;
  std::uint64_t started = 0;     // proposals; an array's elements count each
  std::uint64_t components = 0;  // of heterogeneous jobs among them
  std::uint64_t waiting = 0;     // jobs in the queue when it began
  PlanExit exit = PlanExit::QueueEnd;
  std::array<std::chrono::nanoseconds, kPlanQuestions> took{};  // by question

  // What the next part of the same pass, or another pass, found.
  void add(const PlanTally& other);
};

struct Plan {
  Seq based_on;                         // the last event that the planner had seen
  std::vector<Proposal> starts;         // in the order in which they should be committed
  std::vector<Preemption> preemptions;  // to be committed before the starts
  std::vector<Booking> booked;  // what blocked jobs were promised, in the order of the queue
  Verdicts verdicts;
  bool cut_short = false;  // the budget ended before the queue did
  // Only what had changed was looked at: the verdicts are about that, and nothing is said of the
  // other promises, which stay.
  bool quick = false;
  // A full pass that made a pause: the next full one goes on with it. What is said here is about
  // the part since the last pause.
  bool unfinished = false;
  std::uint64_t work = 0;  // nodes looked at
  PlanTally tally;
};

// What a pass may cost.
struct PlanBudget {
  std::size_t starts_max = 1000;
  // Blocked jobs that get a start planned for them, and more as long as more_promises says so: the
  // depth is a budget of time, with this floor. Unset: no more.
  std::size_t reservations_max = 1000;
  std::function<bool()> more_promises;
  // How a pass goes about the queue. Auto: everything where that is cheap, or when the last time is
  // `full_every` ago; otherwise what changed.
  enum class Depth : std::uint8_t { Auto, Quick, Full };
  Depth depth = Depth::Auto;
  Duration full_every = std::chrono::seconds(30);
  // Asked between jobs: no time is left. Then no more starts are planned, and soon the pass ends.
  std::function<bool()> out_of_time;
  // Asked between jobs of a full pass: somebody waits for the planner. Unset: it makes no pauses.
  std::function<bool()> pause;
  // Any moment's distance from some other. Unset: time by question is not counted.
  std::function<std::chrono::nanoseconds()> clock;
  std::size_t per_partition_max = static_cast<std::size_t>(-1);  // of reservations_max
  std::size_t per_user_max = static_cast<std::size_t>(-1);
  Duration window{kNever.unix_ms};  // starts further away than this are not promised
  Duration min_age{0};              // who has waited for less is not promised a start
  // --switches: nobody waits for longer than this for few enough of them, nor for a place that
  // breaks up less of the network.
  Duration switch_wait = std::chrono::seconds(300);
  // bf_topopt_enable: so many later times are looked at for such a place; 0: none.
  std::uint32_t topopt_iterations = 0;
};

}  // namespace ym
