// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/data.h"

#include "base/text.h"
#include "cli/common/host_functions.h"
#include "cli/common/report.h"
#include "cli/common/targets.h"

namespace ym::cli {

int print_data(ScontrolContext& context, const Words& words,
               const std::function<void(DataWriter&)>& fill) {
  ReportWish wish;
  wish.notation = context.settings().notation;
  wish.command = words;
  wish.command.insert(wish.command.begin(), "scontrol");
  if (auto controller = context.controller()) wish.cluster = (*controller)->config().cluster_name;
  DataWriter data(*wish.notation);
  data.begin_map();
  fill(data);
  write_meta(data, wish);
  data.end();
  print(data.finish());
  return 0;
}

void write_step(DataWriter& data, const StepRow& row) {
  const Step& step = row.step;
  std::uint32_t cpus = 0;
  std::uint64_t memory_mb = 0;
  for (const StepShare& share : step.shares) {
    cpus += share.cpus;
    memory_mb += share.memory_mb;
  }
  data.begin_map();
  data.begin_map("time");
  data.number("start", step.start.unix_seconds());
  if (!step.limit_end || step.limit_end == kNever)
    data.infinite("limit");
  else
    data.number("limit", static_cast<std::uint64_t>((step.limit_end - step.start).count() / 60000));
  data.end();
  data.begin_map("nodes");
  data.integer("count", static_cast<std::int64_t>(step.shares.size()));
  data.text("range", row.nodes);
  auto hosts = Hostlist::parse(row.nodes);
  data.texts("list", hosts ? hosts->names() : std::vector<std::string>());
  data.end();
  data.begin_map("tasks").integer("count", step.tasks).end();
  data.begin_map("cpus").integer("count", cpus).end();
  data.begin_map("memory").number("allocated", memory_mb).end();
  data.texts("state", {"RUNNING"});
  data.begin_map("step");
  data.begin_map("id");
  data.integer("job_id", row.job.value).text("step_id", step_name(step.id));
  data.end();
  data.text("name", step.name).text("id_string", shown_step(row));
  data.end();
  data.integer("user_id", row.uid.value).text("user", row.user_name);
  data.text("partition", row.partition).text("container", step.container);
  data.end();
}

void write_reservation(DataWriter& data, const ReservationRow& row, Instant now) {
  const Reservation& one = row.reservation;
  std::vector<std::string> flags;
  std::string said = flags_text(one);
  for (std::string_view flag : split_words(said, ','))
    flags.emplace_back(flag.substr(0, flag.find('=')));
  data.begin_map();
  data.text("accounts", one.accounts).text("burst_buffer", one.burst_buffer);
  data.integer("core_count", row.cores);
  data.number("start_time", one.start.unix_seconds());
  data.number("end_time", one.end.unix_seconds());
  data.text("features", one.features).texts("flags", flags);
  data.text("groups", one.groups).text("licenses", one.licenses);
  data.integer("max_start_delay", one.max_start_delay_s).text("name", one.name);
  data.integer("node_count", static_cast<std::int64_t>(one.nodes.size()));
  data.text("node_list", row.nodes).text("partition", one.partition);
  data.text("tres", row.cpus ? fmt::format("cpu={}", row.cpus) : "");
  data.text("users", one.users).text("comment", one.comment).text("qos", one.qos);
  data.text("allowed_partitions", one.allowed_partitions);
  data.flag("active", one.active(now));
  data.end();
}

void write_license(DataWriter& data, const LicenseRow& row) {
  const License& one = row.license;
  data.begin_map();
  data.text("LicenseName", one.name).integer("Total", one.total).integer("Used", one.used);
  data.integer("Free", one.free()).flag("Remote", false).integer("Reserved", row.reserved);
  data.end();
}

void write_topology(DataWriter& data, const Topology& topology) {
  data.begin_list("switches");
  for (const TopologySwitch& one : topology.switches) {
    data.begin_map();
    data.text("name", one.name).integer("level", one.level);
    data.integer("link_speed", one.link_speed);
    data.text("nodes", one.members.str()).text("switches", one.switches.str());
    data.end();
  }
  data.end();
  data.begin_list("blocks");
  for (const TopologyBlock& one : topology.blocks) {
    data.begin_map();
    data.text("name", one.name).text("nodes", one.nodes.str());
    data.end();
  }
  data.end();
  if (!topology.rings.empty()) data.begin_list("rings");
  for (const TopologyRing& one : topology.rings) {
    data.begin_map();
    data.text("name", one.name).text("nodes", one.nodes.str());
    data.end();
  }
  if (!topology.rings.empty()) data.end();
  if (!topology.tori.empty()) data.begin_list("toruses");
  for (const TopologyTorus& one : topology.tori) {
    data.begin_map();
    data.text("name", one.name).text("nodes", hosts_of(one).str());
    data.begin_map("dims").integer("x", one.size.x).integer("y", one.size.y);
    data.integer("z", one.size.z).end();
    data.end();
  }
  if (!topology.tori.empty()) data.end();
}

}  // namespace ym::cli
