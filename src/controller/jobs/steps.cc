// SPDX-License-Identifier: Apache-2.0
// Steps that srun asks the controller for: which of the job's nodes they get, how many cpus there,
// and which tasks go where. Which cpus these are is the node's choice (decision 6).
#include <algorithm>
#include <map>
#include <utility>

#include "controller/controller.h"
#include "controller/jobs/step_gres.h"
#include "model/errc.h"
#include "model/task_layout.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

struct Room {
  NodeShare share;
  std::uint32_t cpus_free = 0;
  NodeShape shape;
  std::uint32_t tasks_max = 0;  // MaxTasksPerNode
  std::string name;
  const StepGresWish* gres_wish = nullptr;  // null: resources do not count
  StepGresRoom gres;
};

// What the job's other steps leave of its allocation, on the nodes that this one admits.
std::vector<Room> rooms_of(const State& state, const Job& job, const CreateStep& create,
                           std::uint32_t tasks_max, const StepGresWish& gres) {
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
    rooms.push_back({.share = share,
                     .cpus_free = share.cpus - std::min(share.cpus, used),
                     .shape = shape_of(*node.spec),
                     .tasks_max = tasks_max,
                     .name = node.spec->name,
                     .gres_wish = &gres,
                     .gres = step_gres_room(job, node, create.overlap)});
  }
  return rooms;
}

// For people only: what is too long is cut.
Ref<StepTexts> texts_within_bounds(const Ref<StepTexts>& given) {
  constexpr std::size_t kPathMax = 4096, kFreqMax = 64;
  bool fits = given->submit_line.size() <= kSubmitLineMax && given->std_in.size() <= kPathMax &&
              given->std_out.size() <= kPathMax && given->std_err.size() <= kPathMax &&
              given->cpu_freq.size() <= kFreqMax;
  if (fits) return given;
  StepTexts cut = *given;
  for (std::string* text : {&cut.std_in, &cut.std_out, &cut.std_err})
    if (text->size() > kPathMax) text->resize(kPathMax);
  if (cut.cpu_freq.size() > kFreqMax) cut.cpu_freq.clear();
  if (cut.submit_line.size() > kSubmitLineMax) cut.submit_line.resize(kSubmitLineMax);
  return Ref(std::move(cut));
}

// Does it ask for a node that the job does not have?
bool names_others(const State& state, const Job& job, const CreateStep& create) {
  auto wanted = Hostlist::parse(create.node_list);
  if (!wanted || wanted->empty()) return false;
  bool others = false;
  wanted->for_each([&](std::string_view name) {
    const Node* node = state.find_node(name);
    others =
        others || (node && std::ranges::none_of(job.allocation->nodes, [&](const NodeShare& share) {
                     return share.node == node->id;
                   }));
  });
  return others;
}

TaskNeeds needs_of(const CreateStep& create) {
  return needs_of(create.cpus_per_task, create.tasks_per_node, create.binding);
}

// A step that takes whole nodes waits until all of the job's cpus there are free.
std::uint32_t tasks_for_cpus(const Room& room, const CreateStep& create) {
  TaskNeeds needs = needs_of(create);
  if (!create.overlap && create.whole && room.cpus_free < room.share.cpus) return 0;
  if (create.overcommit)
    return needs.tasks_per_node ? std::min(needs.tasks_per_node, room.tasks_max) : room.tasks_max;
  std::uint32_t cpus = create.overlap ? room.share.cpus : room.cpus_free;
  return std::min(tasks_that_fit(needs, room.shape, cpus), room.tasks_max);
}

std::uint32_t tasks_that_fit(const Room& room, const CreateStep& create) {
  std::uint32_t tasks = tasks_for_cpus(room, create);
  if (!room.gres_wish || tasks == 0) return tasks;
  return step_gres_tasks(*room.gres_wish, room.gres.free, room.gres.all, tasks);
}

// Tasks that the room could take if nothing else ran there.
std::uint32_t tasks_that_ever_fit(Room room, const CreateStep& create) {
  room.cpus_free = room.share.cpus;
  room.gres.free = room.gres.all;
  return tasks_that_fit(room, create);
}

struct Wanted {
  std::uint32_t tasks = 0, nodes = 0;
  bool more_nodes = false;  // may be more if those do not suffice
};

// Which of the rooms take part: the first ones with any room; if these do not suffice, as many more
// as it takes, or the roomiest ones where the number is fixed. What the others take is 0.
std::vector<std::uint32_t> chosen_rooms(std::vector<std::uint32_t> rooms, const Wanted& wanted) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rooms.size(); ++i)
    if (rooms[i] > 0) order.push_back(i);
  if (order.size() < wanted.nodes) return {};
  auto sum = [&](std::size_t count) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) all += rooms[order[i]];
    return all;
  };
  std::size_t count = wanted.nodes;
  while (wanted.more_nodes && count < order.size() && sum(count) < wanted.tasks) ++count;
  if (sum(count) < wanted.tasks)
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(~rooms[i], i); });
  std::vector<std::uint32_t> chosen(rooms.size(), 0);
  for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = rooms[order[i]];
  return chosen;
}

// Task by task as the list of hosts says; rooms are put into the order of the list.
Result<Ranks> arbitrary_ranks(std::vector<Room>& rooms, const CreateStep& create,
                              std::uint32_t tasks) {
  auto hosts = Hostlist::parse(create.node_list);
  if (!hosts || hosts->count() < tasks) return refuse(Errc::InvalidNodeCount);
  std::vector<Room> ordered;
  Ranks ranks;
  std::map<std::string, std::size_t> places;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    std::string name = hosts->nth(task);
    auto [place, fresh] = places.emplace(name, ordered.size());
    if (fresh) {
      auto room = std::ranges::find(rooms, name, &Room::name);
      if (room == rooms.end()) return refuse(Errc::InvalidNodeName);
      ordered.push_back(*room);
      ranks.emplace_back();
    }
    ranks[place->second].push_back(task);
  }
  rooms = std::move(ordered);
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    if (ranks[i].size() > tasks_that_ever_fit(rooms[i], create))
      return refuse(Errc::TooManyRequestedCpus);
    if (ranks[i].size() > tasks_that_fit(rooms[i], create)) return refuse(Errc::NodesBusy);
  }
  return ranks;
}

// The ranks for each room; rooms that take no part have none.
Result<Ranks> place_tasks(std::vector<Room>& rooms, const CreateStep& create,
                          const Wanted& wanted) {
  auto distribution = Distribution::parse(create.binding.distribution);
  if (!distribution) return std::unexpected(distribution.error());
  if (distribution->nodes == NodeSpread::Arbitrary && !create.node_list.empty())
    return arbitrary_ranks(rooms, create, wanted.tasks);
  std::uint64_t ever = 0;
  for (const Room& room : rooms) ever += tasks_that_ever_fit(room, create);
  if (ever < wanted.tasks) {
    std::uint64_t by_cpus = 0;
    for (Room room : rooms) {
      room.gres_wish = nullptr;
      by_cpus += tasks_that_ever_fit(std::move(room), create);
    }
    return refuse(by_cpus < wanted.tasks ? Errc::TooManyRequestedCpus : Errc::InvalidGres);
  }
  std::vector<std::uint32_t> now;
  for (const Room& room : rooms) now.push_back(tasks_that_fit(room, create));
  auto ranks = lay_out(*distribution, chosen_rooms(std::move(now), wanted), wanted.tasks);
  if (!ranks) return refuse(Errc::NodesBusy);
  return *ranks;
}

Wanted wanted_of(const CreateStep& create, std::size_t rooms) {
  Wanted wanted{.tasks = create.tasks, .nodes = create.nodes, .more_nodes = create.nodes == 0};
  if (!wanted.nodes) wanted.nodes = create.tasks ? 1 : static_cast<std::uint32_t>(rooms);
  if (!wanted.tasks) wanted.tasks = std::max(1u, wanted.nodes);
  return wanted;
}

StepShare share_of(const Room& room, std::vector<std::uint32_t> ranks, const CreateStep& create) {
  auto tasks = static_cast<std::uint32_t>(ranks.size());
  std::uint32_t cpus = cpus_for(needs_of(create), room.shape, tasks);
  StepShare share{.node = room.share.node,
                  .first_task = ranks.front(),
                  .tasks = tasks,
                  .cpus = create.whole ? room.share.cpus : std::min(cpus, room.share.cpus),
                  .memory_mb = create.memory_per_node_mb};
  if (ranks.back() - ranks.front() + 1 != tasks) share.ranks = std::move(ranks);
  return share;
}

}  // namespace

Status Controller::step_allowed(const Job* job, const Caller& caller) {
  if (!job) return refuse(Errc::InvalidJobId);
  if (!may_act_as_owner(*job, caller)) return refuse(Errc::AccessDenied);
  if (job->state == JobState::Pending) return refuse(Errc::JobPending);
  if (job->state == JobState::Suspended) return refuse(Errc::NodesBusy);  // srun asks again
  if (job->state != JobState::Running) return refuse(Errc::AlreadyDone);
  if (job->configuring) return refuse(Errc::NodesBusy);  // its prologs are still running
  return {};
}

Result<Step> Controller::plan_step(const Job& job, const CreateStep& create, Instant now) const {
  bool too_much = std::ranges::any_of(job.allocation->nodes, [&](const NodeShare& share) {
    return share.memory_mb > 0 && create.memory_per_node_mb > share.memory_mb;
  });
  if (too_much) return refuse(Errc::InvalidTaskMemory);
  if (Status ok = check_container(create.container); !ok) return std::unexpected(ok.error());
  if (names_others(state_, job, create)) return refuse(Errc::RequestedNodeConfigUnavailable);
  auto gres = step_gres_wish(job, create);
  if (!gres) return std::unexpected(gres.error());
  std::vector<Room> rooms = rooms_of(state_, job, create, config_.max_tasks_per_node, *gres);
  Wanted wanted = wanted_of(create, rooms.size());
  if (wanted.nodes > job.allocation->nodes.size()) return refuse(Errc::InvalidNodeCount);
  auto ranks = place_tasks(rooms, create, wanted);
  if (!ranks) return std::unexpected(ranks.error());
  Step step{.id = {job.next_step},
            .name = create.name,
            .tasks = wanted.tasks,
            .cpus_per_task = create.cpus_per_task,
            .overlap = create.overlap,
            .start = now,
            .key = create.key,
            .no_kill = create.no_kill,
            .container = create.container,
            .texts = texts_within_bounds(create.texts)};
  if (create.time_limit_s) step.limit_end = now + std::chrono::seconds(create.time_limit_s);
  std::vector<StepGresNode> takers;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    if ((*ranks)[i].empty()) continue;
    step.shares.push_back(share_of(rooms[i], std::move((*ranks)[i]), create));
    step.nodes_left.push_back(rooms[i].share.node);
    takers.push_back({rooms[i].share.node, &rooms[i].gres, step.shares.back().tasks});
  }
  auto given = give_step_gres(job, *gres, takers);
  if (!given) return std::unexpected(given.error());
  if (!given->empty()) step.gres = Ref(std::move(*given));
  if (Status ok = reserve_ports(step, create.ports); !ok) return std::unexpected(ok.error());
  return step;
}

StepCreated Controller::step_created(JobId job, const Step& step) const {
  StepCreated created{.job = job, .step = step};
  for (const StepShare& share : step.shares) {
    const Node& node = state_.nodes.at(share.node.value);
    created.nodes.push_back(
        {.node = node.id,
         .name = node.spec->name,
         .address = node.spec->address.empty() ? node.registration->address : node.spec->address,
         .port = node.registration->port ? node.registration->port : node.spec->port});
  }
  return created;
}

void Controller::create_step(RequestId request, const CreateStep& create, const Caller& caller,
                             Instant now, Outbox& out) {
  const Job* job = state_.find(create.job);
  if (Status allowed = step_allowed(job, caller); !allowed)
    return refuse_request(request, allowed.error(), out);
  // Asked again because the answer was lost: the step exists.
  for (const Step& step : *job->steps)
    if (!create.key.empty() && step.key == create.key)
      return answer(request, step_created(create.job, step), out);
  Result<Step> step = plan_step(*job, create, now);
  if (!step) return refuse_request(request, step.error(), out);
  emit(StepStarted{.job = create.job, .step = *step}, now, out);
  answer(request, step_created(create.job, *step), out);
}

}  // namespace ym
