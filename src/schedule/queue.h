// SPDX-License-Identifier: Apache-2.0
// "Order": the jobs that wait, in lines of jobs alike.
//
// Jobs that ask for the same thing are one shape. Those of a shape whose priorities move alike
// stand in one line, where the earlier goes first; so only the heads of lines are compared, and a
// million jobs are a few thousand heads.
//
// Thread rule: the planner's owner. Pointers to shapes live until the shape's last job leaves.
//
// Invariants:
//  (1) A job stands in exactly one line of each of its queues (see Shape::queues: nearly all have
//      one), or sleeps until its begin time, or is not here.
//  (2) No line is empty, no shape is without lines.
//  (3) A heterogeneous job stands in the queue as one, under its first component's id.
#pragma once
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/state.h"
#include "schedule/placement.h"
#include "schedule/policy.h"

namespace ym {

// Priorities that priority/basic gives: one after the other downwards, so that who comes first is
// first. Slurm's number.
inline constexpr std::uint32_t kTopPriority = 4294901760;
std::uint32_t automatic_priority(JobId job, std::int32_t nice);
// What the site says of a job's place. For policies with an order of their own, the numbers that
// everybody gets (priority/basic) count as equal; one that was set by hand does not.
std::uint32_t site_priority(const Job& job);

// A multifactor priority, which moves with time. Both empty: numbers of the jobs' records count.
struct PriorityRule {
  // Asked for heads of lines, once a pass.
  std::function<std::uint32_t(const Job&, Instant now)> at;
  // The same in one of its partitions, for jobs that wait in several queues.
  std::function<std::uint32_t(const Job&, const PartitionSpec&, Instant now)> in;
  // What makes jobs of one shape differ: user, account, QOS, a fixed number … Equal texts, one
  // line.
  std::function<std::string(const Job&)> line;
};

// Place within a line: lower goes first.
struct Position {
  std::uint32_t priority_inverse = 0;
  Instant submit;
  JobId job;
  auto operator<=>(const Position&) const = default;
};

struct Shape;
struct Line {
  Shape* shape = nullptr;
  std::string of;  // PriorityRule::line
  std::set<Position> jobs;
  // The full pass that looked at it last, how far, and whether it is through with it.
  std::uint64_t seen_in = 0;
  Position seen_to;
  bool is_done = false;
};

// A partition of the request, as placement sees it. Made when first asked for, and made anew when
// the configuration changed.
struct Home {
  PartitionId id;
  std::uint32_t pool = 0;               // in the book
  bool takes_all = true;                // every node of it is admitted
  std::vector<std::uint64_t> admitted;  // bits by place in the pool, unless takes_all
  PlacementRules rules;
  std::uint32_t cpus_least = 1;  // that a node must have free to take any part of it
};

struct Shape {
  std::string key;
  std::uint64_t hash = 0, kind = 0;  // as shape.h has them
  Ref<JobSpec> spec;                 // of one of its jobs
  std::uint32_t tier = 0;
  bool is_het = false;
  // Jobs that name partitions of different tiers, or that give them different priorities, stand in
  // as many queues, the highest tier first: with a shape for each, of those who ask for the same
  // and of the partitions that are alike. So a job is in each partition where the site wants it to
  // be there, wherever it may start besides. A heterogeneous job has one, its highest.
  std::uint32_t queue = 0, queues = 1;
  std::vector<PartitionId> in;  // this queue's, if there are several
  std::vector<std::unique_ptr<Line>> lines;
  std::size_t place = 0;  // in JobQueue::shapes()
  // What the planner remembers; see pass.cc.
  std::vector<Home> homes;
  std::vector<Home> homes_of_all;    // of all its queues, if there are several
  std::uint64_t homes_made_for = 0;  // generation of the configuration
  bool is_awake = true;              // something changed since it was found blocked
  struct Found {
    std::uint64_t blocked_in = 0;  // the pass that found that none of its jobs can start
    Instant promised_from;         // in that pass, the start that was promised last
  };
  Found by_full, by_quick;  // passes; quick ones come between the parts of a full one

  const std::vector<Home>& everywhere() const { return queues > 1 ? homes_of_all : homes; }
  // Is the partition of another of its queues?
  bool is_elsewhere(PartitionId partition) const;
};

class JobQueue {
 public:
  JobQueue() = default;
  JobQueue(JobQueue&&) = default;
  JobQueue& operator=(JobQueue&&) = default;

  // How numbers of records count: by policies without an order of their own as they are.
  void set_order(bool policy_orders, PriorityRule rule);
  // Brings the queue in line with what the job is now, whatever it was before. O(log jobs).
  void refresh(const Job& job, const State& state);
  void remove(JobId id);
  // Those whose begin time has come take their places.
  void wake_until(Instant now, const State& state);

  const std::vector<Shape*>& shapes() const { return order_; }
  std::size_t pending() const { return where_.size(); }
  // Where a pending job is.
  struct Place {
    Line* line = nullptr;  // null: it sleeps
    Position position;
    Instant begin;
  };
  // Null if the job does not stand in a line. Of several queues the one with that partition, or the
  // first.
  const Place* find(JobId id, PartitionId in = {}) const;
  // When, after that moment, the next sleeper wakes; kNever if none does.
  Instant next_begin(Instant after) const;
  const PriorityRule& rule() const { return rule_; }

 private:
  void stand(const Job& first, const std::vector<const Job*>& components, const State& state);
  // Partitions that are alike to the queue; the highest tier comes first.
  struct Alike {
    std::uint32_t tier = 0, factor = 0;
    std::vector<PartitionId> partitions;
  };
  static std::vector<Alike> queues_of(const Job& first, const State& state);
  Line& line_for(const Job& first, const std::vector<const Job*>& components, const State& state,
                 const std::vector<Alike>& queues, std::uint32_t queue);
  Line& line_of(Shape& shape, const Job& first) const;
  void leave(Line& line, const Position& position);

  bool policy_orders_ = false;
  PriorityRule rule_;
  std::map<std::string, std::unique_ptr<Shape>> shapes_;  // by key
  std::vector<Shape*> order_;                             // the same, in no order
  std::map<JobId, Place> where_;
  std::map<JobId, std::vector<Place>> also_;  // in queues beside its first one
  std::set<std::pair<Instant, JobId>> sleeping_;
};

}  // namespace ym
