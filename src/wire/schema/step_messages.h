// SPDX-License-Identifier: Apache-2.0
// What is said about steps, and the messages of a stream.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/step_messages.h"
#include "wire/schema/model.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const CreateStep*) {
  f(1, "job", &CreateStep::job);
  f(2, "name", &CreateStep::name);
  f(3, "tasks", &CreateStep::tasks);
  f(4, "cpus_per_task", &CreateStep::cpus_per_task);
  f(5, "nodes", &CreateStep::nodes);
  f(6, "tasks_per_node", &CreateStep::tasks_per_node);
  f(7, "memory_per_node_mb", &CreateStep::memory_per_node_mb);
  f(8, "node_list", &CreateStep::node_list);
  f(9, "excluded_nodes", &CreateStep::excluded_nodes);
  f(10, "overlap", &CreateStep::overlap);
  f(11, "overcommit", &CreateStep::overcommit);
  f(12, "whole", &CreateStep::whole);
  f(13, "binding", &CreateStep::binding);
  f(14, "time_limit_s", &CreateStep::time_limit_s);
  f(15, "key", &CreateStep::key);
  f(16, "no_kill", &CreateStep::no_kill);
  f(30, "gres", &CreateStep::gres);
  f(31, "ports", &CreateStep::ports);
  f(32, "container", &CreateStep::container);
  f(33, "texts", &CreateStep::texts);
  f(34, "max_nodes", &CreateStep::max_nodes);
  f(35, "features", &CreateStep::features);
}
template <class F>
void fields(F&& f, const NodeAddress*) {
  f(1, "node", &NodeAddress::node);
  f(2, "name", &NodeAddress::name);
  f(3, "address", &NodeAddress::address);
  f(4, "port", &NodeAddress::port);
}
template <class F>
void fields(F&& f, const CreateHetStep*) {
  f(1, "parts", &CreateHetStep::parts);
}
template <class F>
void fields(F&& f, const StepWorld*) {
  f(1, "tasks", &StepWorld::tasks);
  f(2, "first_node", &StepWorld::first_node);
  f(3, "shares", &StepWorld::shares);
  f(4, "node_names", &StepWorld::node_names);
  f(5, "first_task", &StepWorld::first_task);
  f(6, "job_nodes", &StepWorld::job_nodes);
  f(7, "job_cpus", &StepWorld::job_cpus);
  f(8, "name", &StepWorld::name);
}
template <class F>
void fields(F&& f, const StepCredential*) {
  f(1, "job", &StepCredential::job);
  f(2, "sluid", &StepCredential::sluid);
  f(3, "step", &StepCredential::step);
  f(4, "uid", &StepCredential::uid);
  f(5, "gid", &StepCredential::gid);
  f(6, "user_name", &StepCredential::user_name);
  f(7, "account", &StepCredential::account);
  f(8, "partition", &StepCredential::partition);
  f(9, "cluster", &StepCredential::cluster);
  f(10, "job_name", &StepCredential::job_name);
  f(11, "qos", &StepCredential::qos);
  f(12, "job_nodes", &StepCredential::job_nodes);
  f(13, "step_nodes", &StepCredential::step_nodes);
  f(14, "job_cpus", &StepCredential::job_cpus);
  f(15, "node_names", &StepCredential::node_names);
  f(16, "memory_per_node_mb", &StepCredential::memory_per_node_mb);
  f(17, "array_job", &StepCredential::array_job);
  f(18, "array_task", &StepCredential::array_task);
  f(19, "issued", &StepCredential::issued);
  f(20, "expires", &StepCredential::expires);
  f(21, "job_memory_mb", &StepCredential::job_memory_mb);
  f(22, "work_dir", &StepCredential::work_dir);
  f(23, "comment", &StepCredential::comment);
  f(24, "constraints", &StepCredential::constraints);
  f(25, "reservation", &StepCredential::reservation);
  f(26, "start", &StepCredential::start);
  f(27, "limit_end", &StepCredential::limit_end);
  f(28, "restarts", &StepCredential::restarts);
  f(29, "oom_kill_step", &StepCredential::oom_kill_step);
  f(30, "job_tasks", &StepCredential::job_tasks);
  f(40, "job_gres", &StepCredential::job_gres);
  f(50, "het_job", &StepCredential::het_job);
  f(51, "het_offset", &StepCredential::het_offset);
  f(52, "het_count", &StepCredential::het_count);
  f(53, "world", &StepCredential::world);
  f(54, "job_rows", &StepCredential::job_rows);
}
template <class F>
void fields(F&& f, const StepCreated*) {
  f(1, "step", &StepCreated::step);
  f(2, "nodes", &StepCreated::nodes);
  f(3, "credential", &StepCreated::credential);
  f(4, "signature", &StepCreated::signature);
  f(5, "job", &StepCreated::job);
}
template <class F>
void fields(F&& f, const HetStepCreated*) {
  f(1, "parts", &HetStepCreated::parts);
}
template <class F>
void fields(F&& f, const LaunchTasks*) {
  f(1, "credential", &LaunchTasks::credential);
  f(2, "signature", &LaunchTasks::signature);
  f(3, "arguments", &LaunchTasks::arguments);
  f(4, "environment", &LaunchTasks::environment);
  f(5, "work_dir", &LaunchTasks::work_dir);
  f(6, "std_in", &LaunchTasks::std_in);
  f(7, "std_out", &LaunchTasks::std_out);
  f(8, "std_err", &LaunchTasks::std_err);
  f(9, "stdin_task", &LaunchTasks::stdin_task);
  f(10, "append_output", &LaunchTasks::append_output);
  f(11, "unbuffered", &LaunchTasks::unbuffered);
  f(12, "kill_on_bad_exit", &LaunchTasks::kill_on_bad_exit);
  f(13, "pty", &LaunchTasks::pty);
  f(14, "rows", &LaunchTasks::rows);
  f(15, "columns", &LaunchTasks::columns);
  f(16, "umask", &LaunchTasks::umask);
  f(17, "srun_id", &LaunchTasks::srun_id);
  f(18, "multi_prog", &LaunchTasks::multi_prog);
  f(19, "limits", &LaunchTasks::limits);
  f(20, "binding", &LaunchTasks::binding);
  f(21, "task_prolog", &LaunchTasks::task_prolog);
  f(22, "task_epilog", &LaunchTasks::task_epilog);
  f(23, "mpi", &LaunchTasks::mpi);
  f(24, "acct_frequency", &LaunchTasks::acct_frequency);
  f(25, "external_launcher", &LaunchTasks::external_launcher);
  // 26 to 29 are taken.
  f(30, "tres_bind", &LaunchTasks::tres_bind);
  f(35, "oom_kill_step", &LaunchTasks::oom_kill_step);
  f(36, "cpu_freq", &LaunchTasks::cpu_freq);
  f(37, "wait_for_children", &LaunchTasks::wait_for_children);
  f(38, "gpu_freq", &LaunchTasks::gpu_freq);
}
template <class F>
void fields(F&& f, const ResumeStream*) {
  f(1, "job", &ResumeStream::job);
  f(2, "step", &ResumeStream::step);
  f(3, "srun_id", &ResumeStream::srun_id);
  f(4, "received", &ResumeStream::received);
  f(5, "await_launch", &ResumeStream::await_launch);
}
template <class F>
void fields(F&& f, const TaskStarted*) {
  f(1, "task", &TaskStarted::task);
  f(2, "pid", &TaskStarted::pid);
}
template <class F>
void fields(F&& f, const TasksStarted*) {
  f(1, "tasks", &TasksStarted::tasks);
  f(2, "node", &TasksStarted::node);
}
template <class F>
void fields(F&& f, const TaskOutput*) {
  f(1, "task", &TaskOutput::task);
  f(2, "stream", &TaskOutput::stream);
  f(3, "data", &TaskOutput::data);
  f(4, "end", &TaskOutput::end);
}
template <class F>
void fields(F&& f, const TaskInput*) {
  f(1, "task", &TaskInput::task);
  f(2, "data", &TaskInput::data);
  f(3, "end", &TaskInput::end);
}
template <class F>
void fields(F&& f, const TaskEnded*) {
  f(1, "task", &TaskEnded::task);
  f(2, "exit", &TaskEnded::exit);
}
template <class F>
void fields(F&& f, const SignalTasks*) {
  f(1, "signal", &SignalTasks::signal);
}
template <class F>
void fields(F&& f, const WindowChanged*) {
  f(1, "rows", &WindowChanged::rows);
  f(2, "columns", &WindowChanged::columns);
}
template <class F>
void fields(F&& f, const StepOver*) {
  f(1, "error", &StepOver::error);
}

}  // namespace ym::wire
