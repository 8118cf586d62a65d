// SPDX-License-Identifier: Apache-2.0
// The events of the log. NUMBERS ARE NEVER CHANGED OR REUSED, neither an event's nor a field's.
#pragma once
#include "model/event.h"
#include "wire/codec_impl.h"
#include "wire/schema/event_numbers.h"
#include "wire/schema/model.h"
#include "wire/schema/preempt_event.h"
#include "wire/schema/reservation.h"
#include "wire/schema/trigger.h"

namespace ym::wire {

template <class F>
void fields(F&&, const UnknownEvent*) {}

template <class F>
void fields(F&& f, const ClusterFounded*) {
  f(1, "name", &ClusterFounded::name);
  f(2, "first_job_id", &ClusterFounded::first_job_id);
}
template <class F>
void fields(F&& f, const NodeDefinition*) {
  f(1, "node", &NodeDefinition::node);
  f(2, "spec", &NodeDefinition::spec);
}
template <class F>
void fields(F&& f, const NodesDefined*) {
  f(1, "nodes", &NodesDefined::nodes);
}
template <class F>
void fields(F&& f, const NodeRemoved*) {
  f(1, "node", &NodeRemoved::node);
}
template <class F>
void fields(F&& f, const PartitionDefined*) {
  f(1, "partition", &PartitionDefined::partition);
  f(2, "spec", &PartitionDefined::spec);
  f(3, "nodes", &PartitionDefined::nodes);
}
template <class F>
void fields(F&& f, const PartitionRemoved*) {
  f(1, "partition", &PartitionRemoved::partition);
}
template <class F>
void fields(F&& f, const NodeRegistered*) {
  f(1, "node", &NodeRegistered::node);
  f(2, "registration", &NodeRegistered::registration);
}
template <class F>
void fields(F&& f, const NodeResponded*) {
  f(1, "node", &NodeResponded::node);
}
template <class F>
void fields(F&& f, const NodeStoppedResponding*) {
  f(1, "node", &NodeStoppedResponding::node);
}
template <class F>
void fields(F&& f, const NodeStateChanged*) {
  f(1, "node", &NodeStateChanged::node);
  f(2, "condition", &NodeStateChanged::condition);
  f(3, "drain", &NodeStateChanged::drain);
  f(4, "fail", &NodeStateChanged::fail);
  f(5, "down_by_admin", &NodeStateChanged::down_by_admin);
  f(6, "reason", &NodeStateChanged::reason);
  f(7, "by", &NodeStateChanged::by);
}
template <class F>
void fields(F&& f, const NodeRebootChanged*) {
  f(1, "node", &NodeRebootChanged::node);
  f(2, "reboot", &NodeRebootChanged::reboot);
}
template <class F>
void fields(F&& f, const NodePowerChanged*) {
  f(1, "node", &NodePowerChanged::node);
  f(2, "power", &NodePowerChanged::power);
}
template <class F>
void fields(F&& f, const JobShrunk*) {
  f(1, "job", &JobShrunk::job);
  f(2, "spec", &JobShrunk::spec);
  f(3, "allocation", &JobShrunk::allocation);
  f(4, "leaving", &JobShrunk::leaving);
}
template <class F>
void fields(F&& f, const JobMemoryWanted*) {
  f(1, "job", &JobMemoryWanted::job);
  f(2, "memory_mb", &JobMemoryWanted::memory_mb);
  f(3, "looked", &JobMemoryWanted::looked);
}
template <class F>
void fields(F&& f, const JobMemoryLowered*) {
  f(1, "job", &JobMemoryLowered::job);
  f(2, "allocation", &JobMemoryLowered::allocation);
}
template <class F>
void fields(F&& f, const NodeNoted*) {
  f(1, "node", &NodeNoted::node);
  f(2, "comment", &NodeNoted::comment);
  f(3, "extra", &NodeNoted::extra);
  f(4, "instance_id", &NodeNoted::instance_id);
  f(5, "instance_type", &NodeNoted::instance_type);
  f(6, "cpu_bind", &NodeNoted::cpu_bind);
  f(7, "active_features", &NodeNoted::active_features);
  f(8, "features_chosen", &NodeNoted::features_chosen);
  f(9, "resume_after", &NodeNoted::resume_after);
}
template <class F>
void fields(F&& f, const ReservationDefined*) {
  f(1, "reservation", &ReservationDefined::reservation);
}
template <class F>
void fields(F&& f, const ReservationRemoved*) {
  f(1, "reservation", &ReservationRemoved::reservation);
}
template <class F>
void fields(F&& f, const LicensesDefined*) {
  f(1, "licenses", &LicensesDefined::licenses);
}
template <class F>
void fields(F&& f, const JobEpilogEnded*) {
  f(1, "job", &JobEpilogEnded::job);
}
template <class F>
void fields(F&& f, const JobSubmitted*) {
  f(1, "job", &JobSubmitted::job);
  f(2, "sluid", &JobSubmitted::sluid);
  f(3, "spec", &JobSubmitted::spec);
  f(4, "array", &JobSubmitted::array);
  f(5, "dependency", &JobSubmitted::dependency);
  f(6, "holds", &JobSubmitted::holds);
  f(7, "priority", &JobSubmitted::priority);
  f(8, "het_job", &JobSubmitted::het_job);
  f(9, "het_offset", &JobSubmitted::het_offset);
  f(10, "het_count", &JobSubmitted::het_count);
  f(110, "submission", &JobSubmitted::submission);
}
template <class F>
void fields(F&& f, const ArrayTaskSplit*) {
  f(1, "array_job", &ArrayTaskSplit::array_job);
  f(2, "task", &ArrayTaskSplit::task);
  f(3, "job", &ArrayTaskSplit::job);
  f(4, "sluid", &ArrayTaskSplit::sluid);
}
template <class F>
void fields(F&& f, const JobUpdated*) {
  f(1, "job", &JobUpdated::job);
  f(2, "spec", &JobUpdated::spec);
  f(3, "holds", &JobUpdated::holds);
  f(4, "priority", &JobUpdated::priority);
  f(5, "dependency", &JobUpdated::dependency);
  f(6, "dependency_failed", &JobUpdated::dependency_failed);
  f(7, "array_max_running", &JobUpdated::array_max_running);
  f(8, "limit_end", &JobUpdated::limit_end);
  f(20, "special_exit", &JobUpdated::special_exit);
}
template <class F>
void fields(F&& f, const ArrayTasksCancelled*) {
  f(1, "array_job", &ArrayTasksCancelled::array_job);
  f(2, "tasks", &ArrayTasksCancelled::tasks);
  f(3, "by", &ArrayTasksCancelled::by);
}
template <class F>
void fields(F&& f, const JobStarted*) {
  f(1, "job", &JobStarted::job);
  f(2, "partition", &JobStarted::partition);
  f(3, "allocation", &JobStarted::allocation);
  f(4, "limit_end", &JobStarted::limit_end);
  f(5, "configuring", &JobStarted::configuring);
}
template <class F>
void fields(F&& f, const JobConfigured*) {
  f(1, "job", &JobConfigured::job);
  f(2, "limit_end", &JobConfigured::limit_end);
}
template <class F>
void fields(F&& f, const JobLaunched*) {
  f(1, "job", &JobLaunched::job);
}
template <class F>
void fields(F&& f, const AllocationChanged*) {
  f(1, "job", &AllocationChanged::job);
  f(2, "allocation", &AllocationChanged::allocation);
}
template <class F>
void fields(F&& f, const JobFinished*) {
  f(1, "job", &JobFinished::job);
  f(2, "state", &JobFinished::state);
  f(3, "reason", &JobFinished::reason);
  f(4, "exit", &JobFinished::exit);
  f(5, "by", &JobFinished::by);
  f(6, "requeue", &JobFinished::requeue);
  f(7, "epilog", &JobFinished::epilog);
}
template <class F>
void fields(F&& f, const JobNodeReleased*) {
  f(1, "job", &JobNodeReleased::job);
  f(2, "node", &JobNodeReleased::node);
}
template <class F>
void fields(F&& f, const JobRequeued*) {
  f(1, "job", &JobRequeued::job);
  f(2, "sluid", &JobRequeued::sluid);
  f(3, "begin", &JobRequeued::begin);
  f(4, "holds", &JobRequeued::holds);
  f(5, "reason", &JobRequeued::reason);
  f(20, "special_exit", &JobRequeued::special_exit);
}
template <class F>
void fields(F&& f, const JobSuspended*) {
  f(1, "job", &JobSuspended::job);
}
template <class F>
void fields(F&& f, const JobResumed*) {
  f(1, "job", &JobResumed::job);
}
template <class F>
void fields(F&& f, const JobForgotten*) {
  f(1, "job", &JobForgotten::job);
}
template <class F>
void fields(F&& f, const StepStarted*) {
  f(1, "job", &StepStarted::job);
  f(2, "step", &StepStarted::step);
}
template <class F>
void fields(F&& f, const StepUpdated*) {
  f(1, "job", &StepUpdated::job);
  f(2, "step", &StepUpdated::step);
  f(3, "limit_end", &StepUpdated::limit_end);
}
template <class F>
void fields(F&& f, const StepNodeEnded*) {
  f(1, "job", &StepNodeEnded::job);
  f(2, "step", &StepNodeEnded::step);
  f(3, "node", &StepNodeEnded::node);
  f(4, "exit", &StepNodeEnded::exit);
  f(5, "usage", &StepNodeEnded::usage);
  f(6, "out_of_memory", &StepNodeEnded::out_of_memory);
}
template <class F>
void fields(F&& f, const StepEnded*) {
  f(1, "job", &StepEnded::job);
  f(2, "step", &StepEnded::step);
  f(3, "exit", &StepEnded::exit);
  f(4, "usage", &StepEnded::usage);
  f(5, "out_of_memory", &StepEnded::out_of_memory);
}
template <class F>
void fields(F&& f, const RequestAnswered*) {
  f(1, "by", &RequestAnswered::by);
  f(2, "key", &RequestAnswered::key);
  f(3, "type", &RequestAnswered::type);
  f(4, "answer", &RequestAnswered::answer);
}
template <class F>
void fields(F&& f, const Event*) {
  f(1, "seq", &Event::seq);
  f(2, "at", &Event::at);
  f(0, "body", &Event::body);  // takes the numbers of variant_number above
}

}  // namespace ym::wire
