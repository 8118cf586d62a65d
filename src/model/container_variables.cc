// SPDX-License-Identifier: Apache-2.0
#include "model/container_variables.h"

namespace ym {

std::vector<std::pair<std::string, std::string>> container_variables(const JobExtras& extras,
                                                                     const JobSpecials& specials) {
  std::vector<std::pair<std::string, std::string>> out;
  if (!extras.container.empty()) out.emplace_back("SLURM_CONTAINER", extras.container);
  if (!specials.container_id.empty()) out.emplace_back("SLURM_CONTAINER_ID", specials.container_id);
  return out;
}

}  // namespace ym
