// SPDX-License-Identifier: Apache-2.0
// Steps that srun asks the controller for: which of the job's nodes and cpus they get.
#include <algorithm>

#include "controller/controller.h"
#include "model/errc.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

struct Room {
  NodeShare share;
  std::uint32_t cpus_free = 0;
  std::string name;
};

// What the job's other steps leave of its allocation, on the nodes that this one admits.
std::vector<Room> rooms_of(const State& state, const Job& job, const CreateStep& create) {
  auto wanted = Hostlist::parse(create.node_list);
  auto unwanted = Hostlist::parse(create.excluded_nodes);
  std::vector<Room> rooms;
  for (const NodeShare& share : job.allocation->nodes) {
    const Node& node = state.nodes.at(share.node.value);
    if (!node.responding) continue;
    if (wanted && !wanted->empty() && !wanted->contains(node.spec->name)) continue;
    if (unwanted && unwanted->contains(node.spec->name)) continue;
    std::uint32_t used = 0;
    for (const Step& step : *job.steps)
      for (const StepShare& other : step.shares)
        if (!step.overlap && other.node == share.node) used += other.cpus;
    rooms.push_back({share, share.cpus - std::min(share.cpus, used), node.spec->name});
  }
  return rooms;
}

std::uint32_t tasks_that_fit(const Room& room, const CreateStep& create) {
  std::uint32_t cpus = create.overlap ? room.share.cpus : room.cpus_free;
  std::uint32_t tasks = create.overcommit ? 0xffff : cpus / std::max(1u, create.cpus_per_task);
  return create.tasks_per_node ? std::min(tasks, create.tasks_per_node) : tasks;
}

// Tasks for each room: the first nodes that have any, one each, then evenly if a number of nodes
// was asked for and node by node otherwise; what one node cannot take goes to the next. Empty if
// they do not all fit now.
std::vector<std::uint32_t> tasks_by_room(const std::vector<Room>& rooms, const CreateStep& create,
                                         std::uint32_t tasks, std::uint32_t nodes_wanted) {
  std::vector<std::uint32_t> placed(rooms.size(), 0);
  std::uint32_t left = tasks, nodes = 0;
  for (std::size_t i = 0; i < rooms.size() && nodes < nodes_wanted && left > 0; ++i) {
    if (tasks_that_fit(rooms[i], create) == 0) continue;
    placed[i] = 1;
    --left;
    ++nodes;
  }
  if (nodes < nodes_wanted) return {};
  auto fill = [&](std::uint32_t most, bool new_nodes) {
    for (std::size_t i = 0; i < rooms.size() && left > 0; ++i) {
      if (placed[i] == 0 && !new_nodes) continue;
      std::uint32_t limit = std::min(tasks_that_fit(rooms[i], create), most);
      std::uint32_t more = limit > placed[i] ? std::min(limit - placed[i], left) : 0;
      placed[i] += more;
      left -= more;
    }
  };
  if (create.nodes) fill((tasks + nodes_wanted - 1) / nodes_wanted, false);
  fill(0xffffffff, create.nodes == 0);
  return left == 0 ? placed : std::vector<std::uint32_t>{};
}

}  // namespace

void Controller::create_step(RequestId request, const CreateStep& create, const Caller& caller,
                             Instant now, Outbox& out) {
  const Job* job = state_.find(create.job);
  auto deny = [&](Errc code) { refuse_request(request, refuse(code).error(), out); };
  if (!job) return deny(Errc::InvalidJobId);
  if (!may_alter(*job, caller)) return deny(Errc::AccessDenied);
  if (job->state == JobState::Pending) return deny(Errc::JobPending);
  if (job->state == JobState::Suspended) return deny(Errc::NodesBusy);  // srun asks again
  if (job->state != JobState::Running) return deny(Errc::AlreadyDone);
  if (job->configuring) return deny(Errc::NodesBusy);  // its prologs are still running

  std::vector<Room> rooms = rooms_of(state_, *job, create);
  std::uint32_t nodes_wanted =
      create.nodes ? create.nodes : (create.tasks ? 1 : static_cast<std::uint32_t>(rooms.size()));
  std::uint32_t tasks = create.tasks ? create.tasks : std::max(1u, nodes_wanted);
  if (nodes_wanted > job->allocation->nodes.size()) return deny(Errc::InvalidNodeCount);
  std::uint64_t ever = 0;
  for (const Room& room : rooms) {
    Room empty = room;
    empty.cpus_free = room.share.cpus;
    ever += tasks_that_fit(empty, create);
  }
  if (ever < tasks) return deny(Errc::TooManyRequestedCpus);

  std::vector<std::uint32_t> placed = tasks_by_room(rooms, create, tasks, nodes_wanted);
  if (placed.empty()) return deny(Errc::NodesBusy);
  Step step{.id = {job->next_step},
            .name = create.name,
            .tasks = tasks,
            .cpus_per_task = create.cpus_per_task,
            .overlap = create.overlap,
            .start = now};
  std::uint32_t first_task = 0;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    if (placed[i] == 0) continue;
    const NodeShare& share = rooms[i].share;
    std::uint32_t wanted = placed[i] * std::max(1u, create.cpus_per_task);
    step.shares.push_back({.node = share.node,
                           .first_task = first_task,
                           .tasks = placed[i],
                           .cpus = create.whole ? share.cpus : std::min(wanted, share.cpus),
                           .memory_mb = create.memory_per_node_mb});
    step.nodes_left.push_back(share.node);
    first_task += placed[i];
  }
  emit(StepStarted{.job = create.job, .step = step}, now, out);

  StepCreated created{.job = create.job, .step = step};
  for (const StepShare& share : step.shares) {
    const Node& node = state_.nodes.at(share.node.value);
    created.nodes.push_back(
        {.node = node.id,
         .name = node.spec->name,
         .address = node.spec->address.empty() ? node.registration->address : node.spec->address,
         .port = node.registration->port ? node.registration->port : node.spec->port});
  }
  answer(request, std::move(created), out);
}

}  // namespace ym
