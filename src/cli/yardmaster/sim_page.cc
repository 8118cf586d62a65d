// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/sim.h"

namespace ym::cli {

std::string sim_page(const SimReport& report) { return report.title; }

}  // namespace ym::cli
