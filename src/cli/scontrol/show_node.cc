// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/common/node_data.h"
#include "cli/scontrol/data.h"
#include "cli/scontrol/scontrol.h"
#include "model/node_gres.h"
#include "notation/hostlist.h"
#include "notation/tres.h"
#include "os/clock.h"

namespace ym::cli {
namespace {

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }
std::string or_name(const std::string& text, const std::string& name) {
  return text.empty() ? name : text;
}

std::string tres_text(std::uint64_t cpus, std::uint64_t memory_mb, bool billing) {
  Tres tres;
  if (cpus) tres.set("cpu", cpus);
  if (memory_mb) tres.set("mem", memory_mb);
  if (billing) tres.set("billing", cpus);
  return tres.str();
}

// What the node withholds for the system; empty if nothing.
std::string kept_from_jobs(const NodeSpec& spec) {
  std::string out;
  if (spec.core_spec_count) out += fmt::format("CoreSpecCount={} ", spec.core_spec_count);
  if (!spec.cpu_spec_list.empty()) out += fmt::format("CPUSpecList={} ", spec.cpu_spec_list);
  if (spec.mem_spec_limit_mb) out += fmt::format("MemSpecLimit={} ", spec.mem_spec_limit_mb);
  return out;
}

}  // namespace

std::string node_record(const NodeRow& row, const ScontrolSettings& settings) {
  const Node& node = row.node;
  const NodeSpec& spec = *node.spec;
  const NodeRegistration& found = *node.registration;
  std::vector<std::string> lines;
  std::string arch = found.arch.empty() ? "" : fmt::format("Arch={} ", found.arch);
  lines.push_back(
      fmt::format("NodeName={} {}CoresPerSocket={} ", spec.name, arch, spec.cores_per_socket));
  std::uint32_t used = node.cpus_taken();
  lines.push_back(fmt::format("CPUAlloc={} CPUEfctv={} CPUTot={} CPULoad={}.{:02}", used,
                              spec.cpus_for_jobs(), spec.cpus, row.cpu_load / 100,
                              row.cpu_load % 100));
  lines.push_back(fmt::format("AvailableFeatures={}", or_null(spec.features)));
  lines.push_back(fmt::format("ActiveFeatures={}", or_null(node.features_now())));
  lines.push_back(fmt::format("Gres={}", or_null(gres_text(node))));
  if (settings.details) {
    lines.push_back("GresDrain=N/A");
    lines.push_back(fmt::format("GresUsed={}", or_null(gres_used_text(node))));
  }
  std::string version = found.version.empty() ? "" : fmt::format(" Version={}", found.version);
  lines.push_back(fmt::format("NodeAddr={} NodeHostName={}{}", or_name(spec.address, spec.name),
                              or_name(spec.hostname, spec.name), version));
  if (spec.port) lines.back() += fmt::format(" Port={}", spec.port);
  if (!found.os.empty()) lines.push_back(fmt::format("OS={} ", found.os));
  lines.push_back(fmt::format("RealMemory={} AllocMem={} FreeMem={} Sockets={} Boards={}",
                              spec.memory_mb, node.memory_used_mb,
                              node.registration ? fmt::format("{}", row.free_memory_mb) : "N/A",
                              spec.sockets, spec.boards));
  if (std::string kept = kept_from_jobs(spec); !kept.empty()) lines.push_back(kept);
  lines.push_back(fmt::format(
      "State={} ThreadsPerCore={} TmpDisk={} Weight={} Owner={} MCS_label={}", state_long(node),
      spec.threads_per_core, spec.tmp_mb, spec.weight,
      node.for_user ? fmt::format("{}({})", user_name(node.owner.value), node.owner.value) : "N/A",
      node.for_mcs ? node.mcs_label : "N/A"));
  lines.push_back(fmt::format("Partitions={} ", join(row.partitions, ",")));
  lines.push_back(fmt::format("BootTime={} SlurmdStartTime={}", show_time(found.boot_time, "None"),
                              show_time(found.slurmd_start, "None")));
  lines.push_back(fmt::format("LastBusyTime={} ResumeAfterTime={}",
                              show_time(node.last_busy, "Unknown"),
                              show_time(node.resume_after, "None")));
  lines.push_back(fmt::format("CfgTRES={}{}",
                              tres_text(spec.cpus_for_jobs(), spec.memory_for_jobs(), true),
                              gres_tres_text(*node.gres, false)));
  lines.push_back(fmt::format("AllocTRES={}{}", tres_text(used, node.memory_used_mb, false),
                              gres_tres_text(*node.gres, true)));
  if (!row.reservation.empty()) lines.push_back(fmt::format("ReservationName={}", row.reservation));
  if (!node.comment.empty()) lines.push_back(fmt::format("Comment={}", node.comment));
  if (!node.instance_id.empty() || !node.instance_type.empty())
    lines.push_back(fmt::format("InstanceId={} InstanceType={}", or_null(node.instance_id),
                                or_null(node.instance_type)));
  if (!node.cpu_bind.empty()) lines.push_back(fmt::format("CpuBind={}", node.cpu_bind));
  if (!node.extra.empty()) lines.push_back(fmt::format("Extra={}", node.extra));
  if (!node.reason.empty())
    lines.push_back(fmt::format("Reason={} [{}@{}]", node.reason, user_name(node.reason_uid.value),
                                show_time(node.reason_time, "Unknown")));
  return record_text(lines, settings.one_line);
}

int show_nodes(ScontrolContext& context, const Words& words) {
  auto controller = context.controller();
  if (!controller) return context.fail_with(controller.error().text);
  QueryNodes question;
  if (!words.empty()) {
    auto hosts = hosts_of(context, words[0]);
    if (!hosts) return context.fail_with(fmt::format("Invalid node name: {}", hosts.error().text));
    question.nodes = hosts->str();
  }
  std::vector<NodeRow> rows;
  Status asked = fetch_rows<NodeRows>(**controller, question, rows);
  if (!asked)
    return context.fail_with(fmt::format("slurm_load_node error: {}", asked.error().text));
  if (!context.settings().all && !context.settings().future && words.empty())
    std::erase_if(rows,
                  [](const NodeRow& row) { return row.node.condition == NodeCondition::Future; });
  if (context.settings().notation)
    return print_data(context, {"show", "nodes"}, [&](DataWriter& data) {
      data.begin_list("nodes");
      for (const NodeRow& row : rows) write_node(data, row, (*controller)->config().cluster_name);
      data.end();
      data.number("last_update", wall_clock().unix_seconds());
    });
  if (rows.empty() && !words.empty()) {
    print(fmt::format("Node {} not found\n", words[0]));
    return 1;
  }
  std::string out;
  for (const NodeRow& row : rows) out += node_record(row, context.settings());
  print(rows.empty() ? "No nodes in the system\n" : out);
  return 0;
}

}  // namespace ym::cli
