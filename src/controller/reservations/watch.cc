// SPDX-License-Identifier: Apache-2.0
// What happens to reservations and licences because time passes or the configuration changes.
#include <algorithm>
#include <functional>

#include "controller/controller.h"
#include "controller/reservations/eligible.h"
#include "notation/licenses.h"

namespace ym {
namespace {

bool chosen_by_us(const Reservation& one) {
  return !one.has(ReservationFlag::SpecNodes) && !one.has(ReservationFlag::StaticAlloc) &&
         one.node_count > 0;
}

bool has_nodes_of(const State& state, const Reservation& one) {
  const Partition* partition = state.find_partition(one.partition);
  return !partition ||
         std::ranges::equal(*partition->nodes, one.nodes, {}, {}, &ReservedNode::node);
}

// A node that does not serve (it went down, or with REPLACE: a job has it) is replaced by one that
// does, as long as there is one.
std::vector<ReservedNode> with_replacements(const State& state, const Reservation& one,
                                            const std::function<bool(const Node&)>& serves) {
  std::vector<ReservedNode> nodes = one.nodes;
  auto candidates = eligible_nodes(state, one);
  if (!candidates) return nodes;
  auto next = candidates->begin();
  for (ReservedNode& reserved : nodes) {
    const Node* node = state.find(reserved.node);
    if (node && serves(*node)) continue;
    auto able = [&](const Node* other) {
      return !one.find(other->id) && has_features(*other->spec, one.features) && serves(*other);
    };
    next = std::find_if(next, candidates->end(), able);
    if (next == candidates->end()) break;
    reserved.node = (*next++)->id;
  }
  std::ranges::sort(nodes, {}, &ReservedNode::node);
  return nodes;
}

}  // namespace

void Controller::watch_reservations(Instant now, Outbox& out) {
  if (state_.reservations.empty()) return;
  std::vector<Reservation> all;
  state_.reservations.for_each([&](std::uint64_t, const Reservation& one) { all.push_back(one); });
  for (const Reservation& one : all) {
    if (one.has(ReservationFlag::TimeFloat)) continue;
    if (one.end <= now) {
      end_reservation(one, now, out);
      continue;
    }
    if (one.has(ReservationFlag::PurgeComp) && one.active(now)) {
      bool used = false;
      for (const ReservedNode& node : one.nodes)
        for (JobId job : indexes_.on_node(node.node))
          used = used || state_.jobs.at(job.value).allocation->reservation == one.name;
      if (used) unused_since_[one.id] = now;
      Instant since = unused_since_.try_emplace(one.id, now).first->second;
      if (now - since >= std::chrono::seconds(one.purge_after_s)) {
        end_reservation(one, now, out);
        continue;
      }
    }
    Reservation mended = one;
    // PART_NODES: all nodes of its partition, whichever these are now.
    if (one.has(ReservationFlag::PartNodes) && !has_nodes_of(state_, one)) {
      mended.node_text = "ALL";
      if (!choose_nodes(mended, now)) mended = one;
    } else if (chosen_by_us(one)) {
      bool idle_only = one.has(ReservationFlag::Replace);
      mended.nodes = with_replacements(state_, one, [&](const Node& node) {
        bool idle = !idle_only || indexes_.on_node(node.id).empty();
        return node.usable() && idle && (one.find(node.id) || node_is_free_for(node, one, now));
      });
    }
    if (mended.nodes != one.nodes)
      emit(ReservationDefined{.reservation = std::move(mended)}, now, out);
  }
}

// Its jobs end with it, after ResvOverRun; then it goes, or on to its next time.
void Controller::end_reservation(const Reservation& reservation, Instant now, Outbox& out) {
  std::vector<JobId> inside;
  for (const ReservedNode& node : reservation.nodes)
    for (JobId job : indexes_.on_node(node.node)) {
      const Job& one = state_.jobs.at(job.value);
      if (!is_terminal(one.state) && one.allocation->reservation == reservation.name)
        inside.push_back(job);
    }
  bool flexible = reservation.has(ReservationFlag::Flex);
  if (!inside.empty() && !flexible && now < reservation.end + config_.reservation_overrun) return;
  if (!flexible)
    for (JobId job : inside)
      if (!is_terminal(state_.jobs.at(job.value).state))
        finish(
            job,
            {.state = JobState::Timeout, .reason = Reason::TimeLimit, .grace = config_.kill_wait},
            now, out);
  unused_since_.erase(reservation.id);
  if (!reservation.recurs()) {
    hold_waiting_for(reservation, now, out);
    emit(ReservationRemoved{.reservation = reservation.id}, now, out);
    return;
  }
  Reservation next = reservation;
  Duration length = next.end - next.start;
  do {
    next.start = next_occurrence(next);
    next.end = next.start + length;
  } while (next.end <= now);
  static_cast<void>(choose_nodes(next, now));  // where nothing better is free, it keeps its nodes
  emit(ReservationDefined{.reservation = std::move(next)}, now, out);
}

void Controller::define_licenses(const ClusterConfig& config, Instant now, Outbox& out) {
  LicensesDefined defined;
  auto list = LicenseList::parse(config.licenses);
  if (!list) return;
  for (const LicenseList::Term& term : list->terms)
    defined.licenses.push_back({.name = term.name, .total = term.count});
  std::size_t known = 0;
  bool same = std::ranges::all_of(defined.licenses, [&](const License& one) {
    auto at = state_.licenses->find(one.name);
    return at != state_.licenses->end() && at->second.total == one.total;
  });
  for (const auto& [name, license] : *state_.licenses) known += license.total > 0;
  if (!same || known != defined.licenses.size()) emit(std::move(defined), now, out);
}

}  // namespace ym
