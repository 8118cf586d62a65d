// SPDX-License-Identifier: Apache-2.0
// Slurm's order of the fields is kept: people compare such documents line by line.
#include "cli/common/job_data.h"

#include <signal.h>
#include <string.h>

#include <algorithm>

#include "cli/common/local.h"
#include "cli/common/targets.h"
#include "model/gres_request.h"
#include "model/node_gres.h"
#include "notation/hostlist.h"

namespace ym::cli {
namespace {

using View = const JobView&;
using Maybe = std::optional<std::uint64_t>;

Maybe seconds(Instant time) { return time ? static_cast<std::uint64_t>(time.unix_seconds()) : 0; }
Maybe if_set(std::uint64_t value) { return value ? Maybe(value) : std::nullopt; }

void write_exit(DataWriter& data, std::string_view key, const ExitStatus& exit) {
  data.begin_map(key);
  data.texts("status", {exit.signal ? "SIGNALED" : exit.code ? "ERROR" : "SUCCESS"});
  data.number("return_code", exit.code);
  data.begin_map("signal").number("id", if_set(exit.signal));
  const char* name = exit.signal ? ::sigabbrev_np(exit.signal) : nullptr;
  data.text("name", name ? name : "").end();
  data.end();
}

std::vector<std::string> states_of(const Job& job) {
  std::vector<std::string> out = {std::string(name_of(job.state))};
  if (job.configuring) out.push_back("CONFIGURING");
  if (shown_state(job) == "COMPLETING") out.push_back("COMPLETING");
  return out;
}

// What the job has on each of its nodes.
std::vector<std::string> gres_details(View view) {
  std::vector<std::string> out;
  const Allocation& allocation = *view.job().allocation;
  if (allocation.gres)
    for (const NodeShare& share : allocation.nodes)
      out.push_back(gres_detail_text(*allocation.gres, share.node));
  return out;
}

void write_identity(DataWriter& data, View view) {
  const Job& job = view.job();
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  std::optional<std::uint64_t> task;
  if (view.task)
    task = *view.task;
  else if (!job.array && job.array_task != kNoTask)
    task = job.array_task;
  data.text("account", spec.account);
  data.number("accrue_time", seconds(job.held() ? Instant{} : job.eligible));
  data.text("admin_comment", extras.admin_comment).text("allocating_node", spec.submit_host);
  data.number("array_job_id", job.array_job.value).number("array_task_id", task);
  data.number("array_max_tasks", job.array ? job.array->max_running : job.array_max_running);
  data.text("array_task_string", job.array && !view.task ? job.array->waiting.str() : "");
  data.integer("association_id", 0).text("batch_features", view.specials().batch_features);
  data.flag("batch_flag", spec.batch).text("batch_host", view.row->batch_host);
  data.texts("flags", {});
  data.text("burst_buffer", extras.burst_buffer).text("burst_buffer_state", "");
  data.text("cluster", view.cluster).text("cluster_features", view.specials().cluster_features);
  data.text("command", spec.command).text("comment", extras.comment);
  data.text("container", extras.container).text("container_id", view.specials().container_id);
}

void write_request(DataWriter& data, View view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  const JobSpecials& specials = view.specials();
  bool cores = extras.core_spec != kNoCoreSpec;
  data.flag("contiguous", spec.contiguous);
  data.integer("core_spec", cores && !extras.thread_spec ? extras.core_spec : 0);
  data.integer("thread_spec", cores && extras.thread_spec ? extras.core_spec : 32766);
  data.number("cores_per_socket", if_set(extras.cores_per_socket));
  data.number("billable_tres", cpu_count_of(view)).number("cpus_per_task", spec.cpus_per_task);
  for (const char* key :
       {"cpu_frequency_minimum", "cpu_frequency_maximum", "cpu_frequency_governor"})
    data.number(key, std::nullopt);
  data.text("cpus_per_tres", shown_gres(specials.cpus_per_tres)).text("cron", specials.cron);
  data.number("deadline", seconds(spec.deadline)).number("delay_boot", specials.delay_boot_s);
  data.text("dependency", view.job().dependency->shown());
  write_exit(data, "derived_exit_code", view.job().derived_exit);
  data.number("eligible_time", seconds(view.job().held() ? Instant{} : view.job().eligible));
  data.number("end_time", seconds(end_of(view)));
  data.text("excluded_nodes", extras.excluded_nodes);
  write_exit(data, "exit_code", view.job().exit);
  data.text("extra", extras.extra).text("failed_node", "").text("features", extras.features);
  data.text("federation_origin", "").text("federation_siblings_active", "");
  data.text("federation_siblings_viable", "").texts("gres_detail", gres_details(view));
  data.integer("group_id", spec.gid.value).text("group_name", group_name(spec.gid.value));
}

void write_resources(DataWriter& data, View view) {
  const Allocation& held = *view.job().allocation;
  data.begin_map("job_resources");
  if (!held.nodes.empty()) {
    auto hosts = Hostlist::parse(view.row->nodes);
    std::vector<std::string> names;
    if (hosts && hosts->count() == held.nodes.size()) names = hosts->names();
    data.texts("select_type", {"CPU", "MEMORY"});
    data.begin_map("nodes");
    data.integer("count", static_cast<std::int64_t>(held.nodes.size()));
    data.texts("select_type", {view.spec().exclusive ? "RESERVED" : "AVAILABLE"});
    data.text("list", view.row->nodes).flag("whole", view.spec().exclusive);
    data.begin_list("allocation");
    for (std::size_t i = 0; i < held.nodes.size(); ++i) {
      data.begin_map().integer("index", static_cast<std::int64_t>(i));
      data.text("name", i < names.size() ? names[i] : "");
      data.begin_map("cpus").integer("count", held.nodes[i].cpus).integer("used", 0).end();
      data.begin_map("memory").integer("used", 0);
      data.integer("allocated", static_cast<std::int64_t>(held.nodes[i].memory_mb)).end();
      data.texts("sockets", {}).end();
    }
    data.end().end();
    data.integer("cpus", held.cpus()).number("threads_per_core", std::nullopt);
  }
  data.end();
}

void write_state(DataWriter& data, View view) {
  const Job& job = view.job();
  const JobExtras& extras = view.extras();
  std::string het_set;
  if (job.het_job)
    het_set = std::to_string(job.het_job.value) + "-" +
              std::to_string(job.het_job.value + std::max(1u, job.het_count) - 1);
  data.number("het_job_id", job.het_job.value).text("het_job_id_set", het_set);
  data.number("het_job_offset", job.het_offset).integer("job_id", job.id.value);
  write_resources(data, view);
  data.texts("job_size_str", {}).texts("job_state", states_of(job));
  data.number("last_sched_evaluation", std::nullopt);
  bool runs = job.state == JobState::Running || job.state == JobState::Suspended;
  data.text("licenses", extras.licenses).text("licenses_allocated", runs ? extras.licenses : "");
  data.texts("mail_type", {}).text("mail_user", extras.mail_user);
  data.number("max_cpus", 0).number("max_nodes", view.spec().max_nodes);
  data.text("mcs_label", view.specials().mcs_label);
  std::uint32_t delay_s = view.specials().memory_delay_s;
  data.number("mem_update_delay", if_set(delay_s));
  data.number("mem_update_margin", delay_s ? Maybe(view.specials().memory_margin) : std::nullopt);
  data.text("memory_per_tres", shown_gres(view.specials().memory_per_tres))
      .text("name", view.spec().name);
  data.text("network", extras.network).text("nodes", view.row->nodes);
  data.integer("nice", view.spec().nice);
}

void write_counts(DataWriter& data, View view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  if (extras.binding.tasks_per_core)
    data.number("tasks_per_core", extras.binding.tasks_per_core);
  else
    data.infinite("tasks_per_core");
  data.number("tasks_per_tres", view.specials().tasks_per_tres);
  data.number("tasks_per_node", spec.tasks_per_node);
  if (extras.binding.tasks_per_socket)
    data.number("tasks_per_socket", extras.binding.tasks_per_socket);
  else
    data.infinite("tasks_per_socket");
  data.number("tasks_per_board", 0);
  data.number("cpus", cpu_count_of(view)).number("node_count", node_count_of(view));
  data.number("tasks", tasks_on(spec, node_count_of(view))).text("partition", view.partition());
  data.text("prefer", view.specials().prefer);
  std::uint64_t lowered = view.job().memory->lowered_mb;
  bool by_node = lowered || spec.memory_per_cpu_mb == 0;
  data.number("memory_per_cpu", by_node ? std::nullopt : if_set(spec.memory_per_cpu_mb));
  data.number("memory_per_node",
              by_node ? Maybe(lowered ? lowered : spec.memory_per_node_mb) : std::nullopt);
  data.number("minimum_cpus_per_node", least_cpus_per_node(spec));
  data.number("minimum_tmp_disk_per_node", extras.tmp_mb);
  data.begin_map("power").texts("flags", {}).end();
}

std::vector<std::string> shared_of(const JobSpec& spec) {
  std::uint8_t kind = spec.extras->specials->exclusive_kind;
  if (kind == kExclusiveUser) return {"user"};
  if (kind == kExclusiveMcs) return {"mcs"};
  if (kind == kExclusiveTopo) return {"topo"};
  if (spec.exclusive) return {"none"};
  return spec.oversubscribe ? std::vector<std::string>{"oversubscribe"}
                            : std::vector<std::string>{};
}

void write_order(DataWriter& data, View view) {
  const Job& job = view.job();
  data.number("preempt_time", seconds(job.preemption->at));
  data.number("preemptable_time", seconds(view.row->preemptable_from));
  data.number("pre_sus_time", static_cast<std::uint64_t>(job.suspended_for.count() / 1000));
  data.flag("hold", job.held());
  data.number("priority", job.held() ? 0 : job.priority).texts("priority_by_partition", {});
  data.texts("profile", {"NOT_SET"}).text("qos", view.spec().qos);
  data.flag("reboot", view.specials().reboot).text("required_nodes", view.extras().required_nodes);
  data.integer("required_switches", view.specials().switches);
  data.flag("requeue", view.spec().requeue).number("resize_time", seconds(view.job().resized));
  data.integer("restart_cnt", job.restarts).text("resv_name", view.extras().reservation);
  data.text("scheduled_nodes", view.row->scheduled_nodes);
  data.number("segment_size", if_set(view.specials().segment)).text("selinux_context", "");
  data.texts("shared", shared_of(view.spec()));
  data.integer("sockets_per_board", 0);
  data.number("sockets_per_node", if_set(view.extras().sockets_per_node));
  data.number("start_time", seconds(start_of(view)));
  data.text("state_description", view.row->reason_text);
  data.text("state_reason", name_of(view.row->reason));
}

void write_files(DataWriter& data, View view) {
  const JobSpec& spec = view.spec();
  const JobExtras& extras = view.extras();
  const std::string& error = extras.std_err;  // blank: it goes with the output
  std::string input = extras.std_in.empty() ? "/dev/null" : extras.std_in;
  data.text("standard_input", input).text("standard_output", spec.std_out);
  data.text("standard_error", error);
  data.text("stdin_expanded", shown_file(view, input));
  data.text("stdout_expanded", shown_file(view, spec.std_out));
  data.text("stderr_expanded", error.empty() ? error : shown_file(view, error));
}

void write_time(DataWriter& data, View view) {
  const Job& job = view.job();
  auto limit = time_limit_of(view);
  data.text("submit_line", view.spec().submit_line);
  data.number("submit_time", seconds(job.submit)).number("suspend_time", seconds(job.suspended_at));
  data.text("system_comment", view.extras().system_comment);
  if (limit && *limit == JobSpec::kUnlimited)
    data.infinite("time_limit");
  else
    data.number("time_limit", limit ? Maybe((*limit + 59) / 60) : std::nullopt);
  data.number("time_minimum", view.spec().time_min_s / 60);
  data.number("threads_per_core", if_set(view.extras().binding.threads_per_core));
}

void write_tres(DataWriter& data, View view) {
  const JobSpecials& specials = view.specials();
  data.text("tres_bind", specials.tres_bind).text("tres_freq", specials.tres_freq);
  data.text("tres_per_job", shown_gres(specials.tres_per_job));
  data.text("tres_per_node", tres_per_node(view));
  data.text("tres_per_socket", shown_gres(specials.tres_per_socket));
  data.text("tres_per_task", shown_gres(specials.tres_per_task));
  data.text("tres_req_str", requested_tres(view)).text("tres_alloc_str", allocated_tres(view));
}

}  // namespace

void write_job(DataWriter& data, const JobView& view) {
  data.begin_map();
  write_identity(data, view);
  write_request(data, view);
  write_state(data, view);
  write_counts(data, view);
  write_order(data, view);
  write_files(data, view);
  write_time(data, view);
  write_tres(data, view);
  data.integer("user_id", view.spec().uid.value).text("user_name", shown_user(view));
  data.integer("maximum_switch_wait_time", view.specials().switch_wait_s);
  data.text("wckey", view.extras().wckey);
  data.text("current_working_directory", view.spec().work_dir);
  data.end();
}

}  // namespace ym::cli
