// SPDX-License-Identifier: Apache-2.0
// Keys of older releases that site files still hold, and those we refuse.
#include "config/keys.h"

namespace ym {
namespace {

using enum KeyType;
using enum KeyStatus;

constexpr std::string_view kFrontEnd =
    "front-end nodes are not supported, Slurm itself removed them in 25.05";

constexpr KeyInfo kTable[] = {
    {"AccountingStorageLoc", Text, Obsolete, "", "slurmdbd.conf names the database"},
    {"AccountingStorageUser", Text, Obsolete, "", "slurmdbd.conf names the database's user"},
    {"AccountingStoreJobComment", Text, Obsolete, "", "use AccountingStoreFlags=job_comment"},
    {"AcctGatherInfinibandType", Text, Obsolete, "", "use AcctGatherInterconnectType"},
    {"BackupAddr", Text, ActedOn, "", "SlurmctldHost"},
    {"BackupController", Text, ActedOn, "", "SlurmctldHost"},
    {"CacheGroups", Text, Obsolete, "", "see GroupUpdateForce"},
    {"CheckpointType", Text, Obsolete, "", "there is no checkpointing"},
    {"ChosLoc", Text, Obsolete, "", "see the container options"},
    {"ControlAddr", Text, ActedOn, "", "SlurmctldHost"},
    {"ControlMachine", Text, ActedOn, "", "SlurmctldHost"},
    {"CoreSpecPlugin", Text, Obsolete, "", "core specialization needs no plugin"},
    {"CryptoType", Text, Obsolete, "", "use CredType"},
    {"DefaultStorageHost", Text, Obsolete, "", "use AccountingStorageHost"},
    {"DefaultStorageLoc", Text, Obsolete, "", "use JobCompLoc"},
    {"DefaultStoragePass", Text, Obsolete, "", "use AccountingStoragePass"},
    {"DefaultStoragePort", Text, Obsolete, "", "use AccountingStoragePort"},
    {"DefaultStorageType", Text, Obsolete, "", "use AccountingStorageType"},
    {"DefaultStorageUser", Text, Obsolete, "", "slurmdbd.conf names the database's user"},
    {"ExtSensorsFreq", Text, Obsolete, "", "see AcctGatherEnergyType"},
    {"ExtSensorsType", Text, Obsolete, "", "see AcctGatherEnergyType"},
    {"FastSchedule", Text, Obsolete, "", "2 is now SlurmdParameters=config_overrides"},
    {"FrontendAddr", Text, Refused, "", kFrontEnd},
    {"FrontendName", Text, Refused, "", kFrontEnd},
    {"GetEnvTimeout", Text, Obsolete, "", ""},
    {"JobCheckpointDir", Text, Obsolete, "", "there is no checkpointing"},
    {"JobContainerType", Text, Obsolete, "", "use NamespaceType"},
    {"JobCredentialPrivateKey", Text, Obsolete, "", "see CredType"},
    {"JobCredentialPublicCertificate", Text, Obsolete, "", "see CredType"},
    {"LaunchType", Text, Obsolete, "", ""},
    {"Layouts", Text, Obsolete, "", ""},
    {"MaxDBDMsgs", Text, Obsolete, "", "use SlurmctldParameters=max_dbd_msg_action"},
    {"MemLimitEnforce", Text, Obsolete, "", "use JobAcctGatherParams=OverMemoryKill"},
    {"MsgAggregationParams", Text, Obsolete, "", ""},
    {"PowerParameters", Text, Obsolete, "", ""},
    {"PowerPlugin", Text, Obsolete, "", ""},
    {"PrologEpilogTimeout", Text, Obsolete, "", "use PrologTimeout and EpilogTimeout"},
    {"RoutePlugin", Text, Obsolete, "", "use TopologyParam=RouteTree"},
    {"SallocDefaultCommand", Text, Obsolete, "", "use LaunchParameters=use_interactive_step"},
    {"SbcastParameters", Text, Obsolete, "", "use BcastParameters"},
    {"SchedulerAuth", Text, Obsolete, "", ""},
    {"SchedulerPort", Text, Obsolete, "", ""},
    {"SchedulerRootFilter", Text, Obsolete, "", ""},
    {"SlurmctldPlugstack", Text, Obsolete, "", ""},
};

}  // namespace

std::span<const KeyInfo> former_keys() { return kTable; }

}  // namespace ym
