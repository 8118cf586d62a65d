// SPDX-License-Identifier: Apache-2.0
// Collective operations, attaching, and what is asked about steps.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/bcast_messages.h"
#include "model/tree_messages.h"
#include "wire/schema/step_messages.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const StepFence*) {
  f(1, "key", &StepFence::key);
  f(2, "node", &StepFence::node);
  f(3, "nodes", &StepFence::nodes);
  f(4, "data", &StepFence::data);
}
template <class F>
void fields(F&& f, const StepAbort*) {
  f(1, "task", &StepAbort::task);
  f(2, "status", &StepAbort::status);
  f(3, "text", &StepAbort::text);
}
template <class F>
void fields(F&& f, const AttachStep*) {
  f(1, "job", &AttachStep::job);
  f(2, "step", &AttachStep::step);
  f(3, "task", &AttachStep::task);
  f(4, "input", &AttachStep::input);
}
template <class F>
void fields(F&& f, const StepAttached*) {
  f(1, "tasks", &StepAttached::tasks);
  f(2, "node", &StepAttached::node);
  f(3, "pty", &StepAttached::pty);
}
template <class F>
void fields(F&& f, const NodeOutcome*) {
  f(1, "node", &NodeOutcome::node);
  f(2, "error", &NodeOutcome::error);
}
template <class F>
void fields(F&& f, const NodeOutcomes*) {
  f(1, "outcomes", &NodeOutcomes::outcomes);
}
template <class F>
void fields(F&& f, const QuerySteps*) {
  f(1, "job", &QuerySteps::job);
  f(2, "step", &QuerySteps::step);
  f(3, "hide", &QuerySteps::hide);
}
template <class F>
void fields(F&& f, const StepRow*) {
  f(1, "job", &StepRow::job);
  f(2, "array_job", &StepRow::array_job);
  f(3, "array_task", &StepRow::array_task);
  f(4, "uid", &StepRow::uid);
  f(5, "user_name", &StepRow::user_name);
  f(6, "partition", &StepRow::partition);
  f(7, "step", &StepRow::step);
  f(8, "nodes", &StepRow::nodes);
  f(9, "addresses", &StepRow::addresses);
  f(10, "end", &StepRow::end);
  f(29, "het_job", &StepRow::het_job);
  f(30, "het_offset", &StepRow::het_offset);
}
template <class F>
void fields(F&& f, const StepRows*) {
  f(1, "rows", &StepRows::rows);
}
template <class F>
void fields(F&& f, const QueryStepsHere*) {
  f(1, "job", &QueryStepsHere::job);
  f(2, "step", &QueryStepsHere::step);
}
template <class F>
void fields(F&& f, const TaskHere*) {
  f(1, "local", &TaskHere::local);
  f(2, "usage", &TaskHere::usage);
  f(3, "ended", &TaskHere::ended);
}
template <class F>
void fields(F&& f, const StepHere*) {
  f(1, "job", &StepHere::job);
  f(2, "sluid", &StepHere::sluid);
  f(3, "step", &StepHere::step);
  f(4, "uid", &StepHere::uid);
  f(5, "node", &StepHere::node);
  f(6, "start", &StepHere::start);
  f(7, "tasks", &StepHere::tasks);
  f(8, "pids", &StepHere::pids);
}
template <class F>
void fields(F&& f, const StepsHere*) {
  f(1, "rows", &StepsHere::rows);
}
template <class F>
void fields(F&& f, const GetJobCredential*) {
  f(1, "job", &GetJobCredential::job);
}
template <class F>
void fields(F&& f, const BcastChunk*) {
  f(1, "credential", &BcastChunk::credential);
  f(2, "signature", &BcastChunk::signature);
  f(3, "path", &BcastChunk::path);
  f(4, "work_dir", &BcastChunk::work_dir);
  f(5, "mode", &BcastChunk::mode);
  f(6, "modified", &BcastChunk::modified);
  f(7, "accessed", &BcastChunk::accessed);
  f(8, "preserve", &BcastChunk::preserve);
  f(9, "force", &BcastChunk::force);
  f(10, "offset", &BcastChunk::offset);
  f(11, "data", &BcastChunk::data);
  f(12, "raw_size", &BcastChunk::raw_size);
  f(13, "checksum", &BcastChunk::checksum);
  f(14, "last", &BcastChunk::last);
  f(15, "file_size", &BcastChunk::file_size);
  f(16, "forward", &BcastChunk::forward);
  f(17, "tree_width", &BcastChunk::tree_width);
}
template <class F>
void fields(F&& f, const SignalStep*) {
  // 1, 2, 4 and 5 are taken.
  f(3, "signal", &SignalStep::signal);
  f(6, "job", &SignalStep::job);
  f(7, "step", &SignalStep::step);
}
template <class F>
void fields(F&& f, const TreeOrder*) {
  f(1, "type", &TreeOrder::type);
  f(2, "payload", &TreeOrder::payload);
  f(3, "forward", &TreeOrder::forward);
  f(4, "tree_width", &TreeOrder::tree_width);
  f(5, "uid", &TreeOrder::uid);
  f(6, "gid", &TreeOrder::gid);
  f(7, "budget_ms", &TreeOrder::budget_ms);
  f(8, "id", &TreeOrder::id);
  f(9, "asker", &TreeOrder::asker);
}
template <class F>
void fields(F&& f, const TreeAnswer*) {
  f(1, "node", &TreeAnswer::node);
  f(2, "error", &TreeAnswer::error);
  f(3, "type", &TreeAnswer::type);
  f(4, "payload", &TreeAnswer::payload);
}
template <class F>
void fields(F&& f, const TreeAnswers*) {
  f(1, "rows", &TreeAnswers::rows);
}
template <class F>
void fields(F&& f, const UpdateStep*) {
  f(1, "job", &UpdateStep::job);
  f(2, "step", &UpdateStep::step);
  f(3, "time_limit_s", &UpdateStep::time_limit_s);
  f(4, "time_limit_change_s", &UpdateStep::time_limit_change_s);
}

}  // namespace ym::wire
