// SPDX-License-Identifier: Apache-2.0
// squeue's columns.
#pragma once
#include <vector>

#include "cli/common/columns.h"
#include "cli/common/job_view.h"
#include "model/step_messages.h"

namespace ym::cli {

const std::vector<Column<JobView>>& job_columns();

// Formats that squeue has without being told.
inline constexpr std::string_view kUsualFormat = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
inline constexpr std::string_view kLongFormat = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
inline constexpr std::string_view kStartFormat = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";
inline constexpr std::string_view kUsualSort = "P,t,-p";

// A live step of a job.
struct StepView {
  const JobView* job = nullptr;
  const StepRow* row = nullptr;
  const Step& step() const { return row->step; }
};
const std::vector<Column<StepView>>& step_columns();
inline constexpr std::string_view kUsualStepSort = "P,i";
inline constexpr std::string_view kStepFormat = "%.15i %.8j %.9P %.8u %.9M %N";

}  // namespace ym::cli
