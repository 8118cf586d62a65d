// SPDX-License-Identifier: Apache-2.0
// What the controller must find quickly and the tables do not say: derived from the state, rebuilt
// at a start, kept in step by moved() with every event. Nothing here is durable.
#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/state.h"

namespace ym {

class Indexes {
 public:
  using JobSet = std::set<JobId>;
  using ByTime = std::set<std::pair<Instant, JobId>>;

  void rebuild(const State& state);
  // A job's record changed; null means that it was or is absent. O(log jobs + nodes of the job).
  void moved(const Job* before, const Job* after);

  bool operator==(const Indexes&) const = default;

  const JobSet& on_node(NodeId node) const { return find(on_node_, node); }
  const JobSet& elements_of(JobId array) const { return find(elements_, array); }
  const JobSet& waiting_for(JobId job) const { return find(waiting_for_, job); }
  // Unfinished jobs of the same user and name, for `singleton`.
  const JobSet& namesakes(Uid uid, const std::string& name) const {
    return find(namesakes_, {uid, name});
  }
  const ByTime& by_limit() const { return by_limit_; }  // running, by the end of their time limit
  // Running ones with --signal, by when it is due; and those with a step that has a limit of its
  // own, by that.
  const ByTime& by_warning() const { return by_warning_; }
  const ByTime& by_step_limit() const { return by_step_limit_; }
  // Running ones with --mem-update, by when it looks at what is in use.
  const ByTime& by_memory_look() const { return by_memory_look_; }
  // Pending ones with a deadline, by when they must have started to meet it.
  const ByTime& by_deadline() const { return by_deadline_; }
  const ByTime& by_end() const { return by_end_; }  // finished and clean, by their end
  const JobSet& completing() const { return completing_; }
  const JobSet& unlaunched() const {
    return unlaunched_;
  }  // running batch jobs whose node has not confirmed
  const JobSet& interactive() const {
    return interactive_;
  }  // allocations and requests for one that live for a client
  const JobSet& suspended() const { return suspended_; }
  const JobSet& shrinking() const { return shrinking_; }    // running, with nodes that they leave
  const JobSet& singletons() const { return singletons_; }  // pending with an open `singleton` term
  const JobSet& delayed() const {
    return delayed_;
  }  // pending with an open `after:job+minutes` term

 private:
  using Key = std::pair<Uid, std::string>;
  template <class Map>
  static const JobSet& find(const Map& map, const typename Map::key_type& key) {
    static const JobSet none;
    auto at = map.find(key);
    return at == map.end() ? none : at->second;
  }
  void note(const Job& job, bool present);

  std::map<NodeId, JobSet> on_node_;
  std::map<JobId, JobSet> elements_, waiting_for_;
  std::map<Key, JobSet> namesakes_;
  ByTime by_limit_, by_warning_, by_step_limit_, by_end_;
  ByTime by_deadline_, by_memory_look_;
  JobSet completing_, unlaunched_, interactive_, suspended_, singletons_, delayed_, shrinking_;
};

}  // namespace ym
