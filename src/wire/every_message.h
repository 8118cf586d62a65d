// SPDX-License-Identifier: Apache-2.0
// A list of all messages, for tests that try each of them.
#pragma once
#include "wire/backup_messages.h"
#include "wire/messages.h"
#include "wire/trust_query.h"

namespace ym::wire {

template <class... Ts>
struct MessageList {};

using EveryMessage = MessageList<
    AlterAnswer, AlterJobs, AttachStep, BackupPart, BackupState, BcastChunk, ClearTriggers,
    ConfigAnswer, ConfigFiles, CreateHetStep, CreateNodes, CreateStep, Crontab, CrontabUpdated,
    DeleteNodes, Done, Events, Explanation, Failure, FetchConfig, FollowEvents, ForgetAttempts,
    GetCrontab, GetJobCredential, GetScript, GetToken, HetStepCreated, HistoryRows, JobRows,
    KillJob, LaunchJob, LaunchTasks, LicenseRows, NodeOutcomes, NodeReport, NodeRows, NotifyJob,
    OpenX11, OwnerNotice, PartitionRows, Ping, Pong, QueryConfig, QueryExplanation, QueryHistory,
    QueryJobs, QueryLicenses, QueryNodes, QueryPartitions, QueryReservations, QueryStatistics,
    QuerySteps, QueryStepsHere, QueryTriggers, RebootNode, RebootNodes, Reconfigure,
    ReservationCreated, ReservationRows, ResumeStream, Script, SetDebug, SetTrigger, Shutdown,
    SignalJob, SignalStep, SignalTasks, Statistics, StepAbort, StepAttached, StepCreated,
    StepCredential, StepFence, StepOver, StepRows, StepsHere, SubmitAnswer, SubmitJob, SuspendJob,
    Takeover, TaskEnded, TaskInput, TaskOutput, TasksStarted, Token, TreeAnswers, TreeOrder,
    TriggerAdded, TriggerRows, UpdateCrontab, UpdateNodes, UpdatePartition, UpdateReservation,
    UpdateStep, WatchJob, WindowChanged, X11Data, X11Opened, RequestCertificate, CertificateIssued,
    TrustNews, JoinCluster, Joined, MakeJoinToken, RevokeCertificate, QueryCertificates,
    Certificates, QueryTrust, ControllerLeads, LimitMemory>;

}  // namespace ym::wire
