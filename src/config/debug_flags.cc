// SPDX-License-Identifier: Apache-2.0
#include "config/debug_flags.h"

#include "base/text.h"

namespace ym {

std::span<const DebugFlagName> debug_flag_names() {
  static constexpr DebugFlagName kNames[] = {
      {"Accrue"},
      {"Agent", bit(DebugFlag::Agent)},
      {"AuditRPCs", bit(DebugFlag::AuditRPCs)},
      {"AuditTLS"},
      {"Backfill", bit(DebugFlag::Backfill)},
      {"BackfillMap"},
      {"BurstBuffer"},
      {"Cgroup"},
      {"ConMgr"},
      {"CPU_Bind"},
      {"CpuFrequency"},
      {"Data"},
      {"DBD_Agent"},
      {"Dependency"},
      {"Elasticsearch"},
      {"Energy"},
      {"Federation"},
      {"FrontEnd"},
      {"Gang"},
      {"GLOB_SILENCE"},
      {"Gres", bit(DebugFlag::Gres)},
      {"Hetjob"},
      {"Interconnect"},
      {"JobAccountGather"},
      {"JobComp"},
      {"JobContainer"},
      {"Kafka"},
      {"License", bit(DebugFlag::License)},
      {"MPI"},
      {"Network"},
      {"NetworkRaw"},
      {"NodeFeatures", bit(DebugFlag::NodeFeatures)},
      {"NO_CONF_HASH"},
      {"Power", bit(DebugFlag::Power)},
      {"Priority"},
      {"Profile"},
      {"Protocol", bit(DebugFlag::Protocol)},
      {"Reservation", bit(DebugFlag::Reservation)},
      {"Route"},
      {"Script"},
      {"SelectType", bit(DebugFlag::SelectType)},
      {"Steps", bit(DebugFlag::Steps)},
      {"Switch"},
      {"TLS"},
      {"TraceJobs", bit(DebugFlag::TraceJobs)},
      {"TRESNode"},
      {"Triggers", bit(DebugFlag::Triggers)},
      {"WorkQ"},
  };
  return kNames;
}

const DebugFlagName* find_debug_flag(std::string_view name) {
  for (const DebugFlagName& one : debug_flag_names())
    if (same_ignoring_case(one.name, name)) return &one;
  return nullptr;
}

std::uint64_t debug_flag_bits(std::string_view list) {
  std::uint64_t bits = 0;
  for (std::string_view name : split_words(list, ','))
    if (const DebugFlagName* known = find_debug_flag(name)) bits |= known->bits;
  return bits;
}

}  // namespace ym
