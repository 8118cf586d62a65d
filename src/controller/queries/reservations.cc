// SPDX-License-Identifier: Apache-2.0
#include "controller/queries/reservations.h"

#include <algorithm>

#include "notation/hostlist.h"
#include "notation/licenses.h"

namespace ym {
namespace {

// TIME_FLOAT keeps its distance to the present.
Reservation as_of(Reservation one, Instant now) {
  if (!one.has(ReservationFlag::TimeFloat)) return one;
  Duration length = one.end - one.start;
  one.start = now + one.float_by;
  one.end = one.start + length;
  return one;
}

std::uint32_t threads_of(const NodeSpec& node) {
  std::uint32_t cores = std::max(1u, node.sockets * node.cores_per_socket);
  return std::max(1u, node.cpus / cores);
}

}  // namespace

ReservationRows reservation_rows(const State& state, const std::string& name, Instant now) {
  ReservationRows rows;
  state.reservations.for_each([&](std::uint64_t, const Reservation& one) {
    if (!name.empty() && name != one.name) return;
    ReservationRow row{.reservation = as_of(one, now)};
    std::vector<std::string> names;
    for (const ReservedNode& reserved : one.nodes) {
      const Node* node = state.find(reserved.node);
      if (!node) continue;
      names.push_back(node->spec->name);
      std::uint32_t cpus = reserved.whole ? node->spec->cpus : reserved.cpus;
      row.cpus += cpus;
      row.cores += cpus / threads_of(*node->spec);
    }
    row.nodes = Hostlist::of(names).str();
    rows.rows.push_back(std::move(row));
  });
  return rows;
}

LicenseRows license_rows(const State& state, const std::string& name, Instant now) {
  LicenseRows rows;
  for (const auto& [key, license] : *state.licenses)
    if (name.empty() || name == key) rows.rows.push_back({.license = license});
  state.reservations.for_each([&](std::uint64_t, const Reservation& one) {
    if (one.licenses.empty() || !as_of(one, now).active(now)) return;
    auto kept = LicenseList::parse(one.licenses);
    if (!kept) return;
    for (const LicenseList::Term& term : kept->terms)
      for (LicenseRow& row : rows.rows)
        if (row.license.name == term.name) row.reserved += term.count;
  });
  return rows;
}

void mark_reservation(NodeRow& row, const State& state, Instant now) {
  row.node.reserved = static_cast<bool>(row.node.kept_for);
  state.reservations.for_each([&](std::uint64_t, const Reservation& one) {
    const ReservedNode* reserved = one.find(row.node.id);
    if (!reserved || !reserved->whole || !as_of(one, now).active(now)) return;
    row.node.reserved = true;
    row.node.maintenance = row.node.maintenance || one.has(ReservationFlag::Maint);
    if (row.reservation.empty()) row.reservation = one.name;
  });
}

}  // namespace ym
