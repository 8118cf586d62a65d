// SPDX-License-Identifier: Apache-2.0
#include "schedule/plan.h"

namespace ym {

void Verdicts::merge(const Verdicts& newer) {
  for (const auto& [shape, verdict] : newer.shapes) shapes.insert_or_assign(shape, verdict);
  for (const auto& [job, reason] : newer.jobs) jobs.insert_or_assign(job, reason);
  for (const auto& [job, verdict] : newer.het) het.insert_or_assign(job, verdict);
  for (const auto& [job, start] : newer.promised) promised.insert_or_assign(job, start);
  for (const auto& [job, nodes] : newer.places)
    if (places.size() < kPlacesMax || places.contains(job)) places.insert_or_assign(job, nodes);
  at = newer.at;
}

void Verdicts::note_places(const std::vector<Booking>& booked) {
  std::size_t nodes = 0;
  for (const Booking& booking : booked) {
    if (places.size() >= kPlacesMax || nodes >= kPlaceNodesMax) return;
    std::vector<NodeId> place;
    place.reserve(booking.allocation.nodes.size());
    for (const NodeShare& share : booking.allocation.nodes) place.push_back(share.node);
    nodes += place.size();
    places.insert_or_assign(booking.job, Ref(std::move(place)));
  }
}

void PlanTally::add(const PlanTally& other) {
  looked_at += other.looked_at;
  promised += other.promised;
  started += other.started;
  components += other.components;
  waiting = other.waiting;
  exit = other.exit;
  for (std::size_t i = 0; i < kPlanQuestions; ++i) took[i] += other.took[i];
}

}  // namespace ym
