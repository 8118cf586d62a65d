// SPDX-License-Identifier: Apache-2.0
#include "cli/common/node_data.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "model/node_gres.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kUnlimited = 0xffffffff;

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> out;
  for (std::string_view word : split_words(list, ',')) out.emplace_back(word);
  return out;
}

std::uint64_t seconds(Instant time) {
  return time ? static_cast<std::uint64_t>(time.unix_seconds()) : 0;
}

// Of seconds, in minutes.
void write_minutes(DataWriter& data, std::string_view key, std::uint32_t seconds) {
  if (seconds == kUnlimited)
    data.infinite(key);
  else
    data.number(key, (seconds + 59) / 60);
}

void write_limit(DataWriter& data, std::string_view key, std::uint32_t limit) {
  if (limit == kUnlimited)
    data.infinite(key);
  else
    data.number(key, limit);
}

void write_machine(DataWriter& data, const NodeRow& row, std::string_view cluster) {
  const Node& node = row.node;
  const NodeSpec& spec = *node.spec;
  const NodeRegistration& registration = *node.registration;
  data.text("architecture", registration.arch).text("burstbuffer_network_address", "");
  data.integer("boards", spec.boards).number("boot_time", seconds(registration.boot_time));
  data.text("cluster_name", cluster).integer("cores", spec.cores_per_socket);
  data.integer("specialized_cores", spec.core_spec_count);
  data.integer("cpu_binding", 0).integer("cpu_load", row.cpu_load);
  data.number("free_mem", row.free_memory_mb).integer("cpus", spec.cpus);
  data.integer("effective_cpus", spec.cpus_for_jobs());
  data.text("specialized_cpus", spec.cpu_spec_list);
  data.text("comment", node.comment).text("extra", node.extra);
  data.texts("features", words_of(spec.features));
  data.texts("active_features", words_of(node.features_now()));
  data.text("gres", gres_text(row.node)).text("gres_drained", "N/A");
  data.text("gres_used", gres_used_text(row.node));
  data.text("instance_id", node.instance_id).text("instance_type", node.instance_type);
  data.number("last_busy", seconds(node.last_busy))
      .text("mcs_label", node.for_mcs ? node.mcs_label : "");
  data.integer("specialized_memory", static_cast<std::int64_t>(spec.mem_spec_limit_mb));
  data.text("name", spec.name).texts("next_state_after_reboot", {});
  data.text("address", spec.address.empty() ? spec.name : spec.address);
  data.text("hostname", spec.hostname.empty() ? spec.name : spec.hostname);
}

}  // namespace

std::vector<std::string> state_flags(const Node& node) {
  std::vector<std::string> out;
  for (std::string_view word : split_words(state_long(node), '+')) out.emplace_back(word);
  return out;
}

void write_node(DataWriter& data, const NodeRow& row, std::string_view cluster) {
  const Node& node = row.node;
  const NodeSpec& spec = *node.spec;
  data.begin_map();
  write_machine(data, row, cluster);
  data.texts("state", state_flags(node)).text("operating_system", node.registration->os);
  data.text("owner", "").texts("partitions", row.partitions).integer("port", spec.port);
  data.integer("real_memory", static_cast<std::int64_t>(spec.memory_mb))
      .text("res_cores_per_gpu", "");
  data.text("reason", node.reason).number("reason_changed_at", seconds(node.reason_time));
  data.text("reason_set_by_user", node.reason.empty() ? "" : user_name(node.reason_uid.value));
  data.number("resume_after", seconds(node.resume_after)).text("reservation", row.reservation);
  data.integer("alloc_memory", static_cast<std::int64_t>(node.memory_used_mb));
  data.integer("alloc_cpus", node.cpus_taken());
  std::uint32_t all = spec.cpus_for_jobs();
  data.integer("alloc_idle_cpus", all - std::min(all, node.cpus_taken()));
  data.text("tres", fmt::format("cpu={},mem={}M,billing={}", all, spec.memory_for_jobs(), all));
  data.text("tres_used", node.cpus_taken()
                             ? fmt::format("cpu={},mem={}M", node.cpus_taken(), node.memory_used_mb)
                             : std::string());
  data.number("slurmd_start_time", seconds(node.registration->slurmd_start));
  data.integer("sockets", spec.sockets).integer("threads", spec.threads_per_core);
  data.integer("temporary_disk", static_cast<std::int64_t>(spec.tmp_mb));
  data.integer("weight", spec.weight).text("version", node.registration->version);
  data.end();
}

void write_partition(DataWriter& data, std::string_view key, const PartitionRow& row,
                     std::string_view cluster) {
  const PartitionSpec& spec = *row.partition.spec;
  data.begin_map(key).begin_map("nodes");
  bool anywhere = same_ignoring_case(spec.alloc_nodes, "ALL");
  data.text("allowed_allocation", anywhere ? "" : spec.alloc_nodes);
  data.text("configured", spec.nodes).integer("total", row.node_count).end();
  data.begin_map("accounts").text("allowed", spec.allow_accounts);
  data.text("deny", spec.deny_accounts).end();
  data.begin_map("groups").text("allowed", spec.allow_groups).end();
  data.begin_map("qos").text("allowed", spec.allow_qos).text("deny", spec.deny_qos);
  data.text("assigned", spec.qos).end();
  data.text("alternate", spec.alternate);
  data.begin_map("tres").text("billing_weights", spec.tres_billing_weights);
  data.text("configured",
            fmt::format("cpu={},node={},billing={}", row.cpus, row.node_count, row.cpus));
  data.end();
  data.text("cluster", cluster).texts("select_type", {});
  data.begin_map("cpus").integer("task_binding", 0).integer("total", row.cpus).end();
  data.begin_map("defaults");
  data.integer("memory_per_cpu", static_cast<std::int64_t>(spec.default_memory_per_cpu_mb));
  data.number("partition_memory_per_cpu", spec.default_memory_per_cpu_mb);
  data.number("partition_memory_per_node", spec.default_memory_per_node_mb);
  write_minutes(data, "time", spec.default_time_s ? spec.default_time_s : spec.max_time_s);
  data.text("job", "").end();
  data.integer("grace_time", spec.grace_time_s);
  data.begin_map("maximums");
  write_limit(data, "cpus_per_node", spec.max_cpus_per_node);
  write_limit(data, "cpus_per_socket", spec.max_cpus_per_socket);
  data.integer("memory_per_cpu", static_cast<std::int64_t>(spec.max_memory_per_cpu_mb));
  data.number("partition_memory_per_cpu", spec.max_memory_per_cpu_mb);
  data.number("partition_memory_per_node", spec.max_memory_per_node_mb);
  write_limit(data, "nodes", spec.max_nodes);
  data.integer("shares", spec.oversubscribe == "NO" ? 1 : 4);
  data.begin_map("oversubscribe").integer("jobs", 1).texts("flags", {}).end();
  write_minutes(data, "time", spec.max_time_s);
  data.number("over_time_limit", std::nullopt).end();
  data.begin_map("minimums").integer("nodes", spec.min_nodes).end();
  data.text("name", spec.name).text("node_sets", "");
  data.begin_map("priority").integer("job_factor", spec.priority_job_factor);
  data.integer("tier", spec.priority_tier).end();
  data.begin_map("timeouts").number("resume", std::nullopt).number("suspend", std::nullopt).end();
  data.begin_map("partition").texts("state", {std::string(name_of(spec.state))}).end();
  data.number("suspend_time", std::nullopt).end();
}

}  // namespace ym::cli
