// SPDX-License-Identifier: Apache-2.0
// The fields of the model's records, as they are in the log and on the wire.
// NUMBERS ARE NEVER CHANGED OR REUSED. New fields take the next number; a removed one leaves a gap
// and a comment.
#pragma once
#include "model/job.h"
#include "model/node.h"
#include "model/partition.h"
#include "model/state.h"
#include "wire/schema/gres.h"
#include "wire/schema/launch.h"
#include "wire/schema/node.h"
#include "wire/schema/step.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const JobSpecials*) {
  f(1, "tres_per_job", &JobSpecials::tres_per_job);
  f(2, "tres_per_node", &JobSpecials::tres_per_node);
  f(3, "tres_per_socket", &JobSpecials::tres_per_socket);
  f(4, "tres_per_task", &JobSpecials::tres_per_task);
  f(5, "cpus_per_tres", &JobSpecials::cpus_per_tres);
  f(6, "memory_per_tres", &JobSpecials::memory_per_tres);
  f(7, "tres_bind", &JobSpecials::tres_bind);
  f(8, "tres_freq", &JobSpecials::tres_freq);
  f(9, "gres_flags", &JobSpecials::gres_flags);
  f(10, "tasks_per_tres", &JobSpecials::tasks_per_tres);
  f(11, "prefer", &JobSpecials::prefer);
  f(12, "batch_features", &JobSpecials::batch_features);
  f(13, "cluster_features", &JobSpecials::cluster_features);
  f(14, "mcs_label", &JobSpecials::mcs_label);
  f(15, "cpu_freq", &JobSpecials::cpu_freq);
  f(16, "profile", &JobSpecials::profile);
  f(17, "submit_line", &JobSpecials::submit_line);
  f(18, "container_id", &JobSpecials::container_id);
  f(19, "cron", &JobSpecials::cron);
  f(20, "switches", &JobSpecials::switches);
  f(21, "switch_wait_s", &JobSpecials::switch_wait_s);
  f(22, "segment", &JobSpecials::segment);
  f(23, "delay_boot_s", &JobSpecials::delay_boot_s);
  f(24, "reserved_ports", &JobSpecials::reserved_ports);
  f(25, "alloc_sid", &JobSpecials::alloc_sid);
  f(26, "exclusive_kind", &JobSpecials::exclusive_kind);
  f(27, "wait_all_nodes", &JobSpecials::wait_all_nodes);
  f(28, "all_memory", &JobSpecials::all_memory);
  f(29, "spread", &JobSpecials::spread);
  f(30, "use_min_nodes", &JobSpecials::use_min_nodes);
  f(31, "reboot", &JobSpecials::reboot);
  f(32, "step_manager", &JobSpecials::step_manager);
  f(33, "consolidate_segments", &JobSpecials::consolidate_segments);
  f(45, "detached", &JobSpecials::detached);
  f(40, "gres", &JobSpecials::gres);
  f(34, "immediate_s", &JobSpecials::immediate_s);
  f(46, "spread_segments", &JobSpecials::spread_segments);
  f(47, "expedite", &JobSpecials::expedite);
  f(48, "keeps", &JobSpecials::keeps);
  f(60, "memory_margin", &JobSpecials::memory_margin);
  f(61, "memory_delay_s", &JobSpecials::memory_delay_s);
  f(62, "node_counts", &JobSpecials::node_counts);
}

template <class F>
void fields(F&& f, const JobExtras*) {
  f(1, "comment", &JobExtras::comment);
  f(2, "admin_comment", &JobExtras::admin_comment);
  f(3, "extra", &JobExtras::extra);
  f(4, "wckey", &JobExtras::wckey);
  f(5, "reservation", &JobExtras::reservation);
  f(6, "licenses", &JobExtras::licenses);
  f(7, "gres", &JobExtras::gres);
  f(8, "features", &JobExtras::features);
  f(9, "required_nodes", &JobExtras::required_nodes);
  f(10, "excluded_nodes", &JobExtras::excluded_nodes);
  f(11, "mail_user", &JobExtras::mail_user);
  f(12, "std_in", &JobExtras::std_in);
  f(13, "std_err", &JobExtras::std_err);
  f(14, "network", &JobExtras::network);
  f(15, "burst_buffer", &JobExtras::burst_buffer);
  f(16, "container", &JobExtras::container);
  f(17, "arguments", &JobExtras::arguments);
  f(18, "mail_types", &JobExtras::mail_types);
  f(19, "signal", &JobExtras::signal);
  f(20, "signal_before_s", &JobExtras::signal_before_s);
  f(21, "signal_batch_only", &JobExtras::signal_batch_only);
  f(22, "tmp_mb", &JobExtras::tmp_mb);
  f(23, "limits", &JobExtras::limits);
  f(24, "binding", &JobExtras::binding);
  f(25, "get_user_env", &JobExtras::get_user_env);
  f(26, "acct_frequency", &JobExtras::acct_frequency);
  f(27, "oom_kill_step", &JobExtras::oom_kill_step);
  f(28, "sockets_per_node", &JobExtras::sockets_per_node);
  f(29, "cores_per_socket", &JobExtras::cores_per_socket);
  f(30, "core_spec", &JobExtras::core_spec);
  f(31, "thread_spec", &JobExtras::thread_spec);
  f(32, "specials", &JobExtras::specials);
  f(33, "site_factor", &JobExtras::site_factor);
  f(34, "system_comment", &JobExtras::system_comment);
}

template <class F>
void fields(F&& f, const JobSpec*) {
  f(1, "name", &JobSpec::name);
  f(2, "user_name", &JobSpec::user_name);
  f(3, "account", &JobSpec::account);
  f(4, "qos", &JobSpec::qos);
  f(5, "work_dir", &JobSpec::work_dir);
  f(6, "command", &JobSpec::command);
  f(7, "std_out", &JobSpec::std_out);
  f(8, "submit_host", &JobSpec::submit_host);
  f(9, "partitions", &JobSpec::partitions);
  f(10, "uid", &JobSpec::uid);
  f(11, "gid", &JobSpec::gid);
  f(12, "script_blob", &JobSpec::script_blob);
  f(13, "environment_blob", &JobSpec::environment_blob);
  f(14, "tasks", &JobSpec::tasks);
  f(15, "cpus_per_task", &JobSpec::cpus_per_task);
  f(16, "tasks_per_node", &JobSpec::tasks_per_node);
  f(17, "min_nodes", &JobSpec::min_nodes);
  f(18, "max_nodes", &JobSpec::max_nodes);
  f(19, "min_cpus_per_node", &JobSpec::min_cpus_per_node);
  f(20, "memory_per_node_mb", &JobSpec::memory_per_node_mb);
  f(21, "memory_per_cpu_mb", &JobSpec::memory_per_cpu_mb);
  f(22, "time_limit_s", &JobSpec::time_limit_s);
  f(23, "time_min_s", &JobSpec::time_min_s);
  f(24, "begin", &JobSpec::begin);
  f(25, "deadline", &JobSpec::deadline);
  f(26, "nice", &JobSpec::nice);
  f(27, "batch", &JobSpec::batch);
  f(28, "exclusive", &JobSpec::exclusive);
  f(29, "oversubscribe", &JobSpec::oversubscribe);
  f(30, "contiguous", &JobSpec::contiguous);
  f(31, "requeue", &JobSpec::requeue);
  f(32, "kill_on_invalid_dependency", &JobSpec::kill_on_invalid_dependency);
  f(33, "no_kill", &JobSpec::no_kill);
  f(34, "append_output", &JobSpec::append_output);
  f(35, "overcommit", &JobSpec::overcommit);
  f(36, "extras", &JobSpec::extras);
  f(37, "submit_line", &JobSpec::submit_line);
}

template <class F>
void fields(F&& f, const NodeShare*) {
  f(1, "node", &NodeShare::node);
  f(2, "cpus", &NodeShare::cpus);
  f(3, "memory_mb", &NodeShare::memory_mb);
  f(4, "row", &NodeShare::row);
}

template <class F>
void fields(F&& f, const Allocation*) {
  f(1, "generation", &Allocation::generation);
  f(2, "nodes", &Allocation::nodes);
  f(3, "licenses", &Allocation::licenses);
  f(4, "reservation", &Allocation::reservation);
  f(10, "gres", &Allocation::gres);
  f(11, "topo_alone", &Allocation::topo_alone);
  f(12, "batch_node", &Allocation::batch_node);
}

template <class F>
void fields(F&& f, const ArrayTasks*) {
  f(1, "waiting", &ArrayTasks::waiting);
  f(2, "max_running", &ArrayTasks::max_running);
}

template <class F>
void fields(F&& f, const Holds*) {
  f(1, "user", &Holds::user);
  f(2, "admin", &Holds::admin);
}

template <class F>
void fields(F&& f, const EndedStep*) {
  f(1, "step", &EndedStep::step);
  f(2, "end", &EndedStep::end);
}
template <class F>
void fields(F&& f, const JobPreemption*) {
  f(1, "at", &JobPreemption::at);
  f(2, "by", &JobPreemption::by);
  f(3, "mode", &JobPreemption::mode);
}
template <class F>
void fields(F&& f, const JobMemory*) {
  f(1, "wanted_mb", &JobMemory::wanted_mb);
  f(2, "lowered_mb", &JobMemory::lowered_mb);
  f(3, "looked", &JobMemory::looked);
}
template <class F>
void fields(F&& f, const Job*) {
  f(1, "id", &Job::id);
  f(2, "array_job", &Job::array_job);
  f(3, "array_task", &Job::array_task);
  f(4, "sluid", &Job::sluid);
  f(5, "spec", &Job::spec);
  f(6, "state", &Job::state);
  f(7, "end_reason", &Job::end_reason);
  f(8, "holds", &Job::holds);
  f(9, "requeue_wanted", &Job::requeue_wanted);
  f(10, "dependency_failed", &Job::dependency_failed);
  f(11, "priority", &Job::priority);
  f(12, "restarts", &Job::restarts);
  f(13, "submit", &Job::submit);
  f(14, "eligible", &Job::eligible);
  f(15, "start", &Job::start);
  f(16, "end", &Job::end);
  f(17, "suspended_for", &Job::suspended_for);
  f(18, "limit_end", &Job::limit_end);
  f(19, "partition", &Job::partition);
  f(20, "allocation", &Job::allocation);
  f(21, "nodes_left", &Job::nodes_left);
  f(22, "exit", &Job::exit);
  f(23, "derived_exit", &Job::derived_exit);
  f(24, "dependency", &Job::dependency);
  f(25, "array", &Job::array);
  f(26, "next_step", &Job::next_step);
  f(27, "steps", &Job::steps);
  f(28, "killed_by", &Job::killed_by);
  f(29, "launched", &Job::launched);
  f(30, "array_max_running", &Job::array_max_running);
  f(31, "suspended_at", &Job::suspended_at);
  f(32, "configuring", &Job::configuring);
  f(33, "epilog_due", &Job::epilog_due);
  f(34, "het_job", &Job::het_job);
  f(35, "het_offset", &Job::het_offset);
  f(36, "het_count", &Job::het_count);
  f(37, "priority_fixed", &Job::priority_fixed);
  f(70, "ended_steps", &Job::ended_steps);
  f(80, "special_exit", &Job::special_exit);
  f(95, "preemption", &Job::preemption);
  f(81, "leaving", &Job::leaving);
  f(96, "resumed", &Job::resumed);
  f(110, "submission", &Job::submission);
  f(111, "failed_launches", &Job::failed_launches);
  f(120, "memory", &Job::memory);
  f(121, "resized", &Job::resized);
}

template <class F>
void fields(F&& f, const PartitionSpec*) {
  f(1, "name", &PartitionSpec::name);
  f(2, "nodes", &PartitionSpec::nodes);
  f(3, "state", &PartitionSpec::state);
  f(4, "is_default", &PartitionSpec::is_default);
  f(5, "hidden", &PartitionSpec::hidden);
  f(6, "root_only", &PartitionSpec::root_only);
  f(7, "disable_root", &PartitionSpec::disable_root);
  f(8, "exclusive", &PartitionSpec::exclusive);
  f(9, "max_time_s", &PartitionSpec::max_time_s);
  f(10, "default_time_s", &PartitionSpec::default_time_s);
  f(11, "min_nodes", &PartitionSpec::min_nodes);
  f(12, "max_nodes", &PartitionSpec::max_nodes);
  f(13, "max_cpus_per_node", &PartitionSpec::max_cpus_per_node);
  f(14, "priority_tier", &PartitionSpec::priority_tier);
  f(15, "priority_job_factor", &PartitionSpec::priority_job_factor);
  f(16, "default_memory_per_node_mb", &PartitionSpec::default_memory_per_node_mb);
  f(17, "default_memory_per_cpu_mb", &PartitionSpec::default_memory_per_cpu_mb);
  f(18, "max_memory_per_node_mb", &PartitionSpec::max_memory_per_node_mb);
  f(19, "max_memory_per_cpu_mb", &PartitionSpec::max_memory_per_cpu_mb);
  f(20, "grace_time_s", &PartitionSpec::grace_time_s);
  f(21, "allow_groups", &PartitionSpec::allow_groups);
  f(22, "allow_accounts", &PartitionSpec::allow_accounts);
  f(23, "deny_accounts", &PartitionSpec::deny_accounts);
  f(24, "allow_qos", &PartitionSpec::allow_qos);
  f(25, "deny_qos", &PartitionSpec::deny_qos);
  f(26, "qos", &PartitionSpec::qos);
  f(27, "alternate", &PartitionSpec::alternate);
  f(28, "oversubscribe", &PartitionSpec::oversubscribe);
  f(29, "preempt_mode", &PartitionSpec::preempt_mode);
  f(30, "exclusive_user", &PartitionSpec::exclusive_user);
  f(31, "lln", &PartitionSpec::lln);
  f(32, "req_resv", &PartitionSpec::req_resv);
  f(33, "max_cpus_per_socket", &PartitionSpec::max_cpus_per_socket);
  f(34, "alloc_nodes", &PartitionSpec::alloc_nodes);
  f(35, "tres_billing_weights", &PartitionSpec::tres_billing_weights);
  f(36, "over_time_limit_min", &PartitionSpec::over_time_limit_min);
  f(40, "default_cpus_per_gpu", &PartitionSpec::default_cpus_per_gpu);
  f(41, "default_memory_per_gpu_mb", &PartitionSpec::default_memory_per_gpu_mb);
  f(50, "exclusive_topo", &PartitionSpec::exclusive_topo);
  f(51, "power_down_on_idle", &PartitionSpec::power_down_on_idle);
  f(52, "cpu_bind", &PartitionSpec::cpu_bind);
  f(53, "topology", &PartitionSpec::topology);
  f(54, "job_defaults", &PartitionSpec::job_defaults);
  f(55, "suspend_time_s", &PartitionSpec::suspend_time_s);
  f(56, "suspend_timeout_s", &PartitionSpec::suspend_timeout_s);
  f(57, "resume_timeout_s", &PartitionSpec::resume_timeout_s);
}

template <class F>
void fields(F&& f, const Partition*) {
  f(1, "id", &Partition::id);
  f(2, "spec", &Partition::spec);
  f(3, "nodes", &Partition::nodes);
}

}  // namespace ym::wire
