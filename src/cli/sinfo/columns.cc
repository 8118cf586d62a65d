// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/sinfo/sinfo.h"
#include "model/node_gres.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Group = const NodeGroup&;
constexpr std::uint32_t kUnlimited = 0xffffffff;

const PartitionSpec& spec_of(Group group) { return *group.partition->partition.spec; }

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

struct Span {
  std::uint64_t low = 0, high = 0;
};
Span span_of(Group group, const std::function<std::uint64_t(const NodeRow&)>& value) {
  if (group.nodes.empty()) return {};
  Span out{.low = UINT64_MAX};
  for (const NodeRow* node : group.nodes) {
    out.low = std::min(out.low, value(*node));
    out.high = std::max(out.high, value(*node));
  }
  return out;
}

// The value if all nodes agree, else the lowest with a plus sign.
std::string lowest(Group group, const std::function<std::uint64_t(const NodeRow&)>& value) {
  Span span = span_of(group, value);
  return fmt::format("{}{}", span.low, span.low == span.high ? "" : "+");
}

std::string first_text(Group group, const std::function<std::string(const NodeRow&)>& value,
                       std::string_view none) {
  return group.nodes.empty() ? std::string(none) : value(*group.nodes[0]);
}

std::string limit_text(std::uint32_t seconds) {
  return seconds == kUnlimited ? "infinite" : print_span(std::chrono::seconds(seconds));
}

std::string hosts(Group group) {
  Hostlist list;
  for (const NodeRow* node : group.nodes) list.push_back(node->node.spec->name);
  return list.sorted().str();
}

bool is_out(const Node& node) {
  return node.condition != NodeCondition::Up || node.drain || node.fail ||
         node.reboot.phase == RebootPhase::Issued;
}

std::string four(const Counts& c) {
  return fmt::format("{}/{}/{}/{}", c.allocated, c.idle, c.other, c.total);
}

std::int64_t state_rank(Group group) {
  return group.nodes.empty() ? 0 : state_number(group.nodes[0]->node);
}

std::string size_range(Group group) {
  const PartitionSpec& spec = spec_of(group);
  std::uint32_t low = std::max(1u, spec.min_nodes);
  if (spec.max_nodes == kUnlimited) return fmt::format("{}-infinite", low);
  return low == spec.max_nodes ? fmt::format("{}", low) : fmt::format("{}-{}", low, spec.max_nodes);
}

std::string shape(Group group) {
  return fmt::format("{}:{}:{}",
                     lowest(group, [](const NodeRow& n) { return n.node.spec->sockets; }),
                     lowest(group, [](const NodeRow& n) { return n.node.spec->cores_per_socket; }),
                     lowest(group, [](const NodeRow& n) { return n.node.spec->threads_per_core; }));
}

std::string load_text(std::uint64_t load) {
  return fmt::format("{}.{:02}", load / 100, load % 100);
}
std::string loads(Group group) {
  Span span = span_of(group, [](const NodeRow& n) { return n.cpu_load; });
  if (group.nodes.empty()) return "N/A";
  if (span.low == span.high) return load_text(span.low);
  return load_text(span.low) + "-" + load_text(span.high);
}
std::string free_memory(Group group) {
  Span span = span_of(group, [](const NodeRow& n) { return n.free_memory_mb; });
  if (span.low == span.high) return fmt::format("{}", span.low);
  return fmt::format("{}-{}", span.low, span.high);
}

using Columns = std::vector<Column<NodeGroup>>;

Columns partition_columns() {
  return {
      {'P', "partition", "PARTITION",
       [](Group g) { return spec_of(g).name + (spec_of(g).is_default ? "*" : ""); },
       [](Group g) { return static_cast<std::int64_t>(g.partition->partition.id.value); },
       Splits::Always, true, true},
      {'R', "partitionname", "PARTITION", [](Group g) { return spec_of(g).name; }, nullptr,
       Splits::Always},
      {'a', "available", "AVAIL", [](Group g) { return to_lower(name_of(spec_of(g).state)); },
       nullptr, Splits::Always},
      {'l', "time", "TIMELIMIT", [](Group g) { return limit_text(spec_of(g).max_time_s); }, nullptr,
       Splits::Always},
      {'L', "defaulttime", "DEFAULTTIME",
       [](Group g) {
         return spec_of(g).default_time_s ? limit_text(spec_of(g).default_time_s)
                                          : std::string("n/a");
       },
       nullptr, Splits::Always},
      {'s', "size", "JOB_SIZE", size_range, nullptr, Splits::Always},
      {'r', "root", "ROOT",
       [](Group g) { return std::string(spec_of(g).root_only ? "yes" : "no"); }, nullptr,
       Splits::Always},
      {'h', "oversubscribe", "OVERSUBSCRIBE",
       [](Group g) { return to_upper(spec_of(g).oversubscribe); }, nullptr, Splits::Always},
      {0, "share", "OVERSUBSCRIBE", [](Group g) { return to_upper(spec_of(g).oversubscribe); },
       nullptr, Splits::Always},
      {'g', "groups", "GROUPS",
       [](Group g) {
         return spec_of(g).allow_groups.empty() ? std::string("all") : spec_of(g).allow_groups;
       },
       nullptr, Splits::Always},
      {'p', "prioritytier", "PRIO_TIER",
       [](Group g) { return fmt::format("{}", spec_of(g).priority_tier); }, nullptr,
       Splits::Always},
      {0, "priority", "PRIO_TIER",
       [](Group g) { return fmt::format("{}", spec_of(g).priority_tier); }, nullptr,
       Splits::Always},
      {'I', "priorityjobfactor", "PRIO_JOB_FACTOR",
       [](Group g) { return fmt::format("{}", spec_of(g).priority_job_factor); }, nullptr,
       Splits::Always},
      {'M', "preemptmode", "PREEMPT_MODE",
       [](Group g) { return preempt_mode_text(spec_of(g).preempt_mode); }, nullptr, Splits::Always},
      {'S', "allocnodes", "ALLOCNODES",
       [](Group g) {
         return same_ignoring_case(spec_of(g).alloc_nodes, "ALL") ? std::string("all")
                                                                  : spec_of(g).alloc_nodes;
       },
       nullptr, Splits::Always},
      {'B', "maxcpuspernode", "MAX_CPUS_PER_NODE",
       [](Group g) {
         return spec_of(g).max_cpus_per_node == kUnlimited
                    ? std::string("UNLIMITED")
                    : fmt::format("{}", spec_of(g).max_cpus_per_node);
       },
       nullptr, Splits::Always},
      {0, "maxcpuspersocket", "MAX_CPUS_PER_SOCKET",
       [](Group g) {
         return spec_of(g).max_cpus_per_socket == kUnlimited
                    ? std::string("UNLIMITED")
                    : fmt::format("{}", spec_of(g).max_cpus_per_socket);
       },
       nullptr, Splits::Always},
  };
}

Columns count_columns() {
  return {
      {'D', "nodes", "NODES", [](Group g) { return fmt::format("{}", g.nodes.size()); },
       [](Group g) { return static_cast<std::int64_t>(g.nodes.size()); }},
      {'A', "nodeai", "NODES(A/I)",
       [](Group g) { return fmt::format("{}/{}", count_nodes(g).allocated, count_nodes(g).idle); }},
      {'F', "nodeaiot", "NODES(A/I/O/T)", [](Group g) { return four(count_nodes(g)); }},
      {'C', "cpusstate", "CPUS(A/I/O/T)", [](Group g) { return four(count_cpus(g)); }},
      {'N', "nodelist", "NODELIST", hosts,
       [](Group g) {
         return static_cast<std::int64_t>(g.nodes.empty() ? 0 : g.nodes[0]->node.id.value);
       }},
      {'c', "cpus", "CPUS",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->cpus; }); },
       nullptr, Splits::Exact},
      {'m', "memory", "MEMORY",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->memory_mb; }); },
       nullptr, Splits::Exact},
      {'d', "disk", "TMP_DISK",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->tmp_mb; }); },
       nullptr, Splits::Exact},
      {'w', "weight", "WEIGHT",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->weight; }); },
       nullptr, Splits::Exact},
      {'X', "sockets", "SOCKETS",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->sockets; }); },
       nullptr, Splits::Exact},
      {'Y', "cores", "CORES",
       [](Group g) {
         return lowest(g, [](const NodeRow& n) { return n.node.spec->cores_per_socket; });
       },
       nullptr, Splits::Exact},
      {'Z', "threads", "THREADS",
       [](Group g) {
         return lowest(g, [](const NodeRow& n) { return n.node.spec->threads_per_core; });
       },
       nullptr, Splits::Exact},
      {'z', "socketcorethread", "S:C:T", shape, nullptr, Splits::Exact},
      {'e', "freemem", "FREE_MEM", free_memory, nullptr, Splits::Exact},
      {'O', "cpusload", "CPU_LOAD", loads, nullptr, Splits::Exact},
      {0, "allocmem", "ALLOCMEM",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.memory_used_mb; }); },
       nullptr, Splits::Always},
      {0, "port", "PORT",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return fmt::format("{}", n.node.spec->port); }, "0");
       },
       nullptr, Splits::Exact},
  };
}

Columns node_value_columns() {
  return {
      {'t', "statecompact", "STATE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return state_compact(n.node); }, "n/a");
       },
       state_rank, Splits::Always},
      {'T', "statelong", "STATE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return state_word(n.node); }, "n/a");
       },
       state_rank, Splits::Always},
      {0, "statecomplete", "STATECOMPLETE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return to_lower(state_long(n.node)); }, "n/a");
       },
       state_rank, Splits::Always},
      {'f', "features", "AVAIL_FEATURES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(n.node.spec->features); }, "(null)");
       },
       nullptr, Splits::Always},
      {'b', "features_act", "ACTIVE_FEATURES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(n.node.features_now()); }, "(null)");
       },
       nullptr, Splits::Always},
      {'G', "gres", "GRES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(gres_text(n.node)); }, "(null)");
       },
       nullptr, Splits::Always},
      {0, "gresused", "GRES_USED",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(gres_used_text(n.node)); }, "(null)");
       },
       nullptr, Splits::Always},
      {0, "comment", "COMMENT",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return or_null(n.node.comment); }, "(null)");
       },
       nullptr, Splits::Always},
      {0, "extra", "EXTRA",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return or_null(n.node.extra); }, "(null)");
       },
       nullptr, Splits::Always},
      {'E', "reason", "REASON",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return n.node.reason.empty() ? "none" : n.node.reason; },
             "none");
       },
       nullptr, Splits::Always},
  };
}

Columns node_text_columns() {
  return {
      {'u', "user", "USER",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.reason.empty() ? std::string("Unknown")
                                            : user_name(n.node.reason_uid.value);
             },
             "Unknown");
       },
       nullptr, Splits::Always},
      {'U', "userlong", "USER",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               std::uint32_t uid = n.node.reason_uid.value;
               return n.node.reason.empty() ? std::string("Unknown")
                                            : fmt::format("{}({})", user_name(uid), uid);
             },
             "Unknown");
       },
       nullptr, Splits::Always},
      {'H', "timestamp", "TIMESTAMP",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return show_time(n.node.reason_time, "Unknown"); },
             "Unknown");
       },
       nullptr, Splits::Always},
      {'n', "nodehost", "HOSTNAMES",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.spec->hostname.empty() ? n.node.spec->name : n.node.spec->hostname;
             },
             "");
       },
       nullptr, Splits::Always},
      {'o', "nodeaddr", "NODE_ADDR",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.spec->address.empty() ? n.node.spec->name : n.node.spec->address;
             },
             "");
       },
       nullptr, Splits::Always},
      {'v', "version", "VERSION",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.registration->version.empty() ? std::string("unknown")
                                                           : n.node.registration->version;
             },
             "unknown");
       },
       nullptr, Splits::Always},
      {'i', "reservation", "RESERVATION",
       [](Group g) { return first_text(g, [](const NodeRow& n) { return n.reservation; }, ""); },
       nullptr, Splits::Always},
      {'V', "cluster", "CLUSTER",
       [](Group g) { return g.cluster.empty() ? std::string("N/A") : std::string(g.cluster); }},
  };
}

}  // namespace

Counts count_nodes(Group group) {
  Counts out;
  for (const NodeRow* row : group.nodes) {
    ++out.total;
    if (is_out(row->node) && row->node.jobs == 0)
      ++out.other;
    else if (row->node.jobs > 0)
      ++out.allocated;
    else
      ++out.idle;
  }
  return out;
}

Counts count_cpus(Group group) {
  Counts out;
  for (const NodeRow* row : group.nodes) {
    std::uint64_t all = row->node.spec->cpus_for_jobs();
    std::uint64_t used =
        row->node.exclusive ? all : std::min<std::uint64_t>(row->node.cpus_taken(), all);
    out.total += all;
    out.allocated += used;
    (is_out(row->node) ? out.other : out.idle) += all - used;
  }
  return out;
}

const Columns& node_columns() {
  static const Columns columns = [] {
    Columns all = partition_columns();
    for (const Columns& some : {count_columns(), node_value_columns(), node_text_columns()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return columns;
}

}  // namespace ym::cli
