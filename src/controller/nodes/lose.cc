// SPDX-License-Identifier: Apache-2.0
// A node is lost: what becomes of the jobs and steps that it had.
#include <algorithm>

#include "controller/controller.h"

namespace ym {

// The node is down: its jobs end here, and go back to the queue if they may.
void Controller::lose_node(NodeId id, const std::string& reason, Instant now, Outbox& out) {
  const Node& node = state_.nodes.at(id.value);
  change_node(node,
              {.node = id,
               .condition = NodeCondition::Down,
               .drain = node.drain,
               .fail = node.fail,
               .down_by_admin = node.down_by_admin,
               .reason = node.reason.empty() ? reason : node.reason,
               .by = {}},
              now, out);
  std::set<JobId> jobs = indexes_.on_node(id);
  for (JobId job_id : jobs) {
    const Job* job = state_.find(job_id);
    if (!job || !job->holds_resources()) continue;  // another component has taken it along
    if (job->completing() || leaves(*job, id)) {
      release_node(job_id, id, now, out);
      continue;
    }
    // The batch script's own node is never one to go on without.
    bool host = job->runs_script() && job->allocation->batch_share().node == id;
    if (job->spec->no_kill && !host) {
      stop_waking(job_id, id, now, out);
      node_prepared(job_id, id, now, out);
      lose_node_of_steps(job_id, id, now, out);
      continue;
    }
    finish(job_id,
           {.state = JobState::NodeFail,
            .reason = Reason::NodeDown,
            .requeue = job->spec->requeue && job->spec->batch,
            .grace = config_.kill_wait},
           now, out);
  }
}

// The job goes on without the node; so do steps that were told to, the others end everywhere.
void Controller::lose_node_of_steps(JobId id, NodeId node, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  for (const Step& step : *job.steps) {
    bool here = std::ranges::find(step.nodes_left, node) != step.nodes_left.end();
    if (!here || step.no_kill) continue;
    for (NodeId other : step.nodes_left)
      if (other != node)
        out.orders.push_back({other, SignalJob{.job = id,
                                               .sluid = job.sluid,
                                               .signal = 9,
                                               .step = step.id,
                                               .cause = KillCause::NodeFailure}});
  }
  end_steps_on(id, node, now, out);
}

}  // namespace ym
