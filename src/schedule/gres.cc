// SPDX-License-Identifier: Apache-2.0
#include "schedule/gres.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/text.h"
#include "model/gres_request.h"
#include "model/node_gres.h"

namespace ym {
namespace {

bool matches(const GresKind& kind, std::string_view name, std::string_view type) {
  return kind.name == name && (type.empty() || kind.type == type);
}

std::uint32_t room_of(const GresDevice& device) {
  return device.room - std::min(device.room, device.used);
}

// One free device of a kind, as a candidate.
struct Place {
  GresKind* kind;
  std::uint32_t number;
  GresDevice& device() const { return kind->devices[number - kind->first]; }
};

std::vector<Place> free_places(GresKinds& kinds, std::string_view name, std::string_view type) {
  std::vector<Place> places;
  for (GresKind& kind : kinds) {
    if (!matches(kind, name, type)) continue;
    for (std::size_t i = 0; i < kind.devices.size(); ++i)
      if (room_of(kind.devices[i]) > 0)
        places.push_back({&kind, kind.first + static_cast<std::uint32_t>(i)});
  }
  return places;
}

// Connections between two devices, as Links says.
std::int64_t links_between(const Place& one, const Place& other) {
  std::vector<std::string_view> links = split(one.device().links, ',');
  if (other.number >= links.size()) return 0;
  return std::max<std::int64_t>(0, parse_i64(links[other.number]).value_or(0));
}

// Those with the same cores, if there are enough of them; of several such groups the one that it
// leaves the least of.
std::vector<Place> near_each_other(std::vector<Place> places, std::uint64_t count) {
  std::map<std::string, std::vector<Place>> groups;
  for (const Place& place : places) groups[place.device().cores].push_back(place);
  const std::vector<Place>* best = nullptr;
  for (const auto& [cores, group] : groups) {
    if (group.size() < count) continue;
    if (!best || std::pair(group.size(), group.front().number) <
                     std::pair(best->size(), best->front().number))
      best = &group;
  }
  return best ? *best : places;
}

// Of `places`, that many: the first one, and then always the one with the most links to those that
// are chosen.
std::vector<Place> best_linked(std::vector<Place> places, std::uint64_t count) {
  std::vector<Place> chosen;
  while (chosen.size() < count && !places.empty()) {
    auto linked = [&](const Place& place) {
      std::int64_t sum = 0;
      for (const Place& one : chosen) sum += links_between(one, place);
      return sum;
    };
    auto best = std::ranges::max_element(places, {}, linked);
    chosen.push_back(*best);
    places.erase(best);
  }
  std::ranges::sort(chosen, {}, &Place::number);
  return chosen;
}

GresShare& share_of(GresShares& shares, const GresKind& kind, NodeId node) {
  for (GresShare& share : shares)
    if (share.node == node && share.name == kind.name && share.type == kind.type) return share;
  shares.push_back({.node = node, .name = kind.name, .type = kind.type});
  return shares.back();
}

void give(Place place, std::uint32_t part, NodeId node, GresShares& shares) {
  GresShare& share = share_of(shares, *place.kind, node);
  share.count += part;
  share.devices.push_back(place.number);
  if (place.kind->shared) share.parts.push_back(part);
  place.device().used += part;
  place.kind->used += part;
}

bool take_devices(std::vector<Place> places, std::uint64_t count, NodeId node, GresShares& shares) {
  if (places.size() < count) return false;
  for (const Place& place : best_linked(near_each_other(std::move(places), count), count))
    give(place, 1, node, shares);
  return true;
}

// From the device that has the least and still enough; from several only if there is none.
bool take_parts(std::vector<Place> places, std::uint64_t count, bool many, NodeId node,
                GresShares& shares) {
  std::ranges::sort(places, {}, [](const Place& place) {
    return std::pair(room_of(place.device()), place.number);
  });
  for (const Place& place : places)
    if (room_of(place.device()) >= count) {
      give(place, static_cast<std::uint32_t>(count), node, shares);
      return true;
    }
  if (!many) return false;
  std::ranges::reverse(places);
  for (const Place& place : places) {
    auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, room_of(place.device())));
    if (part > 0) give(place, part, node, shares);
    count -= part;
  }
  return count == 0;
}

// For each task parts of a device that no other task has: of those with enough, the fullest first.
bool take_apart(std::vector<Place> places, std::uint64_t of_task, std::uint64_t tasks, NodeId node,
                GresShares& shares) {
  std::ranges::sort(places, {}, [](const Place& place) {
    return std::pair(room_of(place.device()), place.number);
  });
  for (const Place& place : places) {
    if (tasks == 0 || room_of(place.device()) < of_task) continue;
    give(place, static_cast<std::uint32_t>(of_task), node, shares);
    --tasks;
  }
  return tasks == 0;
}

void take_counted(GresKind& kind, std::uint64_t& count, NodeId node, GresShares& shares) {
  std::uint64_t part = std::min(count, kind.count - std::min(kind.count, kind.used));
  if (kind.no_consume) {  // noted, but it takes nothing
    share_of(shares, kind, node);
    count = 0;
    return;
  }
  if (part == 0) return;
  share_of(shares, kind, node).count += part;
  kind.used += part;
  count -= part;
}

void sort_devices(GresShare& share) {
  std::map<std::uint32_t, std::uint32_t> parts;
  for (std::size_t i = 0; i < share.devices.size(); ++i)
    parts[share.devices[i]] += i < share.parts.size() ? share.parts[i] : 1;
  bool in_parts = !share.parts.empty();
  share.devices.clear();
  share.parts.clear();
  for (auto [number, part] : parts) {
    share.devices.push_back(number);
    if (in_parts) share.parts.push_back(part);
  }
}

struct Amount {
  std::string_view name, type;
  std::uint64_t count = 0;
};
// The kinds of the request with how much of each; those with a type first, so that others do not
// take theirs.
std::vector<Amount> amounts_of(const GresRequest& request, const GresDeal& deal) {
  std::vector<Amount> amounts;
  for (std::size_t i = 0; i < request.wishes.size(); ++i) {
    const GresWish& wish = request.wishes[i];
    std::uint64_t count =
        wish.per == GresPer::Job
            ? (i < deal.job_amounts.size() ? deal.job_amounts[i] : 0)
            : wanted_on_node(request, wish.name, wish.type, deal.tasks, deal.sockets);
    auto known = std::ranges::find_if(
        amounts, [&](const Amount& one) { return one.name == wish.name && one.type == wish.type; });
    if (known == amounts.end())
      amounts.push_back({wish.name, wish.type, count});
    else
      known->count = std::max(known->count, count);
  }
  std::vector<Amount> ordered;
  for (bool typed : {true, false})
    for (const Amount& one : amounts)
      if (typed != one.type.empty()) ordered.push_back(one);
  return ordered;
}

}  // namespace

GresKinds givable_gres(const GresKinds& kinds) {
  GresKinds out = kinds;
  for (const GresKind& shared : kinds) {
    if (!shared.shared) continue;
    for (std::size_t i = 0; i < shared.devices.size(); ++i) {
      std::uint32_t number = shared.first + static_cast<std::uint32_t>(i);
      for (GresKind& other : out) {
        bool here = number >= other.first && number - other.first < other.devices.size();
        if (!here) continue;
        GresDevice& device = other.devices[number - other.first];
        if (other.name == "gpu" && shared.devices[i].used > 0) device.used = device.room;
      }
    }
  }
  for (const GresKind& gpus : kinds) {
    if (gpus.name != "gpu") continue;
    for (std::size_t i = 0; i < gpus.devices.size(); ++i) {
      if (gpus.devices[i].used == 0) continue;
      std::uint32_t number = gpus.first + static_cast<std::uint32_t>(i);
      for (GresKind& other : out)
        if (other.shared && number >= other.first && number - other.first < other.devices.size())
          other.devices[number - other.first].used = other.devices[number - other.first].room;
    }
  }
  return out;
}

GivableGres::GivableGres(const GresKinds& kinds) : kinds_(kinds) {
  bool shared = std::ranges::any_of(kinds, &GresKind::shared);
  if (shared) changed_ = givable_gres(kinds);
}

std::uint64_t gres_free(const GresKinds& kinds, std::string_view name, std::string_view type,
                        bool many) {
  std::uint64_t free = 0, most = 0;
  bool shared = false;
  for (const GresKind& kind : kinds) {
    if (!matches(kind, name, type)) continue;
    shared = shared || kind.shared;
    if (kind.no_consume) return kind.count > 0 ? UINT64_MAX : 0;
    if (kind.devices.empty()) free += kind.count - std::min(kind.count, kind.used);
    for (const GresDevice& device : kind.devices) {
      free += room_of(device);
      most = std::max<std::uint64_t>(most, room_of(device));
    }
  }
  return shared && !many ? most : free;
}

namespace {

// Of a kind that is asked for by task, how many tasks it carries.
std::uint64_t tasks_of_wish(const GresRequest& request, const GresKinds& kinds,
                            const GresWish& wish) {
  std::uint64_t apart = 0;
  bool shared = false;
  for (const GresKind& kind : kinds) {
    if (!request.one_task_per_shared || !kind.shared || !matches(kind, wish.name, wish.type))
      continue;
    shared = true;
    for (const GresDevice& device : kind.devices) apart += room_of(device) >= wish.count;
  }
  if (shared) return apart;
  return gres_free(kinds, wish.name, wish.type, request.many_per_shared) / wish.count;
}

}  // namespace

std::uint64_t gres_tasks(const GresRequest& request, const GresKinds& kinds, const GresDeal& deal) {
  std::uint64_t tasks = deal.tasks, of_job = 0;
  bool asks_for_job = false;
  for (const GresWish& wish : request.wishes) {
    std::uint64_t free = gres_free(kinds, wish.name, wish.type, request.many_per_shared);
    switch (wish.per) {
      case GresPer::Task: tasks = std::min(tasks, tasks_of_wish(request, kinds, wish)); break;
      case GresPer::Job:
        asks_for_job = true;
        of_job = std::max(of_job, free);
        break;
      case GresPer::Node:
      case GresPer::Socket:
        if (free < wanted_on_node(request, wish.name, wish.type, 0, deal.sockets)) return 0;
        break;
    }
    // Not more tasks than the node's GPUs are for.
    if (wish.name == "gpu" && request.tasks_per_gpu > 0 && free < UINT32_MAX)
      tasks = std::min(tasks, free * request.tasks_per_gpu);
  }
  return asks_for_job && of_job == 0 ? 0 : tasks;
}

std::uint64_t gpus_of(const GresRequest& request, const GresDeal& deal) {
  std::uint64_t gpus = 0;
  for (const Amount& amount : amounts_of(request, deal))
    if (amount.name == "gpu") gpus += amount.count;
  return gpus;
}

std::vector<std::uint64_t> deal_out(std::uint64_t count, const std::vector<std::uint64_t>& rooms) {
  std::vector<std::uint64_t> parts(rooms.size(), 0);
  for (std::size_t i = 0; i < rooms.size() && count > 0; ++i)
    if (rooms[i] > 0) {
      parts[i] = 1;
      --count;
    }
  for (std::size_t i = 0; i < rooms.size() && count > 0; ++i) {
    std::uint64_t more = std::min(count, rooms[i] - std::min(rooms[i], parts[i]));
    parts[i] += more;
    count -= more;
  }
  return count == 0 ? parts : std::vector<std::uint64_t>{};
}

namespace {

std::uint64_t wanted_by_task(const GresRequest& request, const Amount& amount) {
  for (const GresWish& wish : request.wishes)
    if (wish.per == GresPer::Task && wish.name == amount.name && wish.type == amount.type)
      return wish.count;
  return 0;
}

}  // namespace

std::optional<GresShares> take_gres(const GresRequest& request, GresKinds& kinds,
                                    const GresDeal& deal, NodeId node) {
  GresShares shares;
  for (const Amount& amount : amounts_of(request, deal)) {
    std::uint64_t count = amount.count;
    if (count == 0) continue;
    for (GresKind& kind : kinds)
      if (count > 0 && matches(kind, amount.name, amount.type) && kind.devices.empty())
        take_counted(kind, count, node, shares);
    if (count == 0) continue;
    std::vector<Place> places = free_places(kinds, amount.name, amount.type);
    bool shared = !places.empty() && places.front().kind->shared;
    std::uint64_t of_task = request.one_task_per_shared ? wanted_by_task(request, amount) : 0;
    bool done = !shared ? take_devices(std::move(places), count, node, shares)
                : of_task > 0 && deal.tasks > 0
                    ? take_apart(std::move(places), of_task, deal.tasks, node, shares)
                    : take_parts(std::move(places), count, request.many_per_shared, node, shares);
    if (!done) return std::nullopt;
  }
  for (GresShare& share : shares) sort_devices(share);
  // In the node's order, whatever was looked for first.
  std::ranges::sort(shares, {}, [&](const GresShare& share) {
    return std::ranges::find_if(kinds,
                                [&](const GresKind& kind) {
                                  return kind.name == share.name && kind.type == share.type;
                                }) -
           kinds.begin();
  });
  return shares;
}

GresShares take_all_gres(GresKinds& kinds, NodeId node) {
  GresShares shares;
  for (GresKind& kind : kinds) {
    if (kind.shared) continue;
    if (kind.devices.empty()) {
      std::uint64_t count = kind.count;
      take_counted(kind, count, node, shares);
    }
    for (const Place& place : free_places(kinds, kind.name, kind.type))
      give(place, 1, node, shares);
  }
  return shares;
}

bool has_gres(const GresKinds& kinds, const GresShares& shares, NodeId node) {
  GresKinds left = kinds;
  for (const GresShare& share : shares) {
    if (share.node != node) continue;
    bool fits = false;
    if (share.devices.empty()) {
      fits = gres_free(left, share.name, share.type, true) >= share.count;
    } else {
      auto places = free_places(left, share.name, share.type);
      fits = true;
      for (std::size_t i = 0; i < share.devices.size(); ++i) {
        auto place = std::ranges::find(places, share.devices[i], &Place::number);
        std::uint32_t part = i < share.parts.size() ? share.parts[i] : 1;
        fits = fits && place != places.end() && room_of(place->device()) >= part;
      }
    }
    if (!fits) return false;
    hold_gres(left, share);
  }
  return true;
}

GresKinds gres_of_job(const GresKinds& node, const GresShares& job, const GresShares& taken,
                      NodeId id) {
  GresKinds kinds;
  for (GresKind kind : node) {
    std::uint64_t count = 0;
    bool held = false;
    for (GresDevice& device : kind.devices) device.room = device.used = 0;
    for (const GresShare& share : job) {
      if (share.node != id || share.name != kind.name || share.type != kind.type) continue;
      held = true;
      if (share.devices.empty()) count += share.count;
      for (std::size_t i = 0; i < share.devices.size(); ++i) {
        std::uint32_t number = share.devices[i];
        if (number < kind.first || number - kind.first >= kind.devices.size()) continue;
        std::uint32_t part = i < share.parts.size() ? share.parts[i] : 1;
        kind.devices[number - kind.first].room = part;
        count += part;
      }
    }
    if (!held) continue;
    kind.used = 0;
    if (!kind.no_consume) kind.count = count;
    kinds.push_back(std::move(kind));
  }
  for (const GresShare& share : taken)
    if (share.node == id) hold_gres(kinds, share);
  return kinds;
}

}  // namespace ym
