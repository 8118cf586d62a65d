// SPDX-License-Identifier: Apache-2.0
// Which nodes a reservation gets: those that were named, or as many as were asked for.
#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "controller/controller.h"
#include "controller/reservations/eligible.h"
#include "model/errc.h"
#include "model/node_gres.h"
#include "notation/gres.h"
#include "notation/hostlist.h"
#include "schedule/gres.h"

namespace ym {
namespace {

bool ignores_jobs(const Reservation& one) {
  return one.has(ReservationFlag::IgnoreJobs) || one.has(ReservationFlag::Maint);
}
bool may_overlap(const Reservation& one) {
  return one.has(ReservationFlag::Maint) || one.has(ReservationFlag::Overlap);
}

std::uint32_t cores_of(const NodeSpec& node) {
  return std::max(1u, node.sockets * node.cores_per_socket);
}
// So many cores of the node, in CPUs.
ReservedNode part_of(const Node& node, std::uint32_t cores) {
  std::uint32_t all = cores_of(*node.spec);
  if (cores >= all) return {.node = node.id};
  return {.node = node.id, .cpus = cores * node.spec->cpus_per_core(), .whole = false};
}

// What is still to be found of generic resources.
struct GresLeft {
  std::vector<GresTerm> terms;
  bool each_node = false;  // as much on each node, not in all

  static Result<GresLeft> of(const Reservation& one) {
    GresLeft left;
    std::string_view text = one.tres;
    left.each_node = text.starts_with(kEachNode);
    if (left.each_node) text.remove_prefix(kEachNode.size());
    auto terms = parse_gres(text);
    if (!terms) return refuse(Errc::InvalidGres);
    for (const GresTerm& term : *terms)
      // A part of a GPU belongs to whoever has the GPU.
      if (is_shared_gres(term.name)) return refuse(Errc::InvalidGres);
    left.terms = std::move(*terms);
    return left;
  }
  bool asks() const { return !terms.empty(); }
  bool found() const {
    return each_node || std::ranges::all_of(terms, [](const GresTerm& one) { return !one.count; });
  }
  // Takes what the node has of it; false if it has nothing of use. `cores` are what goes with it.
  bool take(const Node& node, GresShares& out, std::uint32_t& cores) {
    GresKinds kinds = gres_of(*node.spec, *node.registration);
    GresRequest request;
    for (const GresTerm& term : terms) {
      std::uint64_t here = std::min(term.count, gres_free(kinds, term.name, term.type, false));
      if (each_node && here < term.count) return false;
      if (here > 0)
        request.wishes.push_back(
            {.name = term.name, .type = term.type, .count = here, .per = GresPer::Node});
    }
    if (request.wishes.empty()) return false;
    auto shares = take_gres(request, kinds, {.tasks = 1}, node.id);
    if (!shares) return false;
    for (const GresShare& share : *shares)
      cores += static_cast<std::uint32_t>(share.devices.size());
    for (std::size_t i = 0; i < terms.size() && !each_node; ++i)
      for (const GresWish& wish : request.wishes)
        if (wish.name == terms[i].name && wish.type == terms[i].type) terms[i].count -= wish.count;
    out.insert(out.end(), shares->begin(), shares->end());
    return true;
  }
};

// Do two reservations want the node at the same time, and may they not?
bool clash(const Reservation& a, const Reservation& b) {
  return a.id != b.id && !may_overlap(a) && !may_overlap(b) && a.start < b.end && b.start < a.end;
}

}  // namespace

// Is the node free of jobs that would still be there, and of other reservations?
bool Controller::node_is_free_for(const Node& node, const Reservation& reservation,
                                  Instant now) const {
  bool reserved = false;
  state_.reservations.for_each([&](std::uint64_t, const Reservation& other) {
    reserved = reserved || (clash(reservation, other) && other.find(node.id));
  });
  if (reserved) return false;
  if (ignores_jobs(reservation)) return true;
  return std::ranges::all_of(indexes_.on_node(node.id), [&](JobId id) {
    const Job& job = state_.jobs.at(id.value);
    Instant end = job.completing() ? now : job.limit_end;
    return end <= reservation.start || job.allocation->reservation == reservation.name;
  });
}

namespace {

Result<std::vector<const Node*>> named_nodes(const State& state, const Reservation& one) {
  std::vector<const Node*> out;
  auto add_all = [&] {
    const Partition* partition = state.find_partition(one.partition);
    state.nodes.for_each([&](std::uint64_t, const Node& node) {
      if (!partition || std::ranges::binary_search(*partition->nodes, node.id))
        out.push_back(&node);
    });
  };
  if (same_ignoring_case(one.node_text, "ALL")) {
    add_all();
    return out;
  }
  auto hosts = Hostlist::parse(one.node_text);
  if (!hosts) return refuse(Errc::InvalidNodeName);
  bool known = true;
  hosts->for_each([&](std::string_view host) {
    const Node* node = state.find_node(host);
    known = known && node;
    if (node) out.push_back(node);
  });
  if (!known) return refuse(Errc::InvalidNodeName);
  return out;
}

}  // namespace

bool has_features(const NodeSpec& node, const std::string& wanted) {
  std::vector<std::string_view> have = split_words(node.features, ',');
  std::string plain = wanted;
  std::ranges::replace(plain, '&', ',');
  return std::ranges::all_of(split_words(plain, ','), [&](std::string_view word) {
    return std::ranges::find(have, word) != have.end();
  });
}

// Nodes that may be chosen from: of the partition, or the default one.
Result<std::vector<const Node*>> eligible_nodes(const State& state, const Reservation& one) {
  const Partition* partition =
      one.partition.empty() ? state.default_partition() : state.find_partition(one.partition);
  if (!partition) return refuse(Errc::InvalidPartition);
  std::vector<const Node*> out;
  for (NodeId id : *partition->nodes)
    if (const Node* node = state.find(id); node && node->usable()) out.push_back(node);
  return out;
}

// It keeps what it has as long as that will do, first of all the nodes on which its jobs run; of
// idle ones it gives up those in front, as Slurm does.
void Controller::prefer_present(const Reservation& reservation,
                                std::vector<const Node*>& candidates) const {
  std::vector<const Node*> busy, idle, others;
  auto serves = [&](const Node* node) {
    return std::ranges::any_of(indexes_.on_node(node->id), [&](JobId job) {
      return state_.jobs.at(job.value).allocation->reservation == reservation.name;
    });
  };
  for (const ReservedNode& one : reservation.nodes) {
    const Node* node = state_.find(one.node);
    bool may = node && (std::ranges::find(candidates, node) != candidates.end() ||
                        (reservation.partition.empty() && node->usable()));
    if (may) (serves(node) ? busy : idle).push_back(node);
  }
  for (const Node* node : candidates)
    if (!reservation.find(node->id)) others.push_back(node);
  candidates = std::move(busy);
  candidates.insert(candidates.end(), idle.rbegin(), idle.rend());
  candidates.insert(candidates.end(), others.begin(), others.end());
}

Status Controller::choose_nodes(Reservation& reservation, Instant now) const {
  if (!reservation.partition.empty() && !state_.find_partition(reservation.partition))
    return refuse(Errc::InvalidPartition);
  std::vector<ReservedNode> chosen;
  bool named = !reservation.node_text.empty();
  auto candidates = named ? named_nodes(state_, reservation) : eligible_nodes(state_, reservation);
  if (!candidates) return std::unexpected(candidates.error());
  if (!named) prefer_present(reservation, *candidates);
  std::uint32_t nodes_left = named ? 0 : reservation.node_count,
                cores_left = reservation.core_count;
  auto gres = GresLeft::of(reservation);
  if (!gres) return std::unexpected(gres.error());
  bool by_count = nodes_left > 0 || cores_left > 0 || (gres->asks() && !named);
  reservation.gres.clear();
  if (!named && !by_count) {
    // Licences only.
    reservation.nodes.clear();
    return {};
  }
  // So much on each node says nothing of how many nodes.
  if (gres->each_node && !named && nodes_left == 0) nodes_left = 1;
  for (const Node* node : *candidates) {
    if (by_count && nodes_left == 0 && cores_left == 0 && gres->found()) break;
    bool free = node_is_free_for(*node, reservation, now);
    if (named && !free) {
      bool overlaps = false;
      state_.reservations.for_each([&](std::uint64_t, const Reservation& other) {
        overlaps = overlaps || (clash(reservation, other) && other.find(node->id));
      });
      return refuse(overlaps ? Errc::ReservationOverlap : Errc::NodesBusy);
    }
    if (!free || (!named && !has_features(*node->spec, reservation.features))) continue;
    std::uint32_t cores = cores_of(*node->spec), near = 0;
    bool more = gres->each_node || !gres->found();
    bool given = gres->asks() && more && gres->take(*node, reservation.gres, near);
    if (gres->asks() && !given && (gres->each_node || (nodes_left == 0 && cores_left == 0)))
      continue;
    std::uint32_t taken = reservation.core_count ? std::min(cores, cores_left)
                          : gres->asks()         ? std::min(cores, std::max(1u, near))
                                                 : cores;
    chosen.push_back(part_of(*node, taken));
    cores_left -= std::min(cores_left, taken);
    nodes_left -= nodes_left ? 1 : 0;
  }
  if (nodes_left > 0 || cores_left > 0 || !gres->found()) return refuse(Errc::NodesBusy);
  std::ranges::sort(reservation.gres, {}, [](const GresShare& share) {
    return std::tie(share.node, share.name, share.type);
  });
  std::ranges::sort(chosen, {}, &ReservedNode::node);
  auto extra = std::ranges::unique(chosen, {}, &ReservedNode::node);
  chosen.erase(extra.begin(), extra.end());
  reservation.nodes = std::move(chosen);
  auto set = [&](ReservationFlag flag) { reservation.flags |= static_cast<std::uint64_t>(flag); };
  if (named) set(ReservationFlag::SpecNodes);
  if (same_ignoring_case(reservation.node_text, "ALL"))
    set(reservation.partition.empty() ? ReservationFlag::AllNodes : ReservationFlag::PartNodes);
  return {};
}

}  // namespace ym
