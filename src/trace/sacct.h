// SPDX-License-Identifier: Apache-2.0
// What `sacct --parsable2` printed: a line of headers, then a line for each job. Any order of
// columns will do; what a replay has no use for is passed over.
#pragma once
#include <string_view>

#include "base/result.h"
#include "notation/timestamp.h"
#include "trace/workload.h"

namespace ym::trace {

// Wanted: a job's number (JobIDRaw, JobID), Submit, how long it ran (ElapsedRaw, Elapsed, or Start
// and End) and its CPUs (ReqCPUS, NCPUS, AllocCPUS, or cpu= of ReqTRES, AllocTRES). Used if there:
// Eligible (a job that could not start before counts from then on), Start, Timelimit(Raw), NNodes,
// ReqNodes, User, Partition. Steps and jobs that never ran are passed over. `zone` is the one that
// the times were printed in.
Result<Workload> read_sacct(std::string_view text, std::string_view name, const TimeZone& zone);

bool looks_like_sacct(std::string_view text);

}  // namespace ym::trace
