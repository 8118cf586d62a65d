// SPDX-License-Identifier: Apache-2.0
// The number of each event in the log. NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/event.h"
#include "wire/codec_impl.h"

namespace ym::wire {

template <>
inline constexpr std::uint32_t variant_number<UnknownEvent> = 9;
template <>
inline constexpr std::uint32_t variant_number<ClusterFounded> = 10;
template <>
inline constexpr std::uint32_t variant_number<NodesDefined> = 11;
template <>
inline constexpr std::uint32_t variant_number<NodeRemoved> = 12;
template <>
inline constexpr std::uint32_t variant_number<PartitionDefined> = 13;
template <>
inline constexpr std::uint32_t variant_number<PartitionRemoved> = 14;
template <>
inline constexpr std::uint32_t variant_number<NodeRegistered> = 20;
template <>
inline constexpr std::uint32_t variant_number<NodeResponded> = 21;
template <>
inline constexpr std::uint32_t variant_number<NodeStoppedResponding> = 22;
template <>
inline constexpr std::uint32_t variant_number<NodeStateChanged> = 23;
template <>
inline constexpr std::uint32_t variant_number<NodeRebootChanged> = 24;
template <>
inline constexpr std::uint32_t variant_number<NodeNoted> = 25;
template <>
inline constexpr std::uint32_t variant_number<ReservationDefined> = 60;
template <>
inline constexpr std::uint32_t variant_number<ReservationRemoved> = 61;
template <>
inline constexpr std::uint32_t variant_number<LicensesDefined> = 62;
template <>
inline constexpr std::uint32_t variant_number<JobSubmitted> = 30;
template <>
inline constexpr std::uint32_t variant_number<ArrayTaskSplit> = 31;
template <>
inline constexpr std::uint32_t variant_number<JobUpdated> = 32;
template <>
inline constexpr std::uint32_t variant_number<ArrayTasksCancelled> = 33;
template <>
inline constexpr std::uint32_t variant_number<JobStarted> = 34;
template <>
inline constexpr std::uint32_t variant_number<AllocationChanged> = 35;
template <>
inline constexpr std::uint32_t variant_number<JobFinished> = 36;
template <>
inline constexpr std::uint32_t variant_number<JobNodeReleased> = 37;
template <>
inline constexpr std::uint32_t variant_number<JobRequeued> = 38;
template <>
inline constexpr std::uint32_t variant_number<JobSuspended> = 39;
template <>
inline constexpr std::uint32_t variant_number<JobResumed> = 40;
template <>
inline constexpr std::uint32_t variant_number<JobForgotten> = 41;
template <>
inline constexpr std::uint32_t variant_number<JobLaunched> = 42;
template <>
inline constexpr std::uint32_t variant_number<JobConfigured> = 43;
template <>
inline constexpr std::uint32_t variant_number<JobEpilogEnded> = 44;
template <>
inline constexpr std::uint32_t variant_number<StepStarted> = 50;
template <>
inline constexpr std::uint32_t variant_number<StepNodeEnded> = 51;
template <>
inline constexpr std::uint32_t variant_number<StepEnded> = 52;
template <>
inline constexpr std::uint32_t variant_number<StepUpdated> = 78;

template <>
inline constexpr std::uint32_t variant_number<NodePowerChanged> = 79;
template <>
inline constexpr std::uint32_t variant_number<JobShrunk> = 80;

template <>
inline constexpr std::uint32_t variant_number<RequestAnswered> = 125;
template <>
inline constexpr std::uint32_t variant_number<JobMemoryWanted> = 130;
template <>
inline constexpr std::uint32_t variant_number<JobMemoryLowered> = 131;

}  // namespace ym::wire
