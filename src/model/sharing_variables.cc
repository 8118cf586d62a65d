// SPDX-License-Identifier: Apache-2.0
#include "model/sharing_variables.h"

#include <iterator>

namespace ym {

std::string_view exclusive_word(const JobSpec& spec) {
  constexpr std::string_view kKinds[] = {"NODE", "USER", "MCS", "TOPO"};
  std::uint8_t kind = spec.extras->specials->exclusive_kind;
  if (kind > kExclusiveNode && kind < std::size(kKinds)) return kKinds[kind];
  return spec.exclusive ? "NODE" : "NO";
}

std::string_view oversubscribe_word(const JobSpec& spec) {
  if (exclusive_word(spec) != "NO") return "NO";
  return spec.oversubscribe ? "YES" : "OK";
}

std::vector<std::pair<std::string, std::string>> sharing_variables(const JobSpec& spec) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"SLURM_JOB_OVERSUBSCRIBE", std::string(oversubscribe_word(spec))},
      {"SLURM_JOB_EXCLUSIVE", std::string(exclusive_word(spec))}};
  if (std::uint32_t segment = spec.extras->specials->segment)
    out.emplace_back("SLURM_JOB_SEGMENT_SIZE", std::to_string(segment));
  return out;
}

}  // namespace ym
