// SPDX-License-Identifier: Apache-2.0
// "When?", asked from outside the planner: the earliest time at which a request could start, if
// whoever runs uses the whole time limit and whoever has been promised something gets it. The same
// book and profile as the planner's answer it, made from a snapshot.
//
// Thread rule: one owner; the state must outlive it.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "model/state.h"
#include "schedule/booking.h"
#include "schedule/profile.h"

namespace ym {

// Where questions about a profile are asked from.
struct Asker {
  const State& state;
  const Book& book;
  const PlacementRules& rules;
  Profile& profile;
  Bookings& bookings;  // the profile's
};

// The first of the partitions in which it starts earliest; none if it cannot be told.
std::optional<Booking> earliest_of(const Asker& asker, const JobSpec& spec,
                                   const std::vector<Home>& homes, Instant from);

// The earliest time at which all could start together: one booking for each, in their order, with
// the same start. Empty if it cannot be told.
std::vector<Booking> earliest_together(const Asker& asker,
                                       const std::vector<const JobSpec*>& specs);

class Outlook {
 public:
  // Nothing is promised. O(nodes + jobs).
  Outlook(const State& state, const PlacementRules& rules, Instant now);
  Outlook(const Outlook&) = delete;

  // It comes first: what is asked about afterwards may have what it leaves.
  // REQUIRES: a job of the state.
  void promise(const Booking& booking);
  std::size_t promises() const { return bookings_.size(); }

  std::optional<Booking> earliest(const JobSpec& spec);
  std::vector<Booking> earliest_together(const std::vector<const JobSpec*>& specs);

 private:
  Asker asker() { return {state_, book_, rules_, profile_, bookings_}; }

  const State& state_;
  PlacementRules rules_;
  Book book_;
  Bookings bookings_;
  Profile profile_;
};

}  // namespace ym
