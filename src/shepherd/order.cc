// SPDX-License-Identifier: Apache-2.0
// The codec's descriptions of what stands in spools. NUMBERS ARE NEVER CHANGED OR REUSED.
#include "shepherd/order.h"

#include "model/step_messages.h"
#include "wire/schema/model.h"

namespace ym::wire {

template <class F>
void fields(F&& f, const TaskOrder*) {
  f(1, "rank", &TaskOrder::rank);
  f(2, "arguments", &TaskOrder::arguments);
  f(3, "environment", &TaskOrder::environment);
  f(4, "std_in", &TaskOrder::std_in);
  f(5, "std_out", &TaskOrder::std_out);
  f(6, "std_err", &TaskOrder::std_err);
  f(7, "truncate_out", &TaskOrder::truncate_out);
  f(8, "truncate_err", &TaskOrder::truncate_err);
  f(9, "cpus", &TaskOrder::cpus);
  f(10, "mem_nodes", &TaskOrder::mem_nodes);
  f(11, "mem_policy", &TaskOrder::mem_policy);
  f(12, "notice", &TaskOrder::notice);
}
template <class F>
void fields(F&& f, const CgroupConfig*) {
  f(1, "plugin", &CgroupConfig::plugin);
  f(2, "mount_point", &CgroupConfig::mount_point);
  f(3, "constrain_cores", &CgroupConfig::constrain_cores);
  f(4, "constrain_memory", &CgroupConfig::constrain_memory);
  f(5, "constrain_swap", &CgroupConfig::constrain_swap);
  f(6, "constrain_devices", &CgroupConfig::constrain_devices);
  f(7, "allowed_memory_percent", &CgroupConfig::allowed_memory_percent);
  f(8, "allowed_swap_percent", &CgroupConfig::allowed_swap_percent);
  f(9, "min_memory_mb", &CgroupConfig::min_memory_mb);
}
template <class F>
void fields(F&& f, const OciConfig*) {
  f(1, "configured", &OciConfig::configured);
  f(2, "container_path", &OciConfig::container_path);
  f(3, "mount_spool_dir", &OciConfig::mount_spool_dir);
  f(4, "create", &OciConfig::create);
  f(5, "start", &OciConfig::start);
  f(6, "run", &OciConfig::run);
  f(7, "kill", &OciConfig::kill);
  f(8, "remove", &OciConfig::remove);
  f(9, "query", &OciConfig::query);
  f(10, "env_exclude", &OciConfig::env_exclude);
  f(11, "runtime_env_exclude", &OciConfig::runtime_env_exclude);
  f(12, "environment_file", &OciConfig::environment_file);
  f(13, "disabled_hooks", &OciConfig::disabled_hooks);
  f(14, "keep_files", &OciConfig::keep_files);
  f(15, "ignore_config", &OciConfig::ignore_config);
  f(16, "tell_operations", &OciConfig::tell_operations);
}
template <class F>
void fields(F&& f, const LoginWish*) {
  f(1, "name", &LoginWish::name);
  f(2, "home", &LoginWish::home);
  f(3, "shell", &LoginWish::shell);
  f(4, "plain", &LoginWish::plain);
  f(5, "time_limit", &LoginWish::time_limit);
}
template <class F>
void fields(F&& f, const ShepherdOrder*) {
  f(1, "job", &ShepherdOrder::job);
  f(2, "sluid", &ShepherdOrder::sluid);
  f(3, "step", &ShepherdOrder::step);
  f(4, "uid", &ShepherdOrder::uid);
  f(5, "gid", &ShepherdOrder::gid);
  f(6, "groups", &ShepherdOrder::groups);
  f(7, "node", &ShepherdOrder::node);
  f(8, "work_dir", &ShepherdOrder::work_dir);
  f(9, "script", &ShepherdOrder::script);
  f(10, "arguments", &ShepherdOrder::arguments);
  f(11, "environment", &ShepherdOrder::environment);
  f(12, "tasks", &ShepherdOrder::tasks);
  f(13, "umask", &ShepherdOrder::umask);
  f(14, "streams", &ShepherdOrder::streams);
  f(15, "pty", &ShepherdOrder::pty);
  f(16, "rows", &ShepherdOrder::rows);
  f(17, "columns", &ShepherdOrder::columns);
  f(18, "stdin_task", &ShepherdOrder::stdin_task);
  f(19, "srun_id", &ShepherdOrder::srun_id);
  f(20, "kill_wait", &ShepherdOrder::kill_wait);
  f(21, "boot_id", &ShepherdOrder::boot_id);
  f(22, "kind", &ShepherdOrder::kind);
  f(23, "time_limit", &ShepherdOrder::time_limit);
  f(24, "limits", &ShepherdOrder::limits);
  f(25, "nice", &ShepherdOrder::nice);
  f(26, "task_prologs", &ShepherdOrder::task_prologs);
  f(27, "task_epilogs", &ShepherdOrder::task_epilogs);
  f(28, "job_cpus", &ShepherdOrder::job_cpus);
  f(29, "cpus", &ShepherdOrder::cpus);
  f(30, "job_memory_mb", &ShepherdOrder::job_memory_mb);
  f(31, "memory_mb", &ShepherdOrder::memory_mb);
  f(32, "oom_kill_step", &ShepherdOrder::oom_kill_step);
  f(33, "cgroup", &ShepherdOrder::cgroup);
  f(34, "devices", &ShepherdOrder::devices);
  f(35, "mpi", &ShepherdOrder::mpi);
  f(36, "node_number", &ShepherdOrder::node_number);
  f(37, "shares", &ShepherdOrder::shares);
  f(38, "node_names", &ShepherdOrder::node_names);
  f(80, "world", &ShepherdOrder::world);
  // 39, 40: where srun listened
  f(41, "acct_frequency_s", &ShepherdOrder::acct_frequency_s);
  f(42, "unkillable_timeout", &ShepherdOrder::unkillable_timeout);
  f(43, "unkillable_program", &ShepherdOrder::unkillable_program);
  f(44, "temp_dir", &ShepherdOrder::temp_dir);
  f(45, "in_extern", &ShepherdOrder::in_extern);
  f(46, "login", &ShepherdOrder::login);
  f(47, "resume_wait", &ShepherdOrder::resume_wait);
  f(48, "control", &ShepherdOrder::control);
  f(49, "cpu_freq", &ShepherdOrder::cpu_freq);
  f(50, "cpu_freq_default", &ShepherdOrder::cpu_freq_default);
  f(51, "cpu_governors", &ShepherdOrder::cpu_governors);
  f(52, "sysfs", &ShepherdOrder::sysfs);
  f(53, "wait_for_children", &ShepherdOrder::wait_for_children);
  f(54, "container", &ShepherdOrder::container);
  f(55, "oci", &ShepherdOrder::oci);
  f(56, "user_name", &ShepherdOrder::user_name);
  f(57, "spool_dir", &ShepherdOrder::spool_dir);
  f(58, "gpu_freq", &ShepherdOrder::gpu_freq);
  f(59, "gpu_freq_default", &ShepherdOrder::gpu_freq_default);
  f(60, "nvidia_smi", &ShepherdOrder::nvidia_smi);
  f(61, "gpu_files", &ShepherdOrder::gpu_files);
  f(81, "job_row", &ShepherdOrder::job_row);
}
template <class F>
void fields(F&& f, const StartedMark*) {
  f(1, "pid", &StartedMark::pid);
  f(2, "at", &StartedMark::at);
}
template <class F>
void fields(F&& f, const ShepherdResult*) {
  f(1, "exit", &ShepherdResult::exit);
  f(2, "error", &ShepherdResult::error);
  f(3, "out_of_memory", &ShepherdResult::out_of_memory);
  f(4, "usage", &ShepherdResult::usage);
  f(5, "drain_reason", &ShepherdResult::drain_reason);
  f(6, "on_order", &ShepherdResult::on_order);
  f(7, "launch_failed", &ShepherdResult::launch_failed);
}
template <class F>
void fields(F&& f, const ControlPacket*) {
  f(1, "kind", &ControlPacket::kind);
  f(2, "signal", &ControlPacket::signal);
  f(3, "leaders_only", &ControlPacket::leaders_only);
  f(4, "srun_id", &ControlPacket::srun_id);
  f(5, "received", &ControlPacket::received);
  f(6, "residual", &ControlPacket::residual);
  f(7, "task", &ControlPacket::task);
  f(8, "input", &ControlPacket::input);
  f(9, "notice", &ControlPacket::notice);
  f(10, "memory_mb", &ControlPacket::memory_mb);
}
template <class F>
void fields(F&& f, const ShepherdMemory*) {
  f(1, "pid", &ShepherdMemory::pid);
  f(2, "limit_mb", &ShepherdMemory::limit_mb);
  f(3, "job_mb", &ShepherdMemory::job_mb);
  f(4, "resident_mb", &ShepherdMemory::resident_mb);
}

}  // namespace ym::wire

#include "wire/codec_impl.h"

namespace ym::wire {

template void encode_to(std::string&, const ShepherdOrder&);
template Result<ShepherdOrder> decode(std::string_view);
template std::string to_json(const ShepherdOrder&);
template void encode_to(std::string&, const StartedMark&);
template Result<StartedMark> decode(std::string_view);
template std::string to_json(const StartedMark&);
template void encode_to(std::string&, const ShepherdResult&);
template Result<ShepherdResult> decode(std::string_view);
template std::string to_json(const ShepherdResult&);
template void encode_to(std::string&, const ControlPacket&);
template Result<ControlPacket> decode(std::string_view);
template std::string to_json(const ControlPacket&);
template void encode_to(std::string&, const ShepherdMemory&);
template Result<ShepherdMemory> decode(std::string_view);
template std::string to_json(const ShepherdMemory&);

}  // namespace ym::wire
