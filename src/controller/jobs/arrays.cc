// SPDX-License-Identifier: Apache-2.0
// Elements of arrays: they share one record until one of them differs.
#include "base/check.h"
#include "controller/controller.h"

namespace ym {

// Gives the element a record of its own and returns its id. The last one takes the common record
// over.
JobId Controller::split(JobId array, std::uint32_t task, Instant now, Outbox& out) {
  const Job& common = state_.jobs.at(array.value);
  YM_CHECK(common.array && common.array->waiting.contains(task));
  bool last = common.array->waiting.count() == 1;
  ArrayTaskSplit event{.array_job = array,
                       .task = task,
                       .job = last ? array : fresh_job_id(1),
                       .sluid = last ? common.sluid : next_sluid(state_, now)};
  JobId job = event.job;
  emit(event, now, out);
  return job;
}

}  // namespace ym
