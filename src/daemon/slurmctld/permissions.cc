// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/permissions.h"

#include <algorithm>

#include "wire/backup_messages.h"
#include "wire/messages.h"

namespace ym {
namespace {

using enum CallerKind;
using wire::message_number;

constexpr CallerKinds kAdministrators = CallerKinds(Root) | SlurmUser | Administrator;
constexpr CallerKinds kOperators = kAdministrators | Operator;
// Of what belongs to somebody: operators, the account's coordinators, the owner.
constexpr CallerKinds kResponsible = kOperators | Coordinator | Owner;
// Runs something as the owner, or shows what he wrote: nobody but him and administrators.
constexpr CallerKinds kOwners = kAdministrators | Owner;
constexpr CallerKinds kEverybody = kResponsible | Other | CallerKind::Node;
constexpr CallerKinds kNodes = kAdministrators | CallerKind::Node;

constexpr DecidedBy kDesk = DecidedBy::Desk, kHandler = DecidedBy::Handler;

constexpr Permission kPermissions[] = {
    // Jobs.
    {message_number<SubmitJob>, "REQUEST_SUBMIT_BATCH_JOB", kEverybody, kHandler},
    {message_number<AlterJobs>, "REQUEST_UPDATE_JOB", kResponsible, kHandler},
    {message_number<QueryJobs>, "REQUEST_JOB_INFO", kEverybody, kHandler},
    {message_number<WatchJob>, "REQUEST_JOB_READY", kEverybody, kHandler},
    {message_number<QueryExplanation>, "REQUEST_JOB_EXPLANATION", kEverybody, kHandler},
    {message_number<QueryHistory>, "REQUEST_JOB_HISTORY", kEverybody, kHandler},
    {message_number<GetScript>, "REQUEST_BATCH_SCRIPT", kOperators | Owner, kHandler},
    {message_number<UpdateCrontab>, "REQUEST_UPDATE_CRONTAB", kOwners, kHandler},
    {message_number<GetCrontab>, "REQUEST_CRONTAB", kOwners, kHandler},
    // Steps.
    {message_number<CreateStep>, "REQUEST_JOB_STEP_CREATE", kOwners, kHandler},
    {message_number<CreateHetStep>, "REQUEST_HET_STEP_CREATE", kOwners, kHandler},
    {message_number<UpdateStep>, "REQUEST_UPDATE_JOB_STEP", kResponsible, kHandler},
    {message_number<QuerySteps>, "REQUEST_JOB_STEP_INFO", kEverybody, kHandler},
    {message_number<GetJobCredential>, "REQUEST_JOB_SBCAST_CRED", kOwners, kHandler},
    // Triggers.
    {message_number<SetTrigger>, "REQUEST_TRIGGER_SET", kResponsible, kHandler},
    {message_number<ClearTriggers>, "REQUEST_TRIGGER_CLEAR", kOwners, kHandler},
    {message_number<QueryTriggers>, "REQUEST_TRIGGER_GET", kEverybody, kHandler},
    // Nodes, partitions, reservations, licenses.
    {message_number<QueryNodes>, "REQUEST_NODE_INFO", kEverybody, kHandler},
    {message_number<CreateNodes>, "REQUEST_CREATE_NODE", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<DeleteNodes>, "REQUEST_DELETE_NODE", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<UpdateNodes>, "REQUEST_UPDATE_NODE", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<RebootNodes>, "REQUEST_REBOOT_NODES", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<QueryPartitions>, "REQUEST_PARTITION_INFO", kEverybody, kHandler},
    {message_number<UpdatePartition>, "REQUEST_UPDATE_PARTITION", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<QueryReservations>, "REQUEST_RESERVATION_INFO", kEverybody, kHandler},
    // With USER_DELETE whoever may use a reservation may delete it.
    {message_number<UpdateReservation>, "REQUEST_UPDATE_RESERVATION", kOperators, kHandler},
    {message_number<QueryLicenses>, "REQUEST_LICENSE_INFO", kEverybody, kHandler},
    // The cluster.
    {message_number<Ping>, "REQUEST_PING", kEverybody, kHandler},
    {message_number<QueryConfig>, "REQUEST_BUILD_INFO", kEverybody, kHandler},
    {message_number<FetchConfig>, "REQUEST_CONFIG", kEverybody, kHandler},
    {message_number<QueryStatistics>, "REQUEST_STATS_INFO", kEverybody, kHandler},
    {message_number<GetToken>, "REQUEST_AUTH_TOKEN", kEverybody, kHandler},
    {message_number<Reconfigure>, "REQUEST_RECONFIGURE", kAdministrators, kDesk,
     Errc::InvalidUserId},
    {message_number<SetDebug>, "REQUEST_SET_DEBUG_LEVEL", kAdministrators, kHandler},
    {message_number<Shutdown>, "REQUEST_SHUTDOWN", kAdministrators, kDesk},
    // It names all users' jobs.
    {message_number<FollowEvents>, "REQUEST_EVENTS", kAdministrators, kDesk},
    // All scripts and environments are in it.
    {message_number<BackupState>, "REQUEST_BACKUP", kAdministrators, kDesk},
    // What nodes say.
    {message_number<NodeReport>, "MESSAGE_NODE_REGISTRATION_STATUS", kNodes, kDesk},
    {message_number<TreeAnswers>, "RESPONSE_FORWARD", kNodes, kDesk},
};

}  // namespace

std::span<const Permission> permissions() { return kPermissions; }

const Permission* permission_for(std::uint16_t message) {
  auto at = std::ranges::find(kPermissions, message, &Permission::message);
  return at == std::end(kPermissions) ? nullptr : at;
}

CallerKinds kinds_of(const Peer& peer, const Caller& caller) {
  CallerKinds kinds;
  if (caller.uid == Uid{0}) kinds = kinds | Root;
  if (caller.level == AdminLevel::Administrator) kinds = kinds | Administrator;
  if (caller.level == AdminLevel::Operator) kinds = kinds | Operator;
  if (caller.administrator && !kinds.has(Root) && !kinds.has(Administrator))
    kinds = kinds | SlurmUser;
  if (peer.kind == PeerKind::Token && peer.role == "node") kinds = kinds | CallerKind::Node;
  return kinds;
}

Status check_permission(const Permission& permission, const Peer& peer, const Caller& caller) {
  if (permission.decided_by == DecidedBy::Handler) return {};
  CallerKinds kinds = kinds_of(peer, caller);
  for (std::uint16_t bit = 0; bit < kCallerKinds; ++bit) {
    auto kind = static_cast<CallerKind>(1u << bit);
    if (kinds.has(kind) && permission.may.has(kind)) return {};
  }
  return refuse(permission.refusal);
}

}  // namespace ym
