// SPDX-License-Identifier: Apache-2.0
// Reservations and licences for people, made of a snapshot. Safe on any thread.
#pragma once
#include <string>

#include "model/node_messages.h"
#include "model/state.h"

namespace ym {

// All of them, or the one of that name.
ReservationRows reservation_rows(const State& state, const std::string& name, Instant now);
LicenseRows license_rows(const State& state, const std::string& name, Instant now);

// Says in the row whether a reservation has the node now.
void mark_reservation(NodeRow& row, const State& state, Instant now);

}  // namespace ym
