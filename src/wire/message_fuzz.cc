// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the message; what is accepted must encode and decode to itself.
#include <cstdlib>

#include "wire/codec.h"
#include "wire/messages.h"
#include "wire/round_trip_for_fuzz.h"
#include "wire/snapshot.h"

using ym::wire::round_trip;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 42) {
    case 0: round_trip<ym::SubmitJob>(bytes); break;
    case 1: round_trip<ym::AlterJobs>(bytes); break;
    case 2: round_trip<ym::QueryJobs>(bytes); break;
    case 3: round_trip<ym::NodeReport>(bytes); break;
    case 4: round_trip<ym::LaunchJob>(bytes); break;
    case 5: round_trip<ym::LaunchTasks>(bytes); break;
    case 6: round_trip<ym::StepCredential>(bytes); break;
    case 7: round_trip<ym::CreateStep>(bytes); break;
    case 8: round_trip<ym::Event>(bytes); break;
    case 9: round_trip<ym::JobRows>(bytes); break;
    case 10: round_trip<ym::NodeRows>(bytes); break;
    case 11: round_trip<ym::PartitionRows>(bytes); break;
    case 12: round_trip<ym::UpdateNodes>(bytes); break;
    case 13: round_trip<ym::UpdatePartition>(bytes); break;
    case 14: round_trip<ym::Events>(bytes); break;
    case 16: round_trip<ym::StepFence>(bytes); break;
    case 17: round_trip<ym::AttachStep>(bytes); break;
    case 18: round_trip<ym::StepRows>(bytes); break;
    case 19: round_trip<ym::StepsHere>(bytes); break;
    case 20: round_trip<ym::BcastChunk>(bytes); break;
    case 21: round_trip<ym::SignalStep>(bytes); break;
    case 22: round_trip<ym::NodeOutcomes>(bytes); break;
    case 23: round_trip<ym::SuspendJob>(bytes); break;
    case 24: round_trip<ym::TaskInput>(bytes); break;
    case 25: round_trip<ym::TreeOrder>(bytes); break;
    case 26: round_trip<ym::TreeAnswers>(bytes); break;
    case 27: round_trip<ym::RebootNodes>(bytes); break;
    case 28: round_trip<ym::RebootNode>(bytes); break;
    case 29: round_trip<ym::CreateHetStep>(bytes); break;
    case 30: round_trip<ym::HetStepCreated>(bytes); break;
    case 31: round_trip<ym::HistoryRows>(bytes); break;
    case 32: round_trip<ym::SetTrigger>(bytes); break;
    case 33: round_trip<ym::UpdateCrontab>(bytes); break;
    case 34: round_trip<ym::OpenX11>(bytes); break;
    case 35: round_trip<ym::X11Opened>(bytes); break;
    case 36: round_trip<ym::X11Data>(bytes); break;
    case 37: round_trip<ym::RequestCertificate>(bytes); break;
    case 38: round_trip<ym::TrustNews>(bytes); break;
    case 39: round_trip<ym::Joined>(bytes); break;
    case 40: round_trip<ym::Certificates>(bytes); break;
    case 41: round_trip<ym::LimitMemory>(bytes); break;
    case 15: {
      ym::wire::SnapshotReader reader;
      if (reader.add(bytes)) static_cast<void>(reader.finish());
      break;
    }
  }
  return 0;
}
