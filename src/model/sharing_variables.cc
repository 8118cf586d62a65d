// SPDX-License-Identifier: Apache-2.0
#include "model/sharing_variables.h"

#include <iterator>

namespace ym {

std::string_view exclusive_word(const JobSpec& spec, Sharing partition) {
  constexpr std::string_view kKinds[] = {"NODE", "USER", "MCS", "TOPO"};
  std::uint8_t kind = spec.extras->specials->exclusive_kind;
  if (kind > kExclusiveNode && kind < std::size(kKinds)) return kKinds[kind];
  if (spec.exclusive) return "NODE";
  switch (partition) {
    case Sharing::WholeNodes: return "NODE";
    case Sharing::OneUser: return "USER";
    case Sharing::OneTopo: return "TOPO";
    case Sharing::No:
    case Sharing::IfAsked:
    case Sharing::Forced: return "NO";
  }
  return "NO";
}

std::string_view oversubscribe_word(const JobSpec& spec, Sharing partition) {
  if (exclusive_word(spec, partition) != "NO") return "NO";
  if (spec.oversubscribe || partition == Sharing::Forced) return "YES";
  return partition == Sharing::IfAsked ? "OK" : "NO";
}

std::vector<std::pair<std::string, std::string>> sharing_variables(const JobSpec& spec,
                                                                   Sharing partition) {
  std::vector<std::pair<std::string, std::string>> out = {
      {"SLURM_JOB_OVERSUBSCRIBE", std::string(oversubscribe_word(spec, partition))},
      {"SLURM_JOB_EXCLUSIVE", std::string(exclusive_word(spec, partition))}};
  if (std::uint32_t segment = spec.extras->specials->segment)
    out.emplace_back("SLURM_JOB_SEGMENT_SIZE", std::to_string(segment));
  return out;
}

}  // namespace ym
