// SPDX-License-Identifier: Apache-2.0
// "Whose is it, and when?": what reservations leave of nodes and licences to a job that would run
// from one moment to another. Pure; made of a snapshot, lives as long as a pass of the planner.
//
// Cost: nothing where there are no reservations; otherwise O(reservations of the node) a question.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/job.h"
#include "model/state.h"
#include "schedule/booking.h"
#include "schedule/placement.h"

namespace ym {

class Calendar {
 public:
  Calendar(const State& state, Instant now);
  Calendar(const Calendar&) = delete;  // points into itself

  bool empty() const { return all_.empty(); }
  // Is a part of a node reserved anywhere? Then count() must be told of every job that runs.
  bool has_parts() const { return has_parts_; }
  // A job counts once, however often it is told of; one without an id each time.
  void count(JobId job, const Allocation& allocation);
  // One without an id is not to come after all.
  void uncount(const Allocation& allocation);

  // A job's stay: when, and in which reservation (null: in none).
  struct Stay {
    Instant from, to;
    const Reservation* in = nullptr;
  };
  // The stays to be tried for a job that would run from `from` to `to`, best first: the reservation
  // that it names, or none and then those that draw it in (MAGNETIC). Empty: it names one that does
  // not exist, is not active then, or does not admit it.
  std::vector<Stay> stays(const JobSpec& spec, Instant from, Instant to) const;
  // One of the above by the reservation's name, for a proposal that is to be checked again.
  std::optional<Stay> stay(const JobSpec& spec, const std::string& name, Instant from,
                           Instant to) const;
  // Do stays depend on who asks? Then what holds for one job of a shape need not hold for others.
  bool is_personal() const { return personal_; }

  // Takes away what of the node is not for that stay; false if nothing is left.
  bool clip(Free& free, const Stay& stay) const;
  // Is a node of the list kept from the stay by maintenance?
  bool in_maintenance(NodeId node, const Stay& stay) const;

  // Of a licence, what reservations other than the stay's keep during it.
  std::uint32_t licenses_kept(std::string_view name, const Stay& stay) const;

  // When reservations begin and end, after that moment, ascending.
  std::vector<Instant> turns(Instant after) const;

 private:
  // With the times that it has now: TIME_FLOAT moves along.
  const Reservation* by_name(std::string_view name) const;
  void count_gres(const Reservation& in, const Allocation& allocation, std::int64_t sign);
  // Marks what the reservation keeps of the node, or all but that, as held.
  void keep_gres(Free& free, const Reservation& one, bool others) const;
  static bool meets(const Reservation& one, const Stay& stay) {
    Instant to = stay.to == kNever ? stay.from + kLengthWithoutLimit : stay.to;
    return one.start < to && stay.from < one.end;
  }

  std::vector<Reservation> all_;
  std::map<NodeId, std::vector<std::pair<const Reservation*, const ReservedNode*>>> by_node_;
  std::map<std::pair<ReservationId, NodeId>, std::uint32_t> used_;  // cpus, of parts of nodes
  // Generic resources without devices that jobs in a reservation hold.
  std::map<std::tuple<ReservationId, NodeId, std::string, std::string>, std::int64_t> used_gres_;
  std::set<JobId> counted_;
  bool has_parts_ = false, personal_ = false;
};

// Which licences the request takes out of what is free, as it is noted in the allocation; nothing
// if they do not suffice. REQUIRES: spec.extras->licenses was admitted.
std::optional<std::string> choose_licenses(const JobSpec& spec, const Licenses& licenses,
                                           const Calendar& calendar, const Calendar::Stay& stay);
// Are those that a proposal holds still free?
bool licenses_suffice(const std::string& held, const Licenses& licenses, const Calendar& calendar,
                      const Calendar::Stay& stay);
// Is every licence known, and are there ever enough? An empty text is fine.
Status check_licenses(const std::string& text, const Licenses& licenses);
// Marks them as taken in a working copy.
void take_licenses(const std::string& held, Licenses& licenses);

}  // namespace ym
