// SPDX-License-Identifier: Apache-2.0
// What commands and the controller say about jobs.
// NUMBERS ARE NEVER CHANGED OR REUSED.
#pragma once
#include "model/job_messages.h"
#include "wire/schema/model.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const SubmitJob*) {
  f(1, "spec", &SubmitJob::spec);
  f(2, "script", &SubmitJob::script);
  f(3, "environment", &SubmitJob::environment);
  f(4, "array", &SubmitJob::array);
  f(5, "dependency", &SubmitJob::dependency);
  f(6, "priority", &SubmitJob::priority);
  f(7, "hold", &SubmitJob::hold);
  f(8, "test_only", &SubmitJob::test_only);
  f(9, "het", &SubmitJob::het);
  f(110, "submission", &SubmitJob::submission);
}
template <class F>
void fields(F&& f, const SubmitAnswer*) {
  f(1, "job", &SubmitAnswer::job);
  f(2, "sluid", &SubmitAnswer::sluid);
  f(3, "warning", &SubmitAnswer::warning);
  f(4, "expected_start", &SubmitAnswer::expected_start);
  f(5, "nodes", &SubmitAnswer::nodes);
  f(6, "partition", &SubmitAnswer::partition);
  f(7, "cpus", &SubmitAnswer::cpus);
  f(8, "components", &SubmitAnswer::components);
}
template <class F>
void fields(F&& f, const JobTarget*) {
  f(1, "job", &JobTarget::job);
  f(2, "tasks", &JobTarget::tasks);
  f(3, "step", &JobTarget::step);
  f(4, "sluid", &JobTarget::sluid);
  f(5, "component", &JobTarget::component);
}
template <class F>
void fields(F&& f, const JobFilter*) {
  f(1, "targets", &JobFilter::targets);
  f(2, "users", &JobFilter::users);
  f(3, "partitions", &JobFilter::partitions);
  f(4, "accounts", &JobFilter::accounts);
  f(5, "qos", &JobFilter::qos);
  f(6, "names", &JobFilter::names);
  f(7, "states", &JobFilter::states);
  f(8, "all_states", &JobFilter::all_states);
  f(9, "nodes", &JobFilter::nodes);
}
template <class F>
void fields(F&& f, const JobPatch*) {
  f(1, "name", &JobPatch::name);
  f(2, "partitions", &JobPatch::partitions);
  f(3, "account", &JobPatch::account);
  f(4, "qos", &JobPatch::qos);
  f(5, "comment", &JobPatch::comment);
  f(6, "dependency", &JobPatch::dependency);
  f(7, "features", &JobPatch::features);
  f(8, "work_dir", &JobPatch::work_dir);
  f(9, "std_out", &JobPatch::std_out);
  f(10, "time_limit_s", &JobPatch::time_limit_s);
  f(11, "priority", &JobPatch::priority);
  f(12, "min_nodes", &JobPatch::min_nodes);
  f(13, "max_nodes", &JobPatch::max_nodes);
  f(14, "tasks", &JobPatch::tasks);
  f(15, "cpus_per_task", &JobPatch::cpus_per_task);
  f(16, "array_max_running", &JobPatch::array_max_running);
  f(17, "nice", &JobPatch::nice);
  f(18, "begin", &JobPatch::begin);
  f(19, "deadline", &JobPatch::deadline);
  f(20, "requeue", &JobPatch::requeue);
  f(21, "required_nodes", &JobPatch::required_nodes);
  f(22, "excluded_nodes", &JobPatch::excluded_nodes);
  f(23, "admin_comment", &JobPatch::admin_comment);
  f(24, "extra", &JobPatch::extra);
  f(25, "reservation", &JobPatch::reservation);
  f(26, "licenses", &JobPatch::licenses);
  f(27, "wckey", &JobPatch::wckey);
  f(28, "mail_user", &JobPatch::mail_user);
  f(29, "std_err", &JobPatch::std_err);
  f(30, "std_in", &JobPatch::std_in);
  f(31, "gres", &JobPatch::gres);
  f(32, "prefer", &JobPatch::prefer);
  f(33, "burst_buffer", &JobPatch::burst_buffer);
  f(34, "mcs_label", &JobPatch::mcs_label);
  f(35, "tres_per_node", &JobPatch::tres_per_node);
  f(36, "cluster_features", &JobPatch::cluster_features);
  f(37, "user_name", &JobPatch::user_name);
  f(38, "time_min_s", &JobPatch::time_min_s);
  f(39, "tasks_per_node", &JobPatch::tasks_per_node);
  f(40, "min_cpus_per_node", &JobPatch::min_cpus_per_node);
  f(41, "switches", &JobPatch::switches);
  f(42, "switch_wait_s", &JobPatch::switch_wait_s);
  f(43, "mail_types", &JobPatch::mail_types);
  f(44, "delay_boot_s", &JobPatch::delay_boot_s);
  f(45, "core_spec", &JobPatch::core_spec);
  f(46, "memory_per_node_mb", &JobPatch::memory_per_node_mb);
  f(47, "memory_per_cpu_mb", &JobPatch::memory_per_cpu_mb);
  f(48, "tmp_mb", &JobPatch::tmp_mb);
  f(49, "contiguous", &JobPatch::contiguous);
  f(50, "exclusive", &JobPatch::exclusive);
  f(51, "oversubscribe", &JobPatch::oversubscribe);
  f(52, "reset_accrue", &JobPatch::reset_accrue);
  f(53, "time_limit_change_s", &JobPatch::time_limit_change_s);
  f(60, "network", &JobPatch::network);
  f(61, "container_id", &JobPatch::container_id);
  f(62, "min_cpus", &JobPatch::min_cpus);
  f(63, "sockets_per_node", &JobPatch::sockets_per_node);
  f(64, "cores_per_socket", &JobPatch::cores_per_socket);
  f(65, "threads_per_core", &JobPatch::threads_per_core);
  f(66, "thread_spec", &JobPatch::thread_spec);
  f(67, "end", &JobPatch::end);
  f(68, "reboot", &JobPatch::reboot);
  f(75, "site_factor", &JobPatch::site_factor);
  f(76, "system_comment", &JobPatch::system_comment);
}
template <class F>
void fields(F&& f, const AlterJobs*) {
  f(1, "verb", &AlterJobs::verb);
  f(2, "filter", &AlterJobs::filter);
  f(3, "patch", &AlterJobs::patch);
  f(4, "signal", &AlterJobs::signal);
  f(5, "batch_only", &AlterJobs::batch_only);
  f(6, "whole_job", &AlterJobs::whole_job);
  f(7, "exit", &AlterJobs::exit);
  f(8, "text", &AlterJobs::text);
  f(20, "special_exit", &AlterJobs::special_exit);
  f(21, "incomplete_only", &AlterJobs::incomplete_only);
  f(22, "cron", &AlterJobs::cron);
}
template <class F>
void fields(F&& f, const JobOutcome*) {
  f(1, "job", &JobOutcome::job);
  f(2, "display", &JobOutcome::display);
  f(3, "code", &JobOutcome::code);
  f(4, "text", &JobOutcome::text);
}
template <class F>
void fields(F&& f, const AlterAnswer*) {
  f(1, "outcomes", &AlterAnswer::outcomes);
}
template <class F>
void fields(F&& f, const QueryJobs*) {
  f(1, "filter", &QueryJobs::filter);
  f(2, "fields", &QueryJobs::fields);
  f(3, "order", &QueryJobs::order);
  f(4, "with_priority", &QueryJobs::with_priority);
  f(5, "hide", &QueryJobs::hide);
}
template <class F>
void fields(F&& f, const PriorityFactor*) {
  f(1, "value", &PriorityFactor::value);
  f(2, "points", &PriorityFactor::points);
}
template <class F>
void fields(F&& f, const PriorityParts::Tres*) {
  f(1, "name", &PriorityParts::Tres::name);
  f(2, "factor", &PriorityParts::Tres::factor);
}
template <class F>
void fields(F&& f, const PriorityParts*) {
  f(1, "partition", &PriorityParts::partition);
  f(2, "age", &PriorityParts::age);
  f(3, "assoc", &PriorityParts::assoc);
  f(4, "fair_share", &PriorityParts::fair_share);
  f(5, "job_size", &PriorityParts::job_size);
  f(6, "of_partition", &PriorityParts::of_partition);
  f(7, "qos", &PriorityParts::qos);
  f(8, "tres", &PriorityParts::tres);
  f(9, "site", &PriorityParts::site);
  f(10, "nice", &PriorityParts::nice);
  f(11, "priority", &PriorityParts::priority);
}
template <class F>
void fields(F&& f, const JobRow*) {
  f(1, "job", &JobRow::job);
  f(2, "reason", &JobRow::reason);
  f(3, "reason_text", &JobRow::reason_text);
  f(4, "nodes", &JobRow::nodes);
  f(5, "scheduled_nodes", &JobRow::scheduled_nodes);
  f(6, "batch_host", &JobRow::batch_host);
  f(7, "partition", &JobRow::partition);
  f(8, "expected_start", &JobRow::expected_start);
  f(9, "cpu_ids", &JobRow::cpu_ids);
  f(20, "spec_place", &JobRow::spec_place);
  f(21, "node_count", &JobRow::node_count);
  f(22, "cpu_count", &JobRow::cpu_count);
  f(30, "last_eval", &JobRow::last_eval);
  f(31, "scheduler", &JobRow::scheduler);
  f(40, "priority_parts", &JobRow::priority_parts);
  f(41, "preemptable_from", &JobRow::preemptable_from);
  f(42, "sharing", &JobRow::sharing);
  f(43, "billing_weights", &JobRow::billing_weights);
  f(44, "largest_bills", &JobRow::largest_bills);
}
template <class F>
void fields(F&& f, const JobRows*) {
  f(1, "rows", &JobRows::rows);
  f(2, "specs", &JobRows::specs);
}
template <class F>
void fields(F&& f, const WatchJob*) {
  f(1, "job", &WatchJob::job);
  f(2, "until_end", &WatchJob::until_end);
  f(3, "mine", &WatchJob::mine);
}
template <class F>
void fields(F&& f, const QueryExplanation*) {
  f(1, "target", &QueryExplanation::target);
  f(2, "what_if", &QueryExplanation::what_if);
  f(3, "change", &QueryExplanation::change);
}
template <class F>
void fields(F&& f, const Obstacle*) {
  f(1, "reason", &Obstacle::reason);
  f(2, "text", &Obstacle::text);
  f(3, "remedy", &Obstacle::remedy);
}
template <class F>
void fields(F&& f, const Alternative*) {
  f(1, "change", &Alternative::change);
  f(2, "start", &Alternative::start);
  f(3, "partition", &Alternative::partition);
  f(4, "nodes", &Alternative::nodes);
}
template <class F>
void fields(F&& f, const Explanation*) {
  f(1, "job", &Explanation::job);
  f(2, "display", &Explanation::display);
  f(3, "state", &Explanation::state);
  f(4, "obstacles", &Explanation::obstacles);
  f(5, "expected_start", &Explanation::expected_start);
  f(6, "partition", &Explanation::partition);
  f(7, "nodes", &Explanation::nodes);
  f(8, "alternatives", &Explanation::alternatives);
}
template <class F>
void fields(F&& f, const GetScript*) {
  f(1, "job", &GetScript::job);
}
template <class F>
void fields(F&& f, const Script*) {
  f(1, "bytes", &Script::bytes);
}

}  // namespace ym::wire
