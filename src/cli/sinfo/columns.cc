// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/local.h"
#include "cli/sinfo/sinfo.h"
#include "notation/hostlist.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

using Group = const NodeGroup&;
constexpr std::uint32_t kUnlimited = 0xffffffff;

const PartitionSpec& spec_of(Group group) { return *group.partition->partition.spec; }

std::string or_null(const std::string& text) { return text.empty() ? "(null)" : text; }

// The value if all nodes agree, else the lowest with a plus sign.
std::string lowest(Group group, const std::function<std::uint64_t(const NodeRow&)>& value) {
  if (group.nodes.empty()) return "0";
  std::uint64_t low = UINT64_MAX, high = 0;
  for (const NodeRow* node : group.nodes) {
    low = std::min(low, value(*node));
    high = std::max(high, value(*node));
  }
  return fmt::format("{}{}", low, low == high ? "" : "+");
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

struct Counts {
  std::uint64_t allocated = 0, idle = 0, other = 0, total = 0;
};

bool is_out(const Node& node) {
  return node.condition != NodeCondition::Up || node.drain || node.fail ||
         node.reboot.phase == RebootPhase::Issued;
}

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
        row->node.exclusive ? all : std::min<std::uint64_t>(row->node.cpus_used, all);
    out.total += all;
    out.allocated += used;
    (is_out(row->node) ? out.other : out.idle) += all - used;
  }
  return out;
}

std::string four(const Counts& c) {
  return fmt::format("{}/{}/{}/{}", c.allocated, c.idle, c.other, c.total);
}

// Nodes in trouble first, idle ones last.
std::int64_t state_rank(Group group) {
  if (group.nodes.empty()) return 100;
  static constexpr std::string_view order[] = {"down", "drain", "drng", "fail",  "failg",
                                               "boot", "comp",  "mix",  "alloc", "idle"};
  std::string state = state_compact(group.nodes[0]->node);
  bool silent = state.ends_with('*');
  if (silent || state.ends_with('@') || state.ends_with('^')) state.pop_back();
  for (std::size_t i = 0; i < std::size(order); ++i)
    if (order[i] == state) return static_cast<std::int64_t>(i * 2 + (silent ? 0 : 1));
  return 50;
}

std::string size_range(Group group) {
  const PartitionSpec& spec = spec_of(group);
  std::uint32_t low = std::max(1u, spec.min_nodes);
  if (spec.max_nodes == kUnlimited) return fmt::format("{}-infinite", low);
  return low == spec.max_nodes ? fmt::format("{}", low) : fmt::format("{}-{}", low, spec.max_nodes);
}

std::string shape(Group group) {
  return first_text(
      group,
      [](const NodeRow& row) {
        const NodeSpec& spec = *row.node.spec;
        return fmt::format("{}:{}:{}", spec.sockets, spec.cores_per_socket, spec.threads_per_core);
      },
      "0:0:0");
}

using Columns = std::vector<Column<NodeGroup>>;

Columns partition_columns() {
  return {
      {'P', "partition", "PARTITION",
       [](Group g) { return spec_of(g).name + (spec_of(g).is_default ? "*" : ""); },
       [](Group g) { return static_cast<std::int64_t>(g.partition->partition.id.value); }, true},
      {'R', "partitionname", "PARTITION", [](Group g) { return spec_of(g).name; }, nullptr, true},
      {'a', "available", "AVAIL",
       [](Group g) {
         std::string state = to_lower(name_of(spec_of(g).state));
         return state == "inactive" ? std::string("inact") : state;
       },
       nullptr, true},
      {'l', "time", "TIMELIMIT", [](Group g) { return limit_text(spec_of(g).max_time_s); }, nullptr,
       true},
      {'L', "defaulttime", "DEFAULTTIME",
       [](Group g) {
         return spec_of(g).default_time_s ? limit_text(spec_of(g).default_time_s)
                                          : std::string("n/a");
       },
       nullptr, true},
      {'s', "size", "JOB_SIZE", size_range, nullptr, true},
      {'r', "root", "ROOT",
       [](Group g) { return std::string(spec_of(g).root_only ? "yes" : "no"); }, nullptr, true},
      {'h', "oversubscribe", "OVERSUBS", [](Group g) { return to_upper(spec_of(g).oversubscribe); },
       nullptr, true},
      {'g', "groups", "GROUPS",
       [](Group g) {
         return spec_of(g).allow_groups.empty() ? std::string("all") : spec_of(g).allow_groups;
       },
       nullptr, true},
      {'p', "prioritytier", "PRIO_TIER",
       [](Group g) { return fmt::format("{}", spec_of(g).priority_tier); }, nullptr, true},
      {'I', "priorityjobfactor", "PRIO_JOB_FACTOR",
       [](Group g) { return fmt::format("{}", spec_of(g).priority_job_factor); }, nullptr, true},
      {'M', "preemptmode", "PREEMPT_MODE",
       [](Group g) { return to_upper(spec_of(g).preempt_mode); }, nullptr, true},
      {'S', "allocnodes", "ALLOCNODES", [](Group) { return std::string("all"); }, nullptr, true},
      {'B', "maxcpuspernode", "MAX_CPUS_PER_NODE",
       [](Group g) {
         return spec_of(g).max_cpus_per_node == kUnlimited
                    ? std::string("UNLIMITED")
                    : fmt::format("{}", spec_of(g).max_cpus_per_node);
       },
       nullptr, true},
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
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->cpus; }); }},
      {'m', "memory", "MEMORY",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->memory_mb; }); }},
      {'d', "disk", "TMP_DISK",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->tmp_mb; }); }},
      {'w', "weight", "WEIGHT",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->weight; }); }},
      {'X', "sockets", "SOCKETS",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.spec->sockets; }); }},
      {'Y', "cores", "CORES",
       [](Group g) {
         return lowest(g, [](const NodeRow& n) { return n.node.spec->cores_per_socket; });
       }},
      {'Z', "threads", "THREADS",
       [](Group g) {
         return lowest(g, [](const NodeRow& n) { return n.node.spec->threads_per_core; });
       }},
      {'z', "socketcorethread", "S:C:T", shape},
      {'e', "freemem", "FREE_MEM",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.free_memory_mb; }); }},
      {0, "allocmem", "ALLOCMEM",
       [](Group g) { return lowest(g, [](const NodeRow& n) { return n.node.memory_used_mb; }); }},
      {'O', "cpusload", "CPU_LOAD",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return fmt::format("{}.{:02}", n.cpu_load / 100, n.cpu_load % 100);
             },
             "N/A");
       }},
  };
}

Columns node_value_columns() {
  return {
      {'t', "statecompact", "STATE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return state_compact(n.node); }, "n/a");
       },
       state_rank, true},
      {'T', "statelong", "STATE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return state_word(n.node); }, "n/a");
       },
       state_rank, true},
      {0, "statecomplete", "STATECOMPLETE",
       [](Group g) {
         return first_text(g, [](const NodeRow& n) { return to_lower(state_long(n.node)); }, "n/a");
       },
       state_rank, true},
      {'f', "features", "AVAIL_FEATURES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(n.node.spec->features); }, "(null)");
       },
       nullptr, true},
      {'b', "features_act", "ACTIVE_FEATURES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(n.node.spec->features); }, "(null)");
       },
       nullptr, true},
      {'G', "gres", "GRES",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return or_null(n.node.spec->gres); }, "(null)");
       },
       nullptr, true},
      {'E', "reason", "REASON",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return n.node.reason.empty() ? "none" : n.node.reason; },
             "none");
       },
       nullptr, true},
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
       nullptr, true},
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
       nullptr, true},
      {'H', "timestamp", "TIMESTAMP",
       [](Group g) {
         return first_text(
             g, [](const NodeRow& n) { return show_time(n.node.reason_time, "Unknown"); },
             "Unknown");
       },
       nullptr, true},
      {'n', "nodehost", "HOSTNAMES",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.spec->hostname.empty() ? n.node.spec->name : n.node.spec->hostname;
             },
             "");
       },
       nullptr, true},
      {'o', "nodeaddr", "NODE_ADDR",
       [](Group g) {
         return first_text(
             g,
             [](const NodeRow& n) {
               return n.node.spec->address.empty() ? n.node.spec->name : n.node.spec->address;
             },
             "");
       },
       nullptr, true},
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
       nullptr, true},
      {'i', "reservation", "RESERVATION", [](Group) { return std::string(""); }},
      {'V', "cluster", "CLUSTER", [](Group) { return std::string("N/A"); }},
  };
}

}  // namespace

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
