// SPDX-License-Identifier: Apache-2.0
// Every message that travels, with its number. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include <cstdint>

#include "model/bcast_messages.h"
#include "model/control_messages.h"
#include "model/crontab.h"
#include "model/history.h"
#include "model/job_messages.h"
#include "model/license.h"
#include "model/node_messages.h"
#include "model/reservation.h"
#include "model/step_messages.h"
#include "model/tree_messages.h"
#include "model/trigger.h"
#include "model/trust_messages.h"
#include "model/x11_messages.h"

namespace ym::wire {

// The frame's type field. 0 is never sent; 1 to 15 are net/'s own (net/frame.h).
template <class T>
inline constexpr std::uint16_t message_number = 0;

template <>
inline constexpr std::uint16_t message_number<Failure> = 17;
template <>
inline constexpr std::uint16_t message_number<Done> = 18;
template <>
inline constexpr std::uint16_t message_number<Ping> = 19;
template <>
inline constexpr std::uint16_t message_number<Pong> = 20;
template <>
inline constexpr std::uint16_t message_number<QueryConfig> = 21;
template <>
inline constexpr std::uint16_t message_number<ConfigAnswer> = 22;
template <>
inline constexpr std::uint16_t message_number<FetchConfig> = 23;
template <>
inline constexpr std::uint16_t message_number<ConfigFiles> = 24;
template <>
inline constexpr std::uint16_t message_number<Reconfigure> = 25;
template <>
inline constexpr std::uint16_t message_number<Shutdown> = 26;
template <>
inline constexpr std::uint16_t message_number<GetToken> = 27;
template <>
inline constexpr std::uint16_t message_number<Token> = 28;
template <>
inline constexpr std::uint16_t message_number<FollowEvents> = 29;
template <>
inline constexpr std::uint16_t message_number<Events> = 30;
template <>
inline constexpr std::uint16_t message_number<QueryStatistics> = 31;
template <>
inline constexpr std::uint16_t message_number<Statistics> = 32;

template <>
inline constexpr std::uint16_t message_number<SubmitJob> = 100;
template <>
inline constexpr std::uint16_t message_number<SubmitAnswer> = 101;
template <>
inline constexpr std::uint16_t message_number<AlterJobs> = 102;
template <>
inline constexpr std::uint16_t message_number<AlterAnswer> = 103;
template <>
inline constexpr std::uint16_t message_number<QueryJobs> = 104;
template <>
inline constexpr std::uint16_t message_number<JobRows> = 105;
template <>
inline constexpr std::uint16_t message_number<WatchJob> = 106;
template <>
inline constexpr std::uint16_t message_number<GetScript> = 107;
template <>
inline constexpr std::uint16_t message_number<Script> = 108;
template <>
inline constexpr std::uint16_t message_number<QueryExplanation> = 109;
template <>
inline constexpr std::uint16_t message_number<Explanation> = 110;

template <>
inline constexpr std::uint16_t message_number<QueryHistory> = 111;
template <>
inline constexpr std::uint16_t message_number<HistoryRows> = 112;
template <>
inline constexpr std::uint16_t message_number<SetTrigger> = 113;
template <>
inline constexpr std::uint16_t message_number<TriggerAdded> = 114;
template <>
inline constexpr std::uint16_t message_number<ClearTriggers> = 115;
template <>
inline constexpr std::uint16_t message_number<QueryTriggers> = 116;
template <>
inline constexpr std::uint16_t message_number<TriggerRows> = 117;
template <>
inline constexpr std::uint16_t message_number<UpdateCrontab> = 118;
template <>
inline constexpr std::uint16_t message_number<CrontabUpdated> = 119;
template <>
inline constexpr std::uint16_t message_number<GetCrontab> = 120;
template <>
inline constexpr std::uint16_t message_number<Crontab> = 121;

template <>
inline constexpr std::uint16_t message_number<CreateStep> = 200;
template <>
inline constexpr std::uint16_t message_number<StepCreated> = 201;
template <>
inline constexpr std::uint16_t message_number<LaunchTasks> = 202;
template <>
inline constexpr std::uint16_t message_number<ResumeStream> = 203;
template <>
inline constexpr std::uint16_t message_number<TasksStarted> = 204;
template <>
inline constexpr std::uint16_t message_number<TaskOutput> = 205;
template <>
inline constexpr std::uint16_t message_number<TaskInput> = 206;
template <>
inline constexpr std::uint16_t message_number<TaskEnded> = 207;
template <>
inline constexpr std::uint16_t message_number<SignalTasks> = 208;
template <>
inline constexpr std::uint16_t message_number<WindowChanged> = 209;
template <>
inline constexpr std::uint16_t message_number<StepOver> = 210;
template <>
inline constexpr std::uint16_t message_number<StepCredential> =
    211;  // signed, inside other messages
template <>
inline constexpr std::uint16_t message_number<StepFence> = 212;
template <>
inline constexpr std::uint16_t message_number<StepAbort> = 213;
template <>
inline constexpr std::uint16_t message_number<AttachStep> = 214;
template <>
inline constexpr std::uint16_t message_number<StepAttached> = 215;
template <>
inline constexpr std::uint16_t message_number<NodeOutcomes> = 216;
template <>
inline constexpr std::uint16_t message_number<QuerySteps> = 217;
template <>
inline constexpr std::uint16_t message_number<StepRows> = 218;
template <>
inline constexpr std::uint16_t message_number<QueryStepsHere> = 219;
template <>
inline constexpr std::uint16_t message_number<StepsHere> = 220;
template <>
inline constexpr std::uint16_t message_number<GetJobCredential> = 221;
template <>
inline constexpr std::uint16_t message_number<BcastChunk> = 222;
template <>
inline constexpr std::uint16_t message_number<SignalStep> = 223;
template <>
inline constexpr std::uint16_t message_number<TreeOrder> = 224;
template <>
inline constexpr std::uint16_t message_number<TreeAnswers> = 225;
template <>
inline constexpr std::uint16_t message_number<CreateHetStep> = 241;
template <>
inline constexpr std::uint16_t message_number<HetStepCreated> = 242;
template <>
inline constexpr std::uint16_t message_number<UpdateStep> = 251;
template <>
inline constexpr std::uint16_t message_number<NotifyJob> = 252;
template <>
inline constexpr std::uint16_t message_number<SetDebug> = 253;
template <>
inline constexpr std::uint16_t message_number<CreateNodes> = 254;
template <>
inline constexpr std::uint16_t message_number<DeleteNodes> = 255;
template <>
inline constexpr std::uint16_t message_number<OwnerNotice> = 256;

template <>
inline constexpr std::uint16_t message_number<NodeReport> = 300;
template <>
inline constexpr std::uint16_t message_number<LaunchJob> = 301;
template <>
inline constexpr std::uint16_t message_number<KillJob> = 302;
template <>
inline constexpr std::uint16_t message_number<SignalJob> = 303;
template <>
inline constexpr std::uint16_t message_number<ForgetAttempts> = 304;
template <>
inline constexpr std::uint16_t message_number<SuspendJob> = 305;
template <>
inline constexpr std::uint16_t message_number<RebootNode> = 306;
template <>
inline constexpr std::uint16_t message_number<LimitMemory> = 307;
template <>
inline constexpr std::uint16_t message_number<QueryNodes> = 310;
template <>
inline constexpr std::uint16_t message_number<NodeRows> = 311;
template <>
inline constexpr std::uint16_t message_number<QueryPartitions> = 312;
template <>
inline constexpr std::uint16_t message_number<PartitionRows> = 313;
template <>
inline constexpr std::uint16_t message_number<UpdateNodes> = 314;
template <>
inline constexpr std::uint16_t message_number<UpdatePartition> = 315;
template <>
inline constexpr std::uint16_t message_number<RebootNodes> = 316;

template <>
inline constexpr std::uint16_t message_number<UpdateReservation> = 320;
template <>
inline constexpr std::uint16_t message_number<ReservationCreated> = 321;
template <>
inline constexpr std::uint16_t message_number<QueryReservations> = 322;
template <>
inline constexpr std::uint16_t message_number<ReservationRows> = 323;
template <>
inline constexpr std::uint16_t message_number<QueryLicenses> = 324;
template <>
inline constexpr std::uint16_t message_number<LicenseRows> = 325;
template <>
inline constexpr std::uint16_t message_number<OpenX11> = 326;
template <>
inline constexpr std::uint16_t message_number<X11Opened> = 327;
template <>
inline constexpr std::uint16_t message_number<X11Data> = 328;
template <>
inline constexpr std::uint16_t message_number<Takeover> = 400;
template <>
inline constexpr std::uint16_t message_number<ControllerLeads> = 402;

// Flags of a frame. More: further frames of the same answer follow.
inline constexpr std::uint16_t kFlagMore = 1;
// Of a request: its correlation is the client's own number for it, drawn at random. Whoever asks
// again under the same number wants the same answer, and nothing done twice.
inline constexpr std::uint16_t kFlagKeyed = 2;

template <>
inline constexpr std::uint16_t message_number<RequestCertificate> = 385;
template <>
inline constexpr std::uint16_t message_number<CertificateIssued> = 386;
template <>
inline constexpr std::uint16_t message_number<TrustNews> = 387;
template <>
inline constexpr std::uint16_t message_number<JoinCluster> = 388;
template <>
inline constexpr std::uint16_t message_number<Joined> = 389;
template <>
inline constexpr std::uint16_t message_number<MakeJoinToken> = 390;
template <>
inline constexpr std::uint16_t message_number<RevokeCertificate> = 391;
template <>
inline constexpr std::uint16_t message_number<QueryCertificates> = 392;
template <>
inline constexpr std::uint16_t message_number<Certificates> = 393;

}  // namespace ym::wire
