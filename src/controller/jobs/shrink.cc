// SPDX-License-Identifier: Apache-2.0
// A running job gives nodes back (`scontrol update NumNodes=`, `NodeList=`): it goes on with the
// others at once; those that it leaves are free when nothing of it is left there.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"
#include "model/node_gres.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

constexpr std::uint32_t kNotSupported = 2036;  // Slurm's number

bool has_node(const std::vector<NodeShare>& shares, NodeId node) {
  return std::ranges::find(shares, node, &NodeShare::node) != shares.end();
}

// The nodes of the job that the patch leaves to it.
Result<std::vector<NodeShare>> staying(const State& state, const Job& job, const JobPatch& patch) {
  const std::vector<NodeShare>& nodes = job.allocation->nodes;
  NodeId script_node = job.allocation->batch_share().node;
  if (!patch.required_nodes) {
    std::uint32_t count = *patch.min_nodes;
    if (count == 0) return refuse(Errc::InvalidNodeCount);
    if (count > nodes.size())
      return fail(kNotSupported,
                  "Requested operation not supported on this system: a running job can give nodes "
                  "back, but gets no more");
    std::vector<NodeShare> stay(nodes.begin(), nodes.begin() + count);
    if (job.runs_script() && !has_node(stay, script_node)) {
      stay.back() = job.allocation->batch_share();
      std::ranges::sort(stay, {}, &NodeShare::node);
    }
    return stay;
  }
  auto wanted = Hostlist::parse(*patch.required_nodes);
  if (!wanted || wanted->empty()) return refuse(Errc::InvalidNodeName);
  std::vector<NodeShare> stay;
  for (const NodeShare& share : nodes)
    if (wanted->contains(state.nodes.at(share.node.value).spec->name)) stay.push_back(share);
  if (stay.size() < wanted->count())
    return fail(kNotSupported, "Requested operation not supported on this system: not all of " +
                                   *patch.required_nodes + " are nodes of this job");
  if (patch.min_nodes && *patch.min_nodes != stay.size()) return refuse(Errc::InvalidNodeCount);
  if (job.runs_script() && !has_node(stay, script_node))
    return fail(kNotSupported,
                "Requested operation not supported on this system: the script runs on " +
                    state.nodes.at(script_node.value).spec->name + ", so the job keeps that node");
  return stay;
}

// What was asked for, made so small that what is left fulfils it: a requeue asks for no more.
JobSpec smaller(JobSpec spec, const std::vector<NodeShare>& stay) {
  auto nodes = static_cast<std::uint32_t>(stay.size());
  std::uint32_t cpus = 0;
  for (const NodeShare& share : stay) cpus += share.cpus;
  spec.min_nodes = std::min(spec.min_nodes, nodes);
  if (spec.max_nodes) spec.max_nodes = nodes;
  std::uint32_t room = std::max(nodes, cpus / std::max(1u, spec.cpus_per_task));
  if (!spec.overcommit) spec.tasks = std::min(spec.tasks, room);
  if (spec.extras->required_nodes.empty()) return spec;
  JobExtras extras = *spec.extras;
  extras.required_nodes.clear();
  spec.extras = Ref(std::move(extras));
  return spec;
}

}  // namespace

bool Controller::leaves(const Job& job, NodeId node) {
  return std::ranges::find(job.leaving->nodes, node, &NodeShare::node) != job.leaving->nodes.end();
}

Status Controller::shrink(JobId id, const JobPatch& patch, Instant now, Outbox& out) {
  const Job& job = state_.jobs.at(id.value);
  if (job.state != JobState::Running || job.configuring) return refuse(Errc::JobNotRunning);
  auto stay = staying(state_, job, patch);
  if (!stay) return std::unexpected(stay.error());
  if (stay->size() == job.allocation->nodes.size()) return {};
  Allocation left = *job.allocation, gone = *job.leaving;
  left.generation += 1;
  gone.topo_alone = left.topo_alone;
  left.nodes = *stay;
  GresShares kept, given;
  if (gone.gres) given = *gone.gres;
  std::vector<NodeId> lost;
  for (const NodeShare& share : job.allocation->nodes) {
    bool stays = std::ranges::find(*stay, share) != stay->end();
    for (const GresShare& one : *job.allocation->gres)
      if (one.node == share.node) (stays ? kept : given).push_back(one);
    if (stays) continue;
    gone.nodes.push_back(share);
    lost.push_back(share.node);
  }
  std::ranges::sort(gone.nodes, {}, &NodeShare::node);
  if (job.allocation->gres) left.gres = Ref(std::move(kept));
  if (!given.empty()) gone.gres = Ref(std::move(given));
  emit(JobShrunk{.job = id,
                 .spec = Ref(smaller(*job.spec, *stay)),
                 .allocation = Ref(std::move(left)),
                 .leaving = Ref(std::move(gone))},
       now, out);
  for (NodeId node : lost) {
    order_kill(state_.jobs.at(id.value), node, config_.kill_wait, out);
    if (state_.nodes.at(node.value).condition == NodeCondition::Down)
      release_node(id, node, now, out);
  }
  return {};
}

}  // namespace ym
