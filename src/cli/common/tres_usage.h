// SPDX-License-Identifier: Apache-2.0
// The TRESUsage… fields of sacct and sstat: what the tasks of a step used, by the names of
// trackable resources. Of what is not measured nothing is said.
#pragma once
#include <string>

#include "model/usage.h"

namespace ym::cli::tres_usage {

// REQUIRES: usage.tasks > 0.
std::string in_average(const StepUsage& usage);
std::string in_total(const StepUsage& usage);
std::string in_max(const StepUsage& usage);
std::string in_max_node(const StepUsage& usage);
std::string in_max_task(const StepUsage& usage);
std::string in_min(const StepUsage& usage);
std::string in_min_node(const StepUsage& usage);
std::string in_min_task(const StepUsage& usage);
std::string out_average(const StepUsage& usage);
std::string out_total(const StepUsage& usage);
std::string out_max(const StepUsage& usage);
std::string out_max_node(const StepUsage& usage);
std::string out_max_task(const StepUsage& usage);
// The least of the written bytes.
std::string not_measured(const StepUsage& usage);

}  // namespace ym::cli::tres_usage
