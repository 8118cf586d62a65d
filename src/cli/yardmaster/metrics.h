// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "model/control_messages.h"

namespace ym::cli {

// What sdiag prints, in the OpenMetrics text format, for programs that watch clusters.
std::string render_metrics(const Statistics& statistics);

}  // namespace ym::cli
