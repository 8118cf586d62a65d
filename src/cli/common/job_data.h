// SPDX-License-Identifier: Apache-2.0
// A job as --json and --yaml tell it: names and structure as Slurm's data_parser documents them
// (job_info of the REST API).
#pragma once
#include "cli/common/data_writer.h"
#include "cli/common/job_view.h"

namespace ym::cli {

void write_job(DataWriter& data, const JobView& view);

}  // namespace ym::cli
