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
#include "notation/features.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

struct Room {
  NodeShare share;
  std::uint32_t cpus_free = 0;
  NodeShape shape;
  std::uint32_t tasks_max = 0;  // MaxTasksPerNode
  std::string name;
  bool named = false;                       // by --nodelist: the step must have it
  bool away = false;                        // does not respond: has no room now
  const StepGresWish* gres_wish = nullptr;  // null: resources do not count
  StepGresRoom gres;
};

// Has the node what one way to satisfy --constraint asks of it? Which nodes a job has is settled:
// of features with a number any of them will do.
bool admits(const FeatureChoice& choice, const Node& node) {
  const std::string& features = node.features_now();
  auto holds = [&](const FeatureCondition& one) { return one.holds(features); };
  bool counted = choice.counted.empty() ||
                 std::ranges::any_of(choice.counted, holds, &FeatureChoice::Counted::condition);
  return counted && std::ranges::all_of(choice.every, holds);
}

// What the job's other steps leave of its allocation, on the nodes that this one admits.
std::vector<Room> rooms_of(const State& state, const Job& job, const CreateStep& create,
                           const FeatureChoice& choice, std::uint32_t tasks_max,
                           const StepGresWish& gres) {
  auto wanted = Hostlist::parse(create.node_list);
  auto unwanted = Hostlist::parse(create.excluded_nodes);
  bool some = wanted && !wanted->empty();
  bool only_these = some && std::max(create.nodes, create.max_nodes) <= wanted->count();
  std::vector<Room> rooms;
  for (const NodeShare& share : job.allocation->nodes) {
    const Node& node = state.nodes.at(share.node.value);
    bool named = some && wanted->contains(node.spec->name);
    if (only_these && !named) continue;
    if (unwanted && unwanted->contains(node.spec->name)) continue;
    if (!admits(choice, node)) continue;
    std::uint32_t used = 0;
    for (const Step& step : *job.steps)
      for (const StepShare& other : step.shares)
        if (!step.overlap && other.node == share.node) used += other.cpus;
    rooms.push_back({.share = share,
                     .cpus_free = share.cpus - std::min(share.cpus, used),
                     .shape = shape_of(*node.spec),
                     .tasks_max = tasks_max,
                     .name = node.spec->name,
                     .named = named,
                     .away = !node.responding,
                     .gres_wish = &gres,
                     .gres = step_gres_room(job, node, create.overlap)});
  }
  return rooms;
}

// For people only: what is too long is cut.
Ref<StepTexts> texts_within_bounds(const Ref<StepTexts>& given) {
  constexpr std::size_t kPathMax = 4096, kWordMax = 1024;
  StepTexts cut = *given;
  bool fits = true;
  auto bound = [&](std::string& text, std::size_t most) {
    if (text.size() <= most) return;
    text.resize(most);
    fits = false;
  };
  bound(cut.submit_line, kSubmitLineMax);
  for (std::string* text : {&cut.std_in, &cut.std_out, &cut.std_err}) bound(*text, kPathMax);
  for (std::string* text :
       {&cut.cpu_freq, &cut.container_id, &cut.network, &cut.distribution, &cut.host,
        &cut.gres.per_job, &cut.gres.per_node, &cut.gres.per_socket, &cut.gres.per_task,
        &cut.gres.cpus_per, &cut.gres.memory_per, &cut.gres.bind, &cut.gres.freq, &cut.gres.flags})
    bound(*text, kWordMax);
  return fits ? given : Ref(std::move(cut));
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
  if (room.away) return 0;
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
  room.away = false;
  room.cpus_free = room.share.cpus;
  room.gres.free = room.gres.all;
  return tasks_that_fit(room, create);
}

struct Wanted {
  std::uint32_t tasks = 0;
  std::size_t nodes_min = 0, nodes_max = 0;  // nodes_min 0: all that could take a task
};

using Counts = std::vector<std::uint32_t>;  // of tasks, for each room

// The best `count` rooms of those that take any, in the order in which they would be chosen: named
// ones, then the first ones, or the roomiest ones if these do not suffice for the tasks. Fewer than
// `count` if there are no more.
std::vector<std::size_t> best_rooms(const std::vector<Room>& rooms, const Counts& takes,
                                    std::size_t count, std::uint32_t tasks) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < takes.size(); ++i)
    if (takes[i] > 0) order.push_back(i);
  auto unnamed = [&](std::size_t i) { return !rooms[i].named; };
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(unnamed(i), i); });
  count = std::min(count, order.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += takes[order[i]];
  if (sum < tasks)
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::tuple(unnamed(i), ~takes[i], i); });
  order.resize(count);
  return order;
}

bool suffice(const std::vector<Room>& rooms, const Counts& takes, const Wanted& wanted) {
  auto best = best_rooms(rooms, takes, wanted.nodes_max, wanted.tasks);
  std::uint64_t sum = 0;
  for (std::size_t i : best) sum += takes[i];
  return best.size() >= std::max<std::size_t>(1, wanted.nodes_min) && sum >= wanted.tasks;
}

// Which of the rooms take part: as many as may. What the others take is 0; that of all is, if a
// node that must be among them is busy.
Counts chosen_rooms(const std::vector<Room>& rooms, const Counts& now, const Counts& ever,
                    const Wanted& wanted) {
  auto takers = [](const Counts& takes) {
    return static_cast<std::size_t>(
        std::ranges::count_if(takes, [](std::uint32_t tasks) { return tasks > 0; }));
  };
  std::size_t most = std::min<std::size_t>(wanted.nodes_max, wanted.tasks);
  std::size_t least = wanted.nodes_min ? wanted.nodes_min : std::min(most, takers(ever));
  Counts chosen(rooms.size(), 0);
  auto named = std::ranges::count_if(rooms, &Room::named);
  for (std::size_t i = 0; i < rooms.size(); ++i)
    if (rooms[i].named && static_cast<std::size_t>(named) <= most && ever[i] > 0 && now[i] == 0)
      return chosen;
  auto best = best_rooms(rooms, now, std::max(least, most), wanted.tasks);
  if (best.size() < least) return chosen;
  for (std::size_t i : best) chosen[i] = now[i];
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
  Counts now, ever, by_cpus;
  for (const Room& room : rooms) {
    now.push_back(tasks_that_fit(room, create));
    ever.push_back(tasks_that_ever_fit(room, create));
  }
  if (!suffice(rooms, ever, wanted)) {
    for (Room room : rooms) {
      room.gres_wish = nullptr;
      by_cpus.push_back(tasks_that_ever_fit(std::move(room), create));
    }
    return refuse(suffice(rooms, by_cpus, wanted) ? Errc::InvalidGres : Errc::TooManyRequestedCpus);
  }
  auto ranks = lay_out(*distribution, chosen_rooms(rooms, now, ever, wanted), wanted.tasks);
  if (!ranks) return refuse(Errc::NodesBusy);
  return *ranks;
}

Wanted wanted_of(const CreateStep& create, std::size_t rooms) {
  Wanted wanted{.tasks = create.tasks, .nodes_min = create.nodes, .nodes_max = rooms};
  if (std::uint32_t most = std::max(create.nodes, create.max_nodes))
    wanted.nodes_max = std::min<std::size_t>(most, rooms);
  if (!wanted.tasks)
    wanted.tasks =
        std::max(1u, create.nodes ? create.nodes : static_cast<std::uint32_t>(wanted.nodes_max));
  return wanted;
}

struct Placed {
  std::vector<Room> rooms;
  Ranks ranks;  // for each of them
  std::uint32_t tasks = 0;
};

Result<Placed> place_within(std::vector<Room> rooms, const CreateStep& create) {
  Wanted wanted = wanted_of(create, rooms.size());
  if (wanted.nodes_min > rooms.size()) return refuse(Errc::InvalidNodeCount);
  auto ranks = place_tasks(rooms, create, wanted);
  if (!ranks) return std::unexpected(ranks.error());
  return Placed{.rooms = std::move(rooms), .ranks = std::move(*ranks), .tasks = wanted.tasks};
}

// The first way to satisfy --constraint that leads somewhere now; otherwise the step waits if one
// of them may do so later.
Result<Placed> place(const State& state, const Job& job, const CreateStep& create,
                     std::uint32_t tasks_max, const StepGresWish& gres) {
  auto features = FeatureExpression::parse(create.features);
  if (!features) return refuse(Errc::InvalidFeature);
  Result<Placed> best = refuse(Errc::RequestedNodeConfigUnavailable);
  for (const FeatureChoice& choice : features->choices) {
    std::vector<Room> rooms = rooms_of(state, job, create, choice, tasks_max, gres);
    if (rooms.empty() && !create.features.empty()) continue;
    Result<Placed> placed = place_within(std::move(rooms), create);
    if (placed) return placed;
    if (best.error().code != static_cast<std::uint32_t>(Errc::NodesBusy)) best = std::move(placed);
  }
  return best;
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
  auto placed = place(state_, job, create, config_.max_tasks_per_node, *gres);
  if (!placed) return std::unexpected(placed.error());
  auto& [rooms, ranks, tasks] = *placed;
  Step step{.id = {job.next_step},
            .name = create.name,
            .tasks = tasks,
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
    if (ranks[i].empty()) continue;
    step.shares.push_back(share_of(rooms[i], std::move(ranks[i]), create));
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
