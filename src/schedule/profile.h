// SPDX-License-Identifier: Apache-2.0
// "Fits where?" and "when?": what is free when, on every node, for one pass of the planner.
//
// Each node has a step function of what is free: what it has now, what comes back when jobs reach
// their limits, less what is promised. A request fits at a time if enough nodes have, from then on
// and for as long as it lasts, room for its tasks. The book has what the state says; what a pass
// gives away is noted in sketches that live as long as the profile.
//
// Cost: a question about now is O(nodes of the partition with so many free cpus); the earliest time
// is O(holdings and promises of the partition's nodes), with a logarithm for the part that comes
// before the answer.
#pragma once
#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "schedule/book.h"
#include "schedule/booking.h"
#include "schedule/calendar.h"
#include "schedule/license_levels.h"
#include "schedule/placement.h"
#include "schedule/queue.h"

namespace ym {

// What should be back already comes back at any moment, yet not at this one.
inline constexpr Duration kAnyMoment{1};

class Profile {
 public:
  Profile(Book& book, const State& state, Bookings& bookings, Instant now);
  Profile(const Profile&) = delete;

  // --- now ---
  // False: it surely does not fit in this partition now, promises or not. Cheap.
  bool has_room_now(const JobSpec& spec, const Home& home) const;
  // The same beside what is promised.
  bool may_fit_now(const JobSpec& spec, const Home& home, Instant until) const;
  // What the job would get for that stay, which begins now. `maintained` is set if nodes are kept
  // from it by maintenance.
  std::optional<Allocation> place_now(const JobSpec& spec, const Home& home,
                                      const Calendar::Stay& stay, bool& maintained) const;
  // The licences that it would get for that stay, beside what is promised.
  std::optional<std::string> licenses_for(const JobSpec& spec, const Calendar::Stay& stay) const;
  // A job that would leave a node, or be suspended there: then its memory and generic resources
  // stay taken.
  struct Departure {
    JobId job;
    NodeShare share;
    Ref<Allocation> allocation;
    bool keeps_memory = false;
  };
  // Who asks for room on a node: of those who share, in the first row that takes so many tasks, or
  // in the one that takes most.
  struct Asker {
    const Capacity& capacity;
    std::uint32_t tasks = 1;
    bool with_gres = false;
  };
  // What the node would have for that stay, which begins now, without these; nothing if
  // reservations keep it. O(its holdings and promises).
  std::optional<Free> without(NodeId node, const std::vector<Departure>& gone,
                              const Calendar::Stay& stay, const Asker& asker) const;
  // The same for licences of these.
  std::optional<std::string> licenses_without(const JobSpec& spec, const Calendar::Stay& stay,
                                              const std::set<JobId>& gone) const;
  // It is given away, until the end.
  void take(const Allocation& allocation, const JobSpec& spec, bool whole, Instant end);
  // How long the shares stay free beside what is promised, at most until `end`.
  Instant free_until(const Allocation& allocation, Instant end) const;

  // --- later ---
  // The earliest start from `from` on and before `before`; none if it cannot be told.
  struct Question {
    const JobSpec& spec;
    Instant from, before = kNever;
  };
  std::optional<Booking> earliest(const Question& question, const Home& home);
  // REQUIRES: bookings has the job's.
  void promise(const Booking& booking, const JobSpec& spec, bool whole);
  void retract(const Booking& booking);
  // Can it surely still be kept, if nobody but the promised come in between? Beside reservations,
  // whole blocks and those who keep others off nothing is sure. O(its nodes).
  bool still_holds(const Booking& booking, const JobSpec& spec, const Home& home) const;
  // Is all of it there, beside what others are promised? Asked of one that was retracted.
  // O(holdings and promises of its nodes).
  bool has_room_for(const Booking& retracted, const JobSpec& spec, const Home& home) const;

  // --- whole blocks: profile_alone.cc ---
  // Takes away what is in blocks that others have for themselves meanwhile and, from a job that
  // wants its own so, what is in blocks where anybody else is. `gone` are those who would make room
  // for it; `is_idle` says of a node whether it would be without them, all the time.
  void clip_blocks(std::vector<Free>& candidates, const JobSpec& spec, const Home& home,
                   const Calendar::Stay& stay, const std::set<JobId>& gone,
                   const std::function<bool(NodeId)>& is_idle) const;

  // Will nobody be on the node then, as far as is known? Promises count.
  bool is_idle(NodeId node, Instant at) const {
    return book_.knows(node) && during(book_.track(node), at, at + kAnyMoment, false).idle;
  }
  // When something comes back on the home's nodes, from then on and until then, ascending.
  std::vector<Instant> returns(const Home& home, Instant from, Instant until) const;

  // Takes everything back that was taken since.
  struct Mark;
  Mark mark() const;
  void back_to(Mark mark);

  Calendar& calendar() { return calendar_; }
  Instant now() const { return now_; }
  std::uint64_t work() const { return work_; }  // nodes looked at
  std::uint64_t pass() const { return pass_; }  // its number

 private:
  // What this pass made of a node.
  struct Sketch {
    NodeId node;
    Free free;
    std::uint32_t jobs = 0;
    std::vector<Holding> added;  // ascending by time
    mutable Levels levels;
    mutable std::map<std::uint32_t, Levels> row_levels;
  };
  // A node's room for tasks from a time on.
  struct Offer {
    Instant at;
    std::uint32_t place = 0, tasks = 0;
  };
  struct Search;
  class Sweep;

  const Sketch* sketch_of(const Track& track) const {
    return track.touched_by == pass_ ? &sketches_[track.sketch] : nullptr;
  }
  const Free& free_of(const Track& track) const {
    const Sketch* sketch = sketch_of(track);
    return sketch ? sketch->free : track.free;
  }
  // Now, as one who shares sees it in his row; 0: as free_of().
  Free free_in(const Track& track, std::uint32_t row) const;
  // As many of `rows` as differ: behind the last in which anybody is they are all empty.
  std::uint32_t rows_to_ask(const Track& track, std::uint32_t rows) const;
  // The same for all rows: the most tasks that fit now, promises or not.
  std::uint32_t tasks_now(const Track& track, const Capacity& capacity) const;
  // during() in the row that suits the asker.
  Free best_during(const Track& track, Instant from, Instant to, const Asker& asker) const;
  // What the node has for that stay, unless reservations keep it: for those who share, in each row
  // up to the first that takes all of the asker's tasks.
  void add_candidates(const Track& track, const Calendar::Stay& stay, const Asker& asker,
                      std::vector<Free>& candidates, bool& maintained) const;
  Sketch& sketch_for_writing(NodeId id);
  // Calls visit(const Holding&, Instant) for what comes back, ascending by time, until it returns
  // false.
  template <class Visit>
  void for_each_holding(const Track& track, Visit&& visit) const;
  // The step function of one node, from now on or a little before, as seen in the row.
  const std::vector<Level>& levels_of(const Track& track, std::uint32_t row = 0) const;
  void make_levels(const Track& track, std::uint32_t row, Levels& out) const;
  void change_levels(Track& track, const LevelChange& change, std::uint32_t row);
  Free during(const Track& track, Instant from, Instant to, bool with_gres,
              std::uint32_t row = 0) const;
  void lower(Free& free, const Track& track, Instant from, Instant to) const;
  void offers_beside_promises(const Track& track, Search& search) const;
  void offers_in_rows(const Track& track, Search& search) const;
  static void offer_alone(const std::vector<Level>& levels, const Free& node, Search& search);
  void offers_of(const Track& track, Search& search) const;
  static void times_of(const std::vector<Level>& levels, std::pair<Instant, Instant> stay,
                       Search& search);
  void add_turns(Search& search, const LicenseList& licenses) const;
  std::optional<Booking> sweep(Search& search) const;
  std::optional<Booking> try_at(const JobSpec& spec, const Home& home, Instant start,
                                const std::vector<std::uint32_t>& places) const;
  // Is there anybody who has, or is to have, his blocks for himself?
  bool anybody_alone() const {
    return !book_.alone().empty() || !alone_taken_.empty() || !alone_promised_.empty();
  }
  void clip_blocks(std::vector<Free>& candidates, const JobSpec& spec, const Home& home,
                   const Calendar::Stay& stay) const;
  bool has_room_during(const Calendar::Stay& stay, const Allocation& wanted, const JobSpec& spec,
                       const Home& home) const;
  bool admits(const Home& home, NodeId node) const;
  std::vector<Instant> block_turns(const JobSpec& spec, const Home& home) const;
  template <class Visit>
  void for_each_alone(const Calendar::Stay& stay, Visit&& visit) const;

  Book& book_;
  const State& state_;
  Bookings& bookings_;
  Instant now_;
  std::uint64_t pass_;
  Calendar calendar_;
  LicenseLevels licenses_;  // with what is promised and what this pass takes
  // Of jobs that have their blocks for themselves: what this pass gave them, until when, and what
  // they are promised.
  std::vector<std::pair<Instant, std::vector<NodeShare>>> alone_taken_;
  Bookings alone_promised_;
  std::vector<Sketch> sketches_;
  mutable std::uint64_t work_ = 0;
};

struct Profile::Mark {
  std::vector<Sketch> sketches;
  LicenseLevels licenses;
  std::vector<std::pair<Instant, std::vector<NodeShare>>> alone_taken;
};

template <class Visit>
void Profile::for_each_holding(const Track& track, Visit&& visit) const {
  Instant soon = now_ + kAnyMoment;
  auto one = track.holdings.begin();
  const Sketch* sketch = sketch_of(track);
  if (sketch && !sketch->added.empty()) {
    for (const Holding& added : sketch->added) {
      for (; one != track.holdings.end() && std::max(one->at, soon) <= added.at; ++one)
        if (!visit(*one, std::max(one->at, soon))) return;
      if (!visit(added, std::max(added.at, soon))) return;
    }
  }
  for (; one != track.holdings.end(); ++one)
    if (!visit(*one, std::max(one->at, soon))) return;
}

// What somebody had is there again; then everybody's.
void come_back(Free& free, const Holding& one);
void empty_out(Free& free);

// The bits of a home's nodes that are in `pool` bits, too; visits places in ascending order.
template <class Visit>
void for_each_place(const Bits& bits, const Home& home, Visit&& visit) {
  for (std::size_t word = 0; word < bits.size(); ++word) {
    std::uint64_t left = bits[word];
    if (!home.takes_all) left &= word < home.admitted.size() ? home.admitted[word] : 0;
    for (; left; left &= left - 1)
      if (!visit(static_cast<std::uint32_t>(word * 64) +
                 static_cast<std::uint32_t>(std::countr_zero(left))))
        return;
  }
}

}  // namespace ym
