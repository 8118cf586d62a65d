// SPDX-License-Identifier: Apache-2.0
// For tests: when jobs of some processors start under a policy, on one node. At each instant all
// ends come first, then all submissions, then one pass.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/apply.h"
#include "schedule/planner.h"

namespace ym {

struct TraceJob {
  std::int64_t submit_s = 0;
  std::uint32_t cpus = 1;
  std::uint32_t limit_s = 1;
  std::uint32_t run_s = 1;
};

// The seconds at which they start, in their order. REQUIRES: ascending by submit_s, run <= limit.
inline std::vector<std::int64_t> replay(const Policy& policy, std::uint32_t cpus,
                                        const std::vector<TraceJob>& jobs) {
  constexpr std::int64_t kZero = 1'000'000;
  State state;
  Planner planner({});
  planner.set_policy(policy);
  auto happen = [&](std::int64_t at, EventBody body) {
    Event event{.seq = {state.seq.value + 1},
                .at = Instant::from_unix_seconds(kZero + at),
                .body = std::move(body)};
    apply(state, event);
    planner.observe(event, state);
  };
  NodeSpec node{.name = "n", .cpus = cpus};
  happen(0, NodesDefined{{{{1}, Ref(node)}}});
  happen(0, NodeRegistered{.node = {1}, .registration = Ref(NodeRegistration{.cpus = cpus})});
  happen(0, NodeStateChanged{.node = {1}, .condition = NodeCondition::Up});
  happen(0, PartitionDefined{.partition = {1},
                             .spec = Ref(PartitionSpec{.name = "p"}),
                             .nodes = Ref(std::vector<NodeId>{{1}})});
  std::vector<std::int64_t> starts(jobs.size(), -1);
  std::set<std::pair<std::int64_t, std::uint32_t>> ends;  // and the job's number, from 1
  std::size_t next = 0;
  while (next < jobs.size() || !ends.empty()) {
    std::int64_t now = ends.empty() ? jobs[next].submit_s : ends.begin()->first;
    if (next < jobs.size()) now = std::min(now, jobs[next].submit_s);
    for (; !ends.empty() && ends.begin()->first == now; ends.erase(ends.begin())) {
      JobId id{ends.begin()->second};
      happen(now, JobFinished{.job = id, .state = JobState::Completed});
      happen(now, JobNodeReleased{.job = id, .node = {1}});
    }
    for (; next < jobs.size() && jobs[next].submit_s == now; ++next) {
      JobId id{static_cast<std::uint32_t>(next + 1)};
      JobSpec spec{.partitions = "p", .tasks = jobs[next].cpus};
      spec.time_limit_s = jobs[next].limit_s;
      happen(now, JobSubmitted{.job = id,
                               .sluid = {id.value},
                               .spec = Ref(std::move(spec)),
                               .priority = automatic_priority(id, 0)});
    }
    Instant time = Instant::from_unix_seconds(kZero + now);
    Plan plan = planner.plan(state, time, {.depth = PlanBudget::Depth::Full});
    for (const Proposal& start : plan.starts) {
      std::uint32_t number = start.job.value;
      starts[number - 1] = now;
      ends.insert({now + jobs[number - 1].run_s, number});
      happen(now, JobStarted{.job = start.job,
                             .partition = start.partition,
                             .allocation = Ref(start.allocation),
                             .limit_end = start.end});
    }
  }
  return starts;
}

}  // namespace ym
