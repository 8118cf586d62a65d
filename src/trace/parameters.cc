// SPDX-License-Identifier: Apache-2.0
#include "trace/parameters.h"

#include "schedule/knobs.h"

namespace ym::trace {

std::vector<std::string> parameter_warnings(std::string_view scheduler_parameters) {
  return read_knobs(scheduler_parameters).warnings;
}

}  // namespace ym::trace
