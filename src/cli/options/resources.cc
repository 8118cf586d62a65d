// SPDX-License-Identifier: Apache-2.0
// How much of what the job gets, and where.
#include "cli/common/host_functions.h"
#include "cli/options/setters.h"
#include "notation/array.h"
#include "notation/hostlist.h"
#include "notation/size.h"
#include "notation/time_limit.h"

namespace ym::cli {
namespace {

// A count of nodes, perhaps with Slurm's k for 1024 or m for its square.
std::optional<std::uint32_t> node_count(std::string_view text) {
  std::uint32_t factor = 1;
  if (!text.empty() && text.find_last_of("kKmM") == text.size() - 1) {
    factor = text.back() == 'k' || text.back() == 'K' ? 1 << 10 : 1 << 20;
    text.remove_suffix(1);
  }
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number || *number > 0x7fffffff / factor) return std::nullopt;
  return *number * factor;
}

// "4" is exactly four, "2-4" any of them, "1-15:4" and "2,4,8" those and none in between.
Status set_nodes(JobOptions& options, std::string_view value) {
  if (value.find_first_of(",:") != std::string_view::npos) {
    auto sizes = ArrayExpression::parse(value);
    if (!sizes || sizes->max_running || sizes->indices.min() == 0)
      return fail(kWholeText, fmt::format("\"{}\" is not a valid node count", printable(value)));
    options.min_nodes = sizes->indices.min();
    options.max_nodes = sizes->indices.max();
    options.specials.node_counts = value;
    return {};
  }
  options.specials.node_counts.clear();
  auto dash = value.find('-');
  auto low = node_count(value.substr(0, dash));
  auto high = dash == std::string_view::npos ? low : node_count(value.substr(dash + 1));
  if (!low || !high)
    return fail(kWholeText, fmt::format("\"{}\" is not a valid node count", printable(value)));
  if (*low > *high)
    return fail(kWholeText, fmt::format("Maximum node count {} is less than minimum node count {}",
                                        *high, *low));
  options.min_nodes = low;
  options.max_nodes = high;
  return {};
}

template <auto Member>
Status set_megabytes(JobOptions& options, std::string_view value) {
  auto megabytes = parse_megabytes(value);
  if (!megabytes) return std::unexpected(megabytes.error());
  member_of(options, Member) = *megabytes;
  return {};
}

Status set_memory_per_node(JobOptions& options, std::string_view value) {
  if (Status set = set_megabytes<&JobSpec::memory_per_node_mb>(options, value); !set) return set;
  options.specials.all_memory = options.spec.memory_per_node_mb == 0;
  options.give_memory(MemoryWish::PerNode);
  return {};
}

Status set_memory_per_cpu(JobOptions& options, std::string_view value) {
  if (Status set = set_megabytes<&JobSpec::memory_per_cpu_mb>(options, value); !set) return set;
  options.give_memory(MemoryWish::PerCpu);
  return {};
}

// resources.yaml, which would name them, is nothing that we read.
Status refuse_resources(JobOptions&, std::string_view) {
  return fail(kWholeTextOne, "Invalid license specification");
}

constexpr std::uint32_t kMemoryMarginMax = 10'000;  // per cent
constexpr std::chrono::seconds kMemoryDelayMax = std::chrono::days(365);

// PERCENT@TIME
Status set_memory_update(JobOptions& options, std::string_view value) {
  auto at = value.find('@');
  if (at == std::string_view::npos) return fail("not PERCENT@TIME");
  auto margin = parse_unsigned<std::uint32_t>(value.substr(0, at));
  auto delay = parse_time_limit(value.substr(at + 1));
  if (!margin || *margin > kMemoryMarginMax || !delay || delay->unlimited)
    return fail("not PERCENT@TIME");
  bool in_range = delay->span >= std::chrono::minutes(1) && delay->span <= kMemoryDelayMax;
  if (!in_range) return fail("the time is less than a minute, or too long");
  options.specials.memory_margin = *margin;
  options.specials.memory_delay_s = static_cast<std::uint32_t>(delay->span.count());
  return {};
}

template <auto Member>
Status set_hostlist(JobOptions& options, std::string_view value) {
  if (value.find('/') != std::string_view::npos) {
    if constexpr (std::is_same_v<decltype(Member), decltype(&JobExtras::required_nodes)>) {
      options.nodelist_file = value;
      return {};
    }
  }
  if (has_host_function(value)) {  // resolved when the controller can be asked
    member_of(options, Member) = value;
    return {};
  }
  // What is no list is refused later, in the words for names that are no node's.
  auto hosts = Hostlist::parse(value);
  member_of(options, Member) = hosts ? hosts->str() : std::string(value);
  return {};
}

Status set_exclusive(JobOptions& options, std::string_view value) {
  std::uint8_t kind = kExclusiveNode;
  if (!value.empty()) {
    auto word = one_of(value, {"user", "mcs", "topo"});
    if (!word) return std::unexpected(word.error());
    kind = *word == "user" ? kExclusiveUser : *word == "mcs" ? kExclusiveMcs : kExclusiveTopo;
  }
  options.specials.exclusive_kind = kind;
  // With one's own kind nodes may be shared.
  options.spec.exclusive = kind != kExclusiveUser && kind != kExclusiveMcs;
  options.exclusive_cpus = true;
  options.give(Wish::Exclusive);
  return {};
}

// Of srun alone: whole nodes for the job that it makes, whose tasks may share their CPUs.
Status set_step_exclusive(JobOptions& options, std::string_view value) {
  bool allocation = same_ignoring_case(value, "allocation");
  Status set = set_exclusive(options, allocation ? "" : value);
  options.exclusive_cpus = !allocation;
  return set;
}

Status set_oversubscribe(JobOptions& options, std::string_view) {
  options.spec.oversubscribe = true;
  options.give(Wish::Oversubscribe);
  return {};
}

Status set_cpus_per_task(JobOptions& options, std::string_view value) {
  if (Status set = set_count<&JobOptions::cpus_per_task>(options, value); !set) return set;
  options.give(Wish::CpusPerTask);
  return {};
}

Status set_soft_nodes(JobOptions& options, std::string_view value) {
  if (auto count = node_count(value.substr(0, value.find('-')))) options.soft_nodes = count;
  return {};
}

std::span<const JobOption> amount_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "nodes",
                           .letter = 'N',
                           .takes = Takes::Value,
                           .argument = "MIN[-MAX]",
                           .help = "Number of nodes"},
                  .set = set_nodes}},
      {.option = {.info = {.name = "allocated-nodes",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Nodes of the allocation around srun",
                           .hidden = true},
                  .set = set_soft_nodes},
       .commands = kSrun,
       .srun_variable = "SLURM_JOB_NUM_NODES"},
      {.option = {.info = {.name = "ntasks",
                           .letter = 'n',
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Number of tasks"},
                  .set = set_count<&JobOptions::tasks>},
       .srun_variable = "SLURM_NTASKS"},
      {.option = {.info = {.name = "ntasks-per-node",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Tasks on each node"},
                  .set = set_count<&JobOptions::tasks_per_node>},
       .srun_variable = "SLURM_NTASKS_PER_NODE"},
      {.option = {.info = {.name = "cpus-per-task",
                           .letter = 'c',
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "CPUs for each task"},
                  .set = set_cpus_per_task},
       .srun_variable = "SRUN_CPUS_PER_TASK",
       .srun_other = "SLURM_CPUS_PER_TASK"},
      {.option = {.info = {.name = "mincpus",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "CPUs that a node must at least have"},
                  .set = set_count<&JobSpec::min_cpus_per_node>}},
  };
  return kRows;
}

std::span<const JobOption> memory_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "mem",
                           .takes = Takes::Value,
                           .argument = "SIZE[KMGT]",
                           .help = "Memory on each node, in megabytes without a unit; 0: all",
                           .variable = "MEM_PER_NODE"},
                  .set = set_memory_per_node},
       .srun_variable = ""},
      {.option = {.info = {.name = "mem-per-cpu",
                           .takes = Takes::Value,
                           .argument = "SIZE[KMGT]",
                           .help = "Memory for each CPU",
                           .variable = "MEM_PER_CPU"},
                  .set = set_memory_per_cpu},
       .srun_variable = ""},
      {.option = {.info = {.name = "tmp",
                           .takes = Takes::Value,
                           .argument = "SIZE[KMGT]",
                           .help = "Space for temporary files that a node must have"},
                  .set = set_megabytes<&JobExtras::tmp_mb>}},
      {.option = {.info = {.name = "licenses",
                           .letter = 'L',
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Licences that the job needs"},
                  .set = set_text<&JobExtras::licenses>}},
      {.option = {.info = {.name = "resources",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Hierarchical resources; refused: none are configured"},
                  .set = refuse_resources}},
      {.option = {.info = {.name = "mem-update",
                           .takes = Takes::Value,
                           .argument = "PERCENT@TIME",
                           .help = "After so long, keep so much more memory than is in use, and "
                                   "give the rest back"},
                  .set = set_memory_update}},
  };
  return kRows;
}

std::span<const JobOption> place_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "partition",
                           .letter = 'p',
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Partition, or several of which one will do",
                           .variable = "PARTITION"},
                  .set = set_text<&JobSpec::partitions>}},
      {.option = {.info = {.name = "nodelist",
                           .letter = 'w',
                           .takes = Takes::Value,
                           .argument = "HOSTS",
                           .help = "Nodes that the job must have; a file's name if it has a slash"},
                  .set = set_hostlist<&JobExtras::required_nodes>}},
      {.option = {.info = {.name = "nodefile",
                           .letter = 'F',
                           .takes = Takes::Value,
                           .argument = "FILE",
                           .help = "Nodes that the job must have, from a file"},
                  .set = set_text<&JobOptions::nodefile>}},
      {.option = {.info = {.name = "exclude",
                           .letter = 'x',
                           .takes = Takes::Value,
                           .argument = "HOSTS",
                           .help = "Nodes that the job must not have"},
                  .set = set_hostlist<&JobExtras::excluded_nodes>}},
      {.option = {.info = {.name = "constraint",
                           .letter = 'C',
                           .takes = Takes::Value,
                           .argument = "FEATURES",
                           .help = "Features that the nodes must have",
                           .variable = "CONSTRAINT"},
                  .set = set_text<&JobExtras::features>}},
      {.option =
           {.info =
                {.name = "prefer",
                 .takes = Takes::Value,
                 .argument = "FEATURES",
                 .help =
                     "Features that are taken in place of --constraint's as long as there is room"},
            .set = set_text<&JobSpecials::prefer>}},
      {.option = {.info = {.name = "batch",
                           .takes = Takes::Value,
                           .argument = "FEATURES",
                           .help = "Of --constraint, what the script's node shall have",
                           .variable = "BATCH"},
                  .set = set_text<&JobSpecials::batch_features>},
       .commands = kSbatch},
  };
  return kRows;
}

std::span<const JobOption> sharing_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "exclusive",
                           .takes = Takes::Maybe,
                           .argument = "user|mcs|topo",
                           .help = "Share no node with others, or with other users, labels or "
                                   "segments; for a step: share no CPU",
                           .variable = "EXCLUSIVE"},
                  .set = set_exclusive},
       .commands = kAllocators},
      {.option = {.info = {.name = "exclusive",
                           .takes = Takes::Maybe,
                           .argument = "user|mcs|topo|allocation",
                           .help = "Share no node with others, or with other users, labels or "
                                   "segments; for a step: share no CPU. allocation: for the job "
                                   "alone",
                           .variable = "EXCLUSIVE"},
                  .set = set_step_exclusive},
       .commands = kSrun},
      {.option = {.info = {.name = "oversubscribe",
                           .letter = 's',
                           .help = "Nodes may be shared with others"},
                  .set = set_oversubscribe}},
      {.option = {.info = {.name = "overcommit",
                           .letter = 'O',
                           .help = "More than one task on a CPU",
                           .variable = "OVERCOMMIT"},
                  .set = set_flag<&JobSpec::overcommit>}},
      {.option = {.info = {.name = "reservation",
                           .takes = Takes::Value,
                           .argument = "NAME",
                           .help = "Use this reservation's resources",
                           .variable = "RESERVATION"},
                  .set = set_text<&JobExtras::reservation>}},
      {.option = {.info = {.name = "bb",
                           .takes = Takes::Value,
                           .argument = "SPEC",
                           .help = "Burst buffer; kept with the job, where none is configured",
                           .variable = "BURST_BUFFER"},
                  .set = set_text<&JobExtras::burst_buffer>}},
      {.option = {.info = {.name = "bbf",
                           .takes = Takes::Value,
                           .argument = "FILE",
                           .help = "The same from a file"},
                  .set = set_text<&JobOptions::burst_buffer_file>}},
  };
  return kRows;
}

}  // namespace

void add_resource_options(std::vector<JobOption>& table) {
  table.insert(table.end(), amount_rows().begin(), amount_rows().end());
  table.insert(table.end(), memory_rows().begin(), memory_rows().end());
  table.insert(table.end(), place_rows().begin(), place_rows().end());
  table.insert(table.end(), sharing_rows().begin(), sharing_rows().end());
}

}  // namespace ym::cli
