// SPDX-License-Identifier: Apache-2.0
// What the controller and the nodes say to each other.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/node_messages.h"
#include "wire/schema/model.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const AttemptReport*) {
  f(1, "job", &AttemptReport::job);
  f(2, "sluid", &AttemptReport::sluid);
  f(3, "phase", &AttemptReport::phase);
  f(4, "batch", &AttemptReport::batch);
  f(5, "batch_ended", &AttemptReport::batch_ended);
  f(6, "exit", &AttemptReport::exit);
  f(7, "error", &AttemptReport::error);
  f(8, "out_of_memory", &AttemptReport::out_of_memory);
  f(9, "prepared", &AttemptReport::prepared);
  f(10, "prolog_failed", &AttemptReport::prolog_failed);
  f(11, "usage", &AttemptReport::usage);
  f(12, "suspended", &AttemptReport::suspended);
  f(13, "cpu_ids", &AttemptReport::cpu_ids);
  f(14, "launch_failed", &AttemptReport::launch_failed);
}
template <class F>
void fields(F&& f, const StepReport*) {
  f(1, "job", &StepReport::job);
  f(2, "sluid", &StepReport::sluid);
  f(3, "step", &StepReport::step);
  f(4, "exit", &StepReport::exit);
  f(5, "usage", &StepReport::usage);
  f(6, "out_of_memory", &StepReport::out_of_memory);
}
template <class F>
void fields(F&& f, const MemoryReport*) {
  f(1, "job", &MemoryReport::job);
  f(2, "sluid", &MemoryReport::sluid);
  f(3, "asked_mb", &MemoryReport::asked_mb);
  f(4, "limit_mb", &MemoryReport::limit_mb);
  f(5, "used_mb", &MemoryReport::used_mb);
}
template <class F>
void fields(F&& f, const NodeReport*) {
  f(1, "node", &NodeReport::node);
  f(2, "complete", &NodeReport::complete);
  f(3, "registration", &NodeReport::registration);
  f(4, "attempts", &NodeReport::attempts);
  f(5, "ended_steps", &NodeReport::ended_steps);
  f(6, "cpu_load", &NodeReport::cpu_load);
  f(7, "free_memory_mb", &NodeReport::free_memory_mb);
  f(8, "drain_reason", &NodeReport::drain_reason);
  f(20, "memory", &NodeReport::memory);
}
template <class F>
void fields(F&& f, const HetComponent*) {
  f(1, "job", &HetComponent::job);
  f(2, "spec", &HetComponent::spec);
  f(3, "nodes", &HetComponent::nodes);
  f(4, "partition", &HetComponent::partition);
  f(5, "cpus", &HetComponent::cpus);
  f(6, "tasks", &HetComponent::tasks);
}
template <class F>
void fields(F&& f, const LaunchJob*) {
  f(1, "job", &LaunchJob::job);
  f(2, "sluid", &LaunchJob::sluid);
  f(3, "spec", &LaunchJob::spec);
  f(4, "script", &LaunchJob::script);
  f(5, "environment", &LaunchJob::environment);
  f(6, "array_job", &LaunchJob::array_job);
  f(7, "array_task", &LaunchJob::array_task);
  f(8, "array_count", &LaunchJob::array_count);
  f(9, "array_min", &LaunchJob::array_min);
  f(10, "array_max", &LaunchJob::array_max);
  f(11, "array_step", &LaunchJob::array_step);
  f(12, "restarts", &LaunchJob::restarts);
  f(13, "cluster", &LaunchJob::cluster);
  f(14, "partition", &LaunchJob::partition);
  f(15, "nodes", &LaunchJob::nodes);
  f(16, "cpus", &LaunchJob::cpus);
  f(17, "tasks", &LaunchJob::tasks);
  f(18, "memory_mb", &LaunchJob::memory_mb);
  f(19, "start", &LaunchJob::start);
  f(20, "limit_end", &LaunchJob::limit_end);
  f(21, "prepare_only", &LaunchJob::prepare_only);
  f(22, "memory_by_node_mb", &LaunchJob::memory_by_node_mb);
  f(40, "gres", &LaunchJob::gres);
  f(50, "het_job", &LaunchJob::het_job);
  f(51, "components", &LaunchJob::components);
  f(52, "sharing", &LaunchJob::sharing);
  f(53, "rows", &LaunchJob::rows);
}
template <class F>
void fields(F&& f, const SuspendJob*) {
  f(1, "job", &SuspendJob::job);
  f(2, "sluid", &SuspendJob::sluid);
  f(3, "suspend", &SuspendJob::suspend);
}
template <class F>
void fields(F&& f, const LimitMemory*) {
  f(1, "job", &LimitMemory::job);
  f(2, "sluid", &LimitMemory::sluid);
  f(3, "memory_mb", &LimitMemory::memory_mb);
}
template <class F>
void fields(F&& f, const KillJob*) {
  f(1, "job", &KillJob::job);
  f(2, "sluid", &KillJob::sluid);
  f(3, "grace", &KillJob::grace);
  f(4, "cause", &KillJob::cause);
  f(5, "spec", &KillJob::spec);
  f(6, "nodes", &KillJob::nodes);
  f(7, "partition", &KillJob::partition);
  f(8, "cluster", &KillJob::cluster);
  f(9, "exit", &KillJob::exit);
  f(10, "start", &KillJob::start);
  f(11, "end", &KillJob::end);
  f(12, "array_job", &KillJob::array_job);
  f(13, "array_task", &KillJob::array_task);
  f(14, "restarts", &KillJob::restarts);
  f(40, "gres", &KillJob::gres);
  f(41, "sharing", &KillJob::sharing);
}
template <class F>
void fields(F&& f, const SignalJob*) {
  f(1, "job", &SignalJob::job);
  f(2, "sluid", &SignalJob::sluid);
  f(3, "signal", &SignalJob::signal);
  f(4, "batch_only", &SignalJob::batch_only);
  f(5, "whole_job", &SignalJob::whole_job);
  f(6, "step", &SignalJob::step);
  f(7, "cause", &SignalJob::cause);
}
template <class F>
void fields(F&& f, const ForgetAttempts*) {
  f(1, "attempts", &ForgetAttempts::attempts);
  f(2, "steps", &ForgetAttempts::steps);
}
template <class F>
void fields(F&& f, const QueryNodes*) {
  f(1, "nodes", &QueryNodes::nodes);
}
template <class F>
void fields(F&& f, const NodeRow*) {
  f(1, "node", &NodeRow::node);
  f(2, "partitions", &NodeRow::partitions);
  f(3, "cpu_load", &NodeRow::cpu_load);
  f(4, "free_memory_mb", &NodeRow::free_memory_mb);
  f(5, "reservation", &NodeRow::reservation);
}
template <class F>
void fields(F&& f, const NodeRows*) {
  f(1, "rows", &NodeRows::rows);
}
template <class F>
void fields(F&& f, const QueryPartitions*) {
  f(1, "name", &QueryPartitions::name);
  f(2, "hide", &QueryPartitions::hide);
}
template <class F>
void fields(F&& f, const PartitionRow*) {
  f(1, "partition", &PartitionRow::partition);
  f(2, "cpus", &PartitionRow::cpus);
  f(3, "node_count", &PartitionRow::node_count);
  f(10, "memory_mb", &PartitionRow::memory_mb);
}
template <class F>
void fields(F&& f, const PartitionRows*) {
  f(1, "rows", &PartitionRows::rows);
}
template <class F>
void fields(F&& f, const UpdateNodes*) {
  f(1, "nodes", &UpdateNodes::nodes);
  f(2, "state", &UpdateNodes::state);
  f(3, "reason", &UpdateNodes::reason);
  f(4, "features", &UpdateNodes::features);
  f(5, "weight", &UpdateNodes::weight);
  f(6, "comment", &UpdateNodes::comment);
  f(7, "extra", &UpdateNodes::extra);
  f(8, "gres", &UpdateNodes::gres);
  f(9, "address", &UpdateNodes::address);
  f(10, "hostname", &UpdateNodes::hostname);
  f(20, "active_features", &UpdateNodes::active_features);
  f(21, "instance_id", &UpdateNodes::instance_id);
  f(22, "instance_type", &UpdateNodes::instance_type);
  f(23, "cpu_bind", &UpdateNodes::cpu_bind);
  f(24, "resume_after_s", &UpdateNodes::resume_after_s);
}
template <class F>
void fields(F&& f, const RebootNodes*) {
  f(1, "nodes", &RebootNodes::nodes);
  f(2, "asap", &RebootNodes::asap);
  f(3, "next", &RebootNodes::next);
  f(4, "reason", &RebootNodes::reason);
  f(5, "cancel", &RebootNodes::cancel);
  f(6, "force", &RebootNodes::force);
}
template <class F>
void fields(F&& f, const RebootNode*) {
  f(1, "asked", &RebootNode::asked);
}
template <class F>
void fields(F&& f, const UpdatePartition*) {
  f(1, "spec", &UpdatePartition::spec);
  f(2, "changed", &UpdatePartition::changed);
  f(3, "create", &UpdatePartition::create);
  f(4, "remove", &UpdatePartition::remove);
}
template <class F>
void fields(F&& f, const NotifyJob*) {
  f(1, "job", &NotifyJob::job);
  f(2, "sluid", &NotifyJob::sluid);
  f(3, "text", &NotifyJob::text);
}
template <class F>
void fields(F&& f, const CreateNodes*) {
  f(1, "nodes", &CreateNodes::nodes);
}
template <class F>
void fields(F&& f, const DeleteNodes*) {
  f(1, "nodes", &DeleteNodes::nodes);
}

}  // namespace ym::wire
