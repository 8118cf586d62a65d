// SPDX-License-Identifier: Apache-2.0
// The Standard Workload Format of the Parallel Workloads Archive: 18 numbers a line, -1 for what is
// not known, and a header of comments.
#pragma once
#include <string_view>

#include "base/result.h"
#include "trace/workload.h"

namespace ym::trace {

// `name` is for errors, which tell the line: "kth.swf:17: …".
//
// What a record means is not always clear. Here: processors are those asked for, else those used,
// and at most the machine's (MaxProcs, else MaxNodes of the header, unless `procs` says it); the
// time limit is the time asked for, else the run; a job runs no longer than its limit; a job
// without run time or processors is passed over; queues are partitions.
Result<Workload> read_swf(std::string_view text, std::string_view name, std::uint32_t procs = 0);

// Does the text look like it? For files whose name does not tell.
bool looks_like_swf(std::string_view text);

}  // namespace ym::trace
