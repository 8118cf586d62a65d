// SPDX-License-Identifier: Apache-2.0
// sinfo's lines for programs.
#include <algorithm>

#include "cli/common/local.h"
#include "cli/common/node_data.h"
#include "cli/sinfo/sinfo.h"
#include "model/node_gres.h"

namespace ym::cli {
namespace {

using Value = std::uint64_t (*)(const NodeRow&);

struct Span {
  std::uint64_t low = 0, high = 0;
};
Span span_of(const NodeGroup& group, Value value) {
  Span out;
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    std::uint64_t one = value(*group.nodes[i]);
    out.low = i ? std::min(out.low, one) : one;
    out.high = std::max(out.high, one);
  }
  return out;
}

void write_span(DataWriter& data, std::string_view key, const NodeGroup& group, Value value) {
  Span span = span_of(group, value);
  data.begin_map(key).integer("minimum", static_cast<std::int64_t>(span.low));
  data.integer("maximum", static_cast<std::int64_t>(span.high)).end();
}

void write_counts(DataWriter& data, const Counts& counts) {
  data.integer("allocated", static_cast<std::int64_t>(counts.allocated));
  data.integer("idle", static_cast<std::int64_t>(counts.idle));
  data.integer("other", static_cast<std::int64_t>(counts.other));
  data.integer("total", static_cast<std::int64_t>(counts.total));
}

void write_nodes(DataWriter& data, const NodeGroup& group) {
  std::vector<std::string> hosts, addresses, names;
  for (const NodeRow* row : group.nodes) {
    const NodeSpec& spec = *row->node.spec;
    names.push_back(spec.name);
    hosts.push_back(spec.hostname.empty() ? spec.name : spec.hostname);
    addresses.push_back(spec.address.empty() ? spec.name : spec.address);
  }
  data.begin_map("nodes");
  write_counts(data, count_nodes(group));
  data.texts("hostnames", hosts).texts("addresses", addresses).texts("nodes", names).end();
}

void write_cpus(DataWriter& data, const NodeGroup& group) {
  data.begin_map("cpus");
  write_counts(data, count_cpus(group));
  Span cpus = span_of(group, [](const NodeRow& n) -> std::uint64_t { return n.node.spec->cpus; });
  data.integer("minimum", static_cast<std::int64_t>(cpus.low));
  data.integer("maximum", static_cast<std::int64_t>(cpus.high));
  write_span(data, "load", group, [](const NodeRow& n) -> std::uint64_t { return n.cpu_load; });
  std::uint32_t most = group.partition->partition.spec->max_cpus_per_node;
  data.begin_map("per_node");
  if (most == 0xffffffff)
    data.infinite("max");
  else
    data.number("max", most);
  data.end().end();
}

void write_memory(DataWriter& data, const NodeGroup& group) {
  Span all =
      span_of(group, [](const NodeRow& n) -> std::uint64_t { return n.node.spec->memory_mb; });
  Span free = span_of(group, [](const NodeRow& n) -> std::uint64_t { return n.free_memory_mb; });
  std::uint64_t used = 0;
  for (const NodeRow* row : group.nodes) used += row->node.memory_used_mb;
  data.begin_map("memory").integer("minimum", static_cast<std::int64_t>(all.low));
  data.integer("maximum", static_cast<std::int64_t>(all.high)).begin_map("free");
  data.number("minimum", free.low).number("maximum", free.high).end();
  data.integer("allocated", static_cast<std::int64_t>(used)).end();
}

}  // namespace

void write_group(DataWriter& data, const NodeGroup& group) {
  const NodeRow* first = group.nodes.empty() ? nullptr : group.nodes[0];
  data.begin_map().integer("port", first ? first->node.spec->port : 0).begin_map("node");
  data.texts("state", first ? state_flags(first->node) : std::vector<std::string>{}).end();
  write_nodes(data, group);
  write_cpus(data, group);
  write_span(data, "sockets", group,
             [](const NodeRow& n) -> std::uint64_t { return n.node.spec->sockets; });
  write_span(data, "cores", group,
             [](const NodeRow& n) -> std::uint64_t { return n.node.spec->cores_per_socket; });
  write_span(data, "threads", group,
             [](const NodeRow& n) -> std::uint64_t { return n.node.spec->threads_per_core; });
  write_span(data, "disk", group,
             [](const NodeRow& n) -> std::uint64_t { return n.node.spec->tmp_mb; });
  write_memory(data, group);
  write_span(data, "weight", group,
             [](const NodeRow& n) -> std::uint64_t { return n.node.spec->weight; });
  data.begin_map("features").text("total", first ? first->node.spec->features : "");
  data.text("active", first ? first->node.features_now() : "").end();
  data.begin_map("gres")
      .text("total", first ? gres_text(first->node) : "")
      .text("used", first ? gres_used_text(first->node) : "")
      .end();
  data.text("cluster", group.cluster).text("comment", first ? first->node.comment : "");
  data.text("extra", first ? first->node.extra : "");
  bool told = first && !first->node.reason.empty();
  data.begin_map("reason").text("description", told ? first->node.reason : "");
  Instant since = told ? first->node.reason_time : Instant{};
  data.number("time", static_cast<std::uint64_t>(since ? since.unix_seconds() : 0));
  data.text("user", told ? user_name(first->node.reason_uid.value) : "").end();
  data.text("reservation", first ? first->reservation : "");
  write_partition(data, "partition", *group.partition, group.cluster);
  data.end();
}

}  // namespace ym::cli
