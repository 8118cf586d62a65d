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

}  // namespace

void Controller::create_step(RequestId request, const CreateStep& create, const Caller& caller,
                             Instant now, Outbox& out) {
  const Job* job = state_.find(create.job);
  auto deny = [&](Errc code) { refuse_request(request, refuse(code).error(), out); };
  if (!job) return deny(Errc::InvalidJobId);
  if (!may_alter(*job, caller)) return deny(Errc::AccessDenied);
  if (job->state == JobState::Pending) return deny(Errc::JobPending);
  if (job->state != JobState::Running) return deny(Errc::AlreadyDone);

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

  Step step{.id = {job->next_step},
            .name = create.name,
            .tasks = tasks,
            .cpus_per_task = create.cpus_per_task,
            .overlap = create.overlap,
            .start = now};
  std::uint32_t left = tasks;
  for (const Room& room : rooms) {
    if (left == 0) break;
    std::uint32_t nodes_behind =
        nodes_wanted > step.shares.size() + 1
            ? nodes_wanted - static_cast<std::uint32_t>(step.shares.size()) - 1
            : 0;
    std::uint32_t most = left > nodes_behind ? left - nodes_behind : 1;
    if (create.nodes) most = std::min(most, (tasks + nodes_wanted - 1) / nodes_wanted);
    std::uint32_t here = std::min(tasks_that_fit(room, create), most);
    if (here == 0) continue;
    std::uint32_t cpus = create.whole
                             ? room.share.cpus
                             : std::min(here * std::max(1u, create.cpus_per_task), room.share.cpus);
    step.shares.push_back({.node = room.share.node,
                           .first_task = tasks - left,
                           .tasks = here,
                           .cpus = cpus,
                           .memory_mb = create.memory_per_node_mb});
    step.nodes_left.push_back(room.share.node);
    left -= here;
  }
  if (left > 0 || step.shares.size() < nodes_wanted) return deny(Errc::NodesBusy);
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
