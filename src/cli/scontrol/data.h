// SPDX-License-Identifier: Apache-2.0
// What `scontrol show` says with --json and --yaml: names and structure as Slurm's data_parser
// documents them.
#pragma once
#include <string>
#include <vector>

#include "cli/common/data_writer.h"
#include "cli/scontrol/scontrol.h"
#include "config/topology_conf.h"
#include "model/license.h"
#include "model/reservation.h"

namespace ym::cli {

// With "meta", "errors" and "warnings" behind what `fill` writes; 0.
int print_data(ScontrolContext& context, const Words& words,
               const std::function<void(DataWriter&)>& fill);

void write_step(DataWriter& data, const StepRow& row);
void write_reservation(DataWriter& data, const ReservationRow& row, Instant now);
void write_license(DataWriter& data, const LicenseRow& row);
void write_topology(DataWriter& data, const Topology& topology);

}  // namespace ym::cli
