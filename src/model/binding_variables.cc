// SPDX-License-Identifier: Apache-2.0
#include "model/binding_variables.h"

#include "base/format.h"

namespace ym {

std::vector<std::pair<std::string, std::string>> binding_variables(const BindingWish& wish) {
  std::vector<std::pair<std::string, std::string>> out;
  auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.emplace_back(name, value);
  };
  auto number = [&](const char* name, std::uint32_t value) {
    if (value > 0) out.emplace_back(name, fmt::format("{}", value));
  };
  text("SLURM_DISTRIBUTION", wish.distribution);
  if (auto plane = wish.distribution.find("plane="); plane == 0)
    text("SLURM_DIST_PLANESIZE",
         wish.distribution.substr(6, wish.distribution.find_first_of(":,") - 6));
  text("SLURM_HINT", wish.hint);
  text("SLURM_MEM_BIND", wish.mem_bind);
  // A hint says these itself.
  bool by_hint = !wish.hint.empty() && wish.hint != "multithread";
  if (!by_hint) number("SLURM_THREADS_PER_CORE", wish.threads_per_core);
  number("SLURM_NTASKS_PER_SOCKET", wish.tasks_per_socket);
  number("SLURM_NTASKS_PER_CORE", wish.tasks_per_core);
  return out;
}

}  // namespace ym
