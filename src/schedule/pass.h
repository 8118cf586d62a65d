// SPDX-License-Identifier: Apache-2.0
// One pass of the planner over the queue: who starts now, and what the others are promised.
//
// Heads of lines are taken in the order of the queue. One that fits now beside what is promised
// starts. One that does not is blocked, and with it every other job of its shape; as the policy and
// the budget say, it is promised its earliest start, and nobody who comes later in the pass may
// delay that.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "schedule/floors.h"
#include "schedule/plan.h"
#include "schedule/planner.h"
#include "schedule/profile.h"

namespace ym {

// What a policy may know of the job.
Waiting waiting_of(const Job& job);

class Pass {
 public:
  Pass(Planner& planner, const State& state, Instant now, const PlanBudget& budget, bool full);
  // Before a full pass runs, unless it goes on after a pause: lets the policy arrange the first
  // jobs of the queue, one ground after the other. False if it made a pause: nothing has changed
  // for quick passes, and the next full one goes on with it. pass_arrange.cc
  bool arrange();
  Plan end_while_arranging();
  Plan run();

 private:
  // The first job of a line that was not looked at, and its place in the queue: lower goes first.
  struct Head {
    bool passing = false;   // all promises of its partitions are given
    bool claimless = true;  // nobody is making room for it, or did
    std::uint32_t tier_inverse = 0, priority_inverse = 0;
    Score score;
    Position position;
    Line* line = nullptr;
    bool goes_before(const Head& other) const;
  };
  using Components = std::vector<const Job*>;

  // The time until its end goes into that question, unless another is asked within.
  class Asks {
   public:
    Asks(Pass& pass, PlanQuestion question) : pass_(pass), before_(pass.turn_to(question)) {}
    ~Asks() { pass_.turn_to(before_); }
    Asks(const Asks&) = delete;

   private:
    Pass& pass_;
    PlanQuestion before_;
  };
  PlanQuestion turn_to(PlanQuestion question);
  void sum_up();

  // The queue.
  void gather_heads();
  // pass_arrange.cc
  struct Yard;
  std::vector<Yard> yards();
  void arrange(const Yard& yard, int forecasts);
  std::vector<const Job*> first_in_queue(const Yard& yard) const;
  std::int64_t cpus_of(const Job& job, const Yard& yard) const;
  std::uint32_t rows_of(const JobSpec& spec) const;
  void count_queue(const Yard& yard, Scene& scene);
  void push(Line& line, const Position& position);
  void advance(const Head& head);
  Head head_of(Line& line, const Position& position) const;
  Head pop();
  bool is_awake(const Shape& shape) const;
  Shape::Found& found_of(Shape& shape) const { return full_ ? shape.by_full : shape.by_quick; }
  void make_homes(Shape& shape);

  // One job.
  void step();
  bool start_elements(const Job& job, Shape& shape, Verdict& verdict);
  bool may_start_as_promised(const Job& job) const;
  bool keeps_waiting(const Job& job, Shape& shape);
  bool stays_blocked(const Job& job, Shape& shape);
  bool blocked(const Job& job, Shape& shape, Verdict verdict);
  // Of jobs that stand in several queues.
  bool is_settled_elsewhere(const Job& job, const Shape& shape) const;
  void keep_or_promise_sooner(Booking old, const Job& job, Shape& shape);
  bool withdraw(JobId job);
  void note_start(const Job& job, const Shape& shape);
  void note_verdict(const Job& job, const Shape& shape, Verdict verdict);
  std::uint32_t elements_that_may_start(const Job& job);
  std::uint32_t elements_left(const Job& job) const;
  std::uint32_t next_task(const Job& job);

  // Now? pass_start.cc
  std::optional<Proposal> try_start(const Job& job, const std::vector<Home>& homes,
                                    Verdict& verdict);
  std::optional<Proposal> try_until(const Job& job, const std::vector<Home>& homes, Instant end,
                                    Verdict& verdict);
  std::optional<Allocation> allocate(const Job& job, const Home& home, const Calendar::Stay& stay,
                                     Verdict& verdict);
  bool start_as_promised(const Components& components, const std::vector<Booking>& lifted,
                         const Shape& shape);
  void propose(std::vector<Proposal> components);
  void try_together(const Components& components, Verdict& verdict);
  void take(const Proposal& proposal, const Job& job);
  bool is_whole(const JobSpec& spec, PartitionId partition) const;

  // Would it break up less a little later? pass_topology.cc
  bool waits_for_better_place(const Job& job, Shape& shape);
  std::optional<Booking> better_place(const Job& job, const Home& home, std::uint32_t score,
                                      Instant until);
  std::uint32_t score_of(const Home& home, const Allocation& allocation, Instant at) const;

  // Whom to preempt? pass_preempt.cc
  struct Want;
  struct Guest;
  struct Guests;
  bool others_make_room(const Job& job, Shape& shape, Verdict& verdict);
  std::optional<Want> want_in(const Job& job, const Home& home);
  bool preempt_for(const std::vector<Want>& wants, Shape& shape, Verdict& verdict);
  Guests guests_of(const std::vector<Want>& wants);
  std::optional<Guest> guest_of(const Job& other, const std::vector<Want>& wants);
  void note_when_to_ask_again(const Job& other, const PartitionSpec& partition, bool peer);
  std::vector<Allocation> place_without(const std::vector<Want>& wants, const Guests& guests,
                                        const std::vector<bool>& gone) const;
  std::optional<Allocation> place_one_without(const Want& want, const Guests& guests,
                                              const std::vector<bool>& gone,
                                              const std::vector<Allocation>& given) const;
  static void take_off(Free& free, const Allocation& other);
  void limit_turns(Free& free, std::uint32_t sharers) const;
  void ask(const std::vector<Want>& wants, Shape& shape, const Guests& guests,
           const std::vector<std::size_t>& chosen, std::vector<Booking> bookings);
  void start_in_their_place(const std::vector<Want>& wants, std::vector<Booking> bookings);

  // When? pass_promise.cc
  bool is_deep_enough(std::size_t given);
  bool is_due_a_promise(const Job& job, const Shape& shape);
  bool promises_are_given(const Shape& shape) const;
  bool promise(const Components& components, Shape& shape, Verdict& verdict);
  std::vector<Booking> earliest(const Components& components, Shape& shape);
  std::optional<Booking> earliest_of(const JobSpec& spec, const std::vector<Home>& homes,
                                     Instant from);
  std::vector<Booking> earliest_of_all(const Components& components);
  void book(Booking booking, const Job& job, const Shape& shape);
  std::optional<Booking> lift(JobId job);
  std::vector<Booking> lift(const Components& components);
  const JobQueue::Place* place_of(JobId id, PartitionId in) const;
  void lift_all();
  void make_pause();
  void count_promises();
  bool is_closed(const Shape& shape) const;
  void close(const Shape& shape, Verdict& verdict);
  bool no_time_left();

  // As promised? pass_keep.cc
  struct Kept;
  void promise_what_was_refused();
  std::vector<Kept> kept_promises();
  void drop_what_arrays_forbid(std::vector<Kept>& all);
  void promise_again(Kept& one);
  const std::vector<Home>& homes_for(const Job& component, const Shape& shape,
                                     std::vector<Home>& made) const;
  bool has_room_for(const Booking& lifted, const Job& component, const Shape& shape) const;
  bool surely_holds(const Kept& one) const;
  bool put_back(Kept& one);
  std::vector<Booking> earliest_again(Kept& one, Instant from);
  bool move_up(Kept& one);
  void place_anew(std::vector<Kept>& all, std::size_t first);
  bool may_have_room_now(const Kept& one) const;
  void let_start_at_once(std::vector<Kept>& all);
  void compress();
  bool array_has_room(const Job& job) const;
  void note_what_was_not_kept();

  Planner& planner_;
  const State& state_;
  Instant now_;
  const PlanBudget& budget_;
  bool full_;
  const Policy& policy_;
  Profile profile_;
  bool goes_on_;          // a full pass, after a pause
  std::uint64_t number_;  // of the pass, the same before and after pauses
  Figures figures_;
  Plan plan_;
  std::vector<Head> heads_;                       // a heap
  std::map<PartitionId, std::size_t> promised_;   // jobs that are promised a start, by partition
  std::map<Uid, std::size_t> promised_to_user_;   // counted only where there is a limit
  std::set<PartitionId> closed_;                  // nobody passes the job that waits there
  std::map<JobId, IndexSet> arrays_;              // elements not yet proposed in this pass
  std::map<JobId, std::uint32_t> array_started_;  // by this pass
  std::map<JobId, std::uint32_t> array_due_;      // elements that are promised to start now
  std::set<JobId> offered_again_;                 // what they are promised was refused once
  std::set<JobId> asked_;                         // to make room, by this pass
  std::set<JobId> started_;                       // of those in several queues, by this pass
  std::size_t preemptors_ = 0;                    // for whom it was asked who could make room
  std::size_t new_promises_ = 0;
  std::size_t promised_before_pause_ = 0;
  Floors floors_;
  std::vector<Booking> lifted_;  // what others were promised by the full pass before this one
  bool out_of_time_ = false;
  bool deep_enough_ = false;  // no more promises
  PlanQuestion asked_now_ = PlanQuestion::WhoseTurn;
  std::chrono::nanoseconds asked_since_{0};
};

}  // namespace ym
