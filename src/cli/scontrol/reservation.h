// SPDX-License-Identifier: Apache-2.0
// scontrol's reservations and licences.
#pragma once
#include <string>
#include <vector>

#include "cli/scontrol/scontrol.h"
#include "model/license.h"
#include "model/reservation.h"

namespace ym::cli {

// The reservation that the words name; empty if none does.
std::string reservation_named(const std::vector<Assignment>& assignments);
// What they ask for; `known` is what += and -= change. Errors are whole lines for people.
Result<UpdateReservation> reservation_update(const std::vector<Assignment>& assignments,
                                             const ReservationRow& known, Instant now, bool create);

std::string reservation_record(const ReservationRow& row, Instant now, bool one_line);
std::string license_record(const LicenseRow& row, bool one_line);

int create_reservation(ScontrolContext& context, const Words& words);
int update_reservation(ScontrolContext& context, const std::vector<Assignment>& assignments);
// `said`: as the user named it, for complaints.
int delete_reservation(ScontrolContext& context, const std::string& said, const std::string& name);
int show_reservations(ScontrolContext& context, const Words& words);
int show_licenses(ScontrolContext& context, const Words& words);

}  // namespace ym::cli
