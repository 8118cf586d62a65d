// SPDX-License-Identifier: Apache-2.0
// The first two bytes are a message's number, the rest is the message: every kind there is. What is
// accepted must encode and decode to itself. The seeds are the golden files.
#include <cstdlib>
#include <cstring>

#include "wire/backup_messages.h"
#include "wire/codec.h"
#include "wire/messages.h"

namespace {

using ym::wire::message_number;

template <class T>
void round_trip(std::string_view bytes) {
  auto first = ym::wire::decode<T>(bytes);
  if (!first) return;
  std::string canonical = ym::wire::encode(*first);
  auto second = ym::wire::decode<T>(canonical);
  if (!second || ym::wire::encode(*second) != canonical) std::abort();
  ym::wire::to_json(*first);
}

void try_as(std::uint16_t number, std::string_view bytes) {
  switch (number) {
    case message_number<ym::AlterAnswer>: return round_trip<ym::AlterAnswer>(bytes);
    case message_number<ym::AlterJobs>: return round_trip<ym::AlterJobs>(bytes);
    case message_number<ym::AttachStep>: return round_trip<ym::AttachStep>(bytes);
    case message_number<ym::BackupPart>: return round_trip<ym::BackupPart>(bytes);
    case message_number<ym::BackupState>: return round_trip<ym::BackupState>(bytes);
    case message_number<ym::BcastChunk>: return round_trip<ym::BcastChunk>(bytes);
    case message_number<ym::ClearTriggers>: return round_trip<ym::ClearTriggers>(bytes);
    case message_number<ym::ConfigAnswer>: return round_trip<ym::ConfigAnswer>(bytes);
    case message_number<ym::ConfigFiles>: return round_trip<ym::ConfigFiles>(bytes);
    case message_number<ym::CreateHetStep>: return round_trip<ym::CreateHetStep>(bytes);
    case message_number<ym::CreateNodes>: return round_trip<ym::CreateNodes>(bytes);
    case message_number<ym::CreateStep>: return round_trip<ym::CreateStep>(bytes);
    case message_number<ym::Crontab>: return round_trip<ym::Crontab>(bytes);
    case message_number<ym::CrontabUpdated>: return round_trip<ym::CrontabUpdated>(bytes);
    case message_number<ym::DeleteNodes>: return round_trip<ym::DeleteNodes>(bytes);
    case message_number<ym::Done>: return round_trip<ym::Done>(bytes);
    case message_number<ym::Events>: return round_trip<ym::Events>(bytes);
    case message_number<ym::Explanation>: return round_trip<ym::Explanation>(bytes);
    case message_number<ym::Failure>: return round_trip<ym::Failure>(bytes);
    case message_number<ym::FetchConfig>: return round_trip<ym::FetchConfig>(bytes);
    case message_number<ym::FollowEvents>: return round_trip<ym::FollowEvents>(bytes);
    case message_number<ym::ForgetAttempts>: return round_trip<ym::ForgetAttempts>(bytes);
    case message_number<ym::GetCrontab>: return round_trip<ym::GetCrontab>(bytes);
    case message_number<ym::GetJobCredential>: return round_trip<ym::GetJobCredential>(bytes);
    case message_number<ym::GetScript>: return round_trip<ym::GetScript>(bytes);
    case message_number<ym::GetToken>: return round_trip<ym::GetToken>(bytes);
    case message_number<ym::HetStepCreated>: return round_trip<ym::HetStepCreated>(bytes);
    case message_number<ym::HistoryRows>: return round_trip<ym::HistoryRows>(bytes);
    case message_number<ym::JobRows>: return round_trip<ym::JobRows>(bytes);
    case message_number<ym::KillJob>: return round_trip<ym::KillJob>(bytes);
    case message_number<ym::LaunchJob>: return round_trip<ym::LaunchJob>(bytes);
    case message_number<ym::LaunchTasks>: return round_trip<ym::LaunchTasks>(bytes);
    case message_number<ym::LicenseRows>: return round_trip<ym::LicenseRows>(bytes);
    case message_number<ym::NodeOutcomes>: return round_trip<ym::NodeOutcomes>(bytes);
    case message_number<ym::NodeReport>: return round_trip<ym::NodeReport>(bytes);
    case message_number<ym::NodeRows>: return round_trip<ym::NodeRows>(bytes);
    case message_number<ym::NotifyJob>: return round_trip<ym::NotifyJob>(bytes);
    case message_number<ym::OpenX11>: return round_trip<ym::OpenX11>(bytes);
    case message_number<ym::OwnerNotice>: return round_trip<ym::OwnerNotice>(bytes);
    case message_number<ym::PartitionRows>: return round_trip<ym::PartitionRows>(bytes);
    case message_number<ym::Ping>: return round_trip<ym::Ping>(bytes);
    case message_number<ym::Pong>: return round_trip<ym::Pong>(bytes);
    case message_number<ym::QueryConfig>: return round_trip<ym::QueryConfig>(bytes);
    case message_number<ym::QueryExplanation>: return round_trip<ym::QueryExplanation>(bytes);
    case message_number<ym::QueryHistory>: return round_trip<ym::QueryHistory>(bytes);
    case message_number<ym::QueryJobs>: return round_trip<ym::QueryJobs>(bytes);
    case message_number<ym::QueryLicenses>: return round_trip<ym::QueryLicenses>(bytes);
    case message_number<ym::QueryNodes>: return round_trip<ym::QueryNodes>(bytes);
    case message_number<ym::QueryPartitions>: return round_trip<ym::QueryPartitions>(bytes);
    case message_number<ym::QueryReservations>: return round_trip<ym::QueryReservations>(bytes);
    case message_number<ym::QueryStatistics>: return round_trip<ym::QueryStatistics>(bytes);
    case message_number<ym::QuerySteps>: return round_trip<ym::QuerySteps>(bytes);
    case message_number<ym::QueryStepsHere>: return round_trip<ym::QueryStepsHere>(bytes);
    case message_number<ym::QueryTriggers>: return round_trip<ym::QueryTriggers>(bytes);
    case message_number<ym::RebootNode>: return round_trip<ym::RebootNode>(bytes);
    case message_number<ym::RebootNodes>: return round_trip<ym::RebootNodes>(bytes);
    case message_number<ym::Reconfigure>: return round_trip<ym::Reconfigure>(bytes);
    case message_number<ym::ReservationCreated>: return round_trip<ym::ReservationCreated>(bytes);
    case message_number<ym::ReservationRows>: return round_trip<ym::ReservationRows>(bytes);
    case message_number<ym::ResumeStream>: return round_trip<ym::ResumeStream>(bytes);
    case message_number<ym::Script>: return round_trip<ym::Script>(bytes);
    case message_number<ym::SetDebug>: return round_trip<ym::SetDebug>(bytes);
    case message_number<ym::SetTrigger>: return round_trip<ym::SetTrigger>(bytes);
    case message_number<ym::Shutdown>: return round_trip<ym::Shutdown>(bytes);
    case message_number<ym::SignalJob>: return round_trip<ym::SignalJob>(bytes);
    case message_number<ym::SignalStep>: return round_trip<ym::SignalStep>(bytes);
    case message_number<ym::SignalTasks>: return round_trip<ym::SignalTasks>(bytes);
    case message_number<ym::Statistics>: return round_trip<ym::Statistics>(bytes);
    case message_number<ym::StepAbort>: return round_trip<ym::StepAbort>(bytes);
    case message_number<ym::StepAttached>: return round_trip<ym::StepAttached>(bytes);
    case message_number<ym::StepCreated>: return round_trip<ym::StepCreated>(bytes);
    case message_number<ym::StepCredential>: return round_trip<ym::StepCredential>(bytes);
    case message_number<ym::StepFence>: return round_trip<ym::StepFence>(bytes);
    case message_number<ym::StepOver>: return round_trip<ym::StepOver>(bytes);
    case message_number<ym::StepRows>: return round_trip<ym::StepRows>(bytes);
    case message_number<ym::StepsHere>: return round_trip<ym::StepsHere>(bytes);
    case message_number<ym::SubmitAnswer>: return round_trip<ym::SubmitAnswer>(bytes);
    case message_number<ym::SubmitJob>: return round_trip<ym::SubmitJob>(bytes);
    case message_number<ym::SuspendJob>: return round_trip<ym::SuspendJob>(bytes);
    case message_number<ym::TaskEnded>: return round_trip<ym::TaskEnded>(bytes);
    case message_number<ym::TaskInput>: return round_trip<ym::TaskInput>(bytes);
    case message_number<ym::TaskOutput>: return round_trip<ym::TaskOutput>(bytes);
    case message_number<ym::TasksStarted>: return round_trip<ym::TasksStarted>(bytes);
    case message_number<ym::Token>: return round_trip<ym::Token>(bytes);
    case message_number<ym::TreeAnswers>: return round_trip<ym::TreeAnswers>(bytes);
    case message_number<ym::TreeOrder>: return round_trip<ym::TreeOrder>(bytes);
    case message_number<ym::TriggerAdded>: return round_trip<ym::TriggerAdded>(bytes);
    case message_number<ym::TriggerRows>: return round_trip<ym::TriggerRows>(bytes);
    case message_number<ym::UpdateCrontab>: return round_trip<ym::UpdateCrontab>(bytes);
    case message_number<ym::UpdateNodes>: return round_trip<ym::UpdateNodes>(bytes);
    case message_number<ym::UpdatePartition>: return round_trip<ym::UpdatePartition>(bytes);
    case message_number<ym::UpdateReservation>: return round_trip<ym::UpdateReservation>(bytes);
    case message_number<ym::UpdateStep>: return round_trip<ym::UpdateStep>(bytes);
    case message_number<ym::WatchJob>: return round_trip<ym::WatchJob>(bytes);
    case message_number<ym::WindowChanged>: return round_trip<ym::WindowChanged>(bytes);
    case message_number<ym::X11Data>: return round_trip<ym::X11Data>(bytes);
    case message_number<ym::X11Opened>: return round_trip<ym::X11Opened>(bytes);
    default: return round_trip<ym::Event>(bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint16_t number = 0;
  if (size < sizeof number) return 0;
  std::memcpy(&number, data, sizeof number);
  try_as(number, {reinterpret_cast<const char*>(data) + sizeof number, size - sizeof number});
  return 0;
}
