// SPDX-License-Identifier: Apache-2.0
// Keys on the lines that NodeName, PartitionName, NodeSet and DownNodes open. Defaults are those of
// an empty line.
#include "config/keys.h"

namespace ym {
namespace {

using enum KeyType;
using enum KeyStatus;

constexpr std::string_view kU32 = "0-4294967294", kU64 = "0-9223372036854775807";

constexpr KeyInfo kNode[] = {
    {"BcastAddr", Text, NotYet},
    {"Boards", Number, ActedOn, "1", "1-65533"},
    {"CoreSpecCount", Number, ActedOn, "0", "0-65533"},
    {"CoresPerSocket", Number, ActedOn, "1", "1-65533"},
    {"CpuBind", Text, NotYet},
    {"CPUs", Number, ActedOn, "1", "1-65533"},
    {"CpuSpecList", Text, ActedOn},
    {"Feature", Text, Alias, "", "Features"},
    {"Features", Text, ActedOn},
    {"Gres", Text, ActedOn},
    {"MemSpecLimit", Number, ActedOn, "0", kU64},
    {"NodeAddr", Text, ActedOn},
    {"NodeHostname", Text, ActedOn},
    {"NodeName", Text, ActedOn},
    {"Parameters", Text, NotYet},
    {"Port", Text, ActedOn},
    {"Procs", Number, Alias, "", "CPUs"},
    {"RealMemory", Number, ActedOn, "1", "1-9223372036854775807"},
    {"Reason", Text, ActedOn},
    {"RestrictedCoresPerGPU", Number, NotYet, "0", "0-65533"},
    {"Sockets", Number, ActedOn, "1", "1-65533"},
    {"SocketsPerBoard", Number, ActedOn, "", "1-65533"},
    {"State", Text, ActedOn, "UNKNOWN"},
    {"SuspendTime", Limit, ActedOn, "", kU32},
    {"ThreadsPerCore", Number, ActedOn, "1", "1-65533"},
    {"TmpDisk", Number, ActedOn, "0", kU32},
    {"Topology", Text, NotYet},
    {"Weight", Number, ActedOn, "1", kU32},
};

constexpr KeyInfo kPartition[] = {
    {"AllocNodes", Text, ActedOn, "ALL"},
    {"AllowAccounts", Text, ActedOn, "ALL"},
    {"AllowGroups", Text, ActedOn, "ALL"},
    {"AllowQos", Text, ActedOn, "ALL"},
    {"Alternate", Text, ActedOn},
    {"CpuBind", Text, NotYet},
    {"Default", YesNo, ActedOn, "No"},
    {"DefaultTime", Time, ActedOn},
    {"DefCpuPerGPU", Number, ActedOn, "0", kU32},
    {"DefMemPerCPU", Limit, ActedOn, "0", kU64},
    {"DefMemPerGPU", Number, ActedOn, "0", kU64},
    {"DefMemPerNode", Limit, ActedOn, "0", kU64},
    {"DenyAccounts", Text, ActedOn},
    {"DenyQos", Text, ActedOn},
    {"DisableRootJobs", YesNo, ActedOn, "No"},
    {"Exclusive", Choice, ActedOn, "NO", "NO|NODE|USER|TOPO"},
    {"ExclusiveTopo", YesNo, ActedOn, "No"},
    {"ExclusiveUser", YesNo, ActedOn, "No"},
    {"GraceTime", Number, ActedOn, "0", kU32},
    {"Hidden", YesNo, ActedOn, "No"},
    {"JobDefaults", Text, ActedOn},
    {"LLN", YesNo, ActedOn, "No"},
    {"MaxCPUsPerNode", Limit, ActedOn, "UNLIMITED", kU32},
    {"MaxCPUsPerSocket", Limit, NotYet, "UNLIMITED", kU32},
    {"MaxMemPerCPU", Limit, ActedOn, "0", kU64},
    {"MaxMemPerNode", Limit, ActedOn, "0", kU64},
    {"MaxNodes", Limit, ActedOn, "UNLIMITED", kU32},
    {"MaxTime", Time, ActedOn, "UNLIMITED"},
    {"MinNodes", Number, ActedOn, "0", kU32},
    {"Nodes", Text, ActedOn},
    {"OverSubscribe", Text, ActedOn, "NO"},
    {"OverTimeLimit", Limit, ActedOn, "", "0-65533"},
    {"PartitionName", Text, ActedOn},
    {"PowerDownOnIdle", YesNo, ActedOn, "No"},
    {"PreemptMode", Choices, ActedOn, "OFF", "OFF|CANCEL|GANG|REQUEUE|SUSPEND|WITHIN|PRIORITY"},
    {"Priority", Number, ActedOn, "1", "0-65533"},
    {"PriorityJobFactor", Number, ActedOn, "1", "0-65533"},
    {"PriorityTier", Number, ActedOn, "1", "0-65533"},
    {"QOS", Text, NotYet},
    {"ReqResv", YesNo, ActedOn, "No"},
    {"ResumeTimeout", Limit, ActedOn, "", "0-65533"},
    {"RootOnly", YesNo, ActedOn, "No"},
    {"SelectTypeParameters", Text, NotYet, "NONE"},
    {"Shared", Text, Alias, "", "OverSubscribe"},
    {"State", Choice, ActedOn, "UP", "UP|DOWN|DRAIN|INACTIVE"},
    {"SuspendTime", Limit, ActedOn, "", kU32},
    {"SuspendTimeout", Limit, ActedOn, "", "0-65533"},
    {"Topology", Text, ActedOn},
    {"TRESBillingWeights", Text, ActedOn},
};

constexpr KeyInfo kNodeSet[] = {
    {"Feature", Text, ActedOn},
    {"Nodes", Text, ActedOn},
    {"NodeSet", Text, ActedOn},
};

constexpr KeyInfo kDownNodes[] = {
    {"DownNodes", Text, ActedOn},
    {"Reason", Text, ActedOn},
    {"State", Choice, ActedOn, "UNKNOWN", "DOWN|DRAIN|FAIL|FAILING|UNKNOWN"},
};

}  // namespace

std::span<const KeyInfo> node_keys() { return kNode; }
std::span<const KeyInfo> partition_keys() { return kPartition; }
std::span<const KeyInfo> node_set_keys() { return kNodeSet; }
std::span<const KeyInfo> down_nodes_keys() { return kDownNodes; }

}  // namespace ym
