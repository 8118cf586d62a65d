// SPDX-License-Identifier: Apache-2.0
// What the machines of a job must be like, and what of them it leaves alone.
#include "cli/options/setters.h"

namespace ym::cli {
namespace {

constexpr std::uint32_t kCountMax = 0xffff;
constexpr std::uint32_t kCoreSpecMax = 0x7fff;  // Slurm's

// A count, or * for any.
Result<std::uint32_t> count_or_any(std::string_view text) {
  if (text == "*") return 0;
  auto number = parse_unsigned<std::uint32_t>(text);
  if (!number || *number == 0 || *number > kCountMax) return bad_number();
  return *number;
}

template <std::uint32_t JobExtras::* Member>
Status set_least(JobOptions& options, std::string_view value) {
  auto count = count_or_any(value);
  if (!count) return std::unexpected(count.error());
  options.extras.*Member = *count;
  options.give(Member == &JobExtras::sockets_per_node ? Wish::SocketsPerNode
                                                      : Wish::CoresPerSocket);
  return {};
}

// SOCKETS[:CORES[:THREADS]]
Status set_extra_node_info(JobOptions& options, std::string_view value) {
  auto parts = split(value, ':');
  if (parts.size() > 3) return fail("not SOCKETS[:CORES[:THREADS]]");
  std::uint32_t counts[3] = {0, 0, options.extras.binding.threads_per_core};
  constexpr const char* kPlaces[3] = {"first", "second", "third"};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto count = count_or_any(parts[i]);
    if (!count)
      return fail(kWholeTextOne, fmt::format("Invalid numeric value \"{}\" for {} arg of -B.",
                                             printable(parts[i]), kPlaces[i]));
    counts[i] = *count;
  }
  options.extras.sockets_per_node = counts[0];
  options.extras.cores_per_socket = counts[1];
  options.extras.binding.threads_per_core = counts[2];
  return {};
}

template <bool Threads>
Status set_core_spec(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number > kCoreSpecMax) return bad_number();
  options.extras.core_spec = *number;
  options.extras.thread_spec = Threads;
  return {};
}

Status set_oom_kill_step(JobOptions& options, std::string_view value) {
  if (!value.empty() && value != "0" && value != "1") return bad_number();
  options.extras.oom_kill_step = value == "0" ? 1 : 2;
  return {};
}

std::span<const JobOption> machine_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "extra-node-info",
                           .letter = 'B',
                           .takes = Takes::Value,
                           .argument = "SOCKETS[:CORES[:THREADS]]",
                           .help = "Only nodes with at least so many sockets, cores per socket and "
                                   "threads per core; * is any",
                           .variable = ""},
                  .set = set_extra_node_info},
       .srun_variable = ""},
      {.option = {.info = {.name = "sockets-per-node",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Only nodes with at least so many sockets",
                           .variable = ""},
                  .set = set_least<&JobExtras::sockets_per_node>},
       .srun_variable = ""},
      {.option = {.info = {.name = "cores-per-socket",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Only nodes with at least so many cores in each socket",
                           .variable = ""},
                  .set = set_least<&JobExtras::cores_per_socket>},
       .srun_variable = ""},
  };
  return kRows;
}

std::span<const JobOption> spared_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "core-spec",
                           .letter = 'S',
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Whole nodes, of which so many cores are left to the system; "
                                   "needs AllowSpecResourcesUsage",
                           .variable = "CORE_SPEC"},
                  .set = set_core_spec<false>}},
      {.option = {.info = {.name = "thread-spec",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "The same in threads",
                           .variable = "THREAD_SPEC"},
                  .set = set_core_spec<true>}},
      {.option = {.info = {.name = "oom-kill-step",
                           .takes = Takes::Maybe,
                           .argument = "0|1",
                           .help = "End the whole step if the memory of one task is used up",
                           .variable = "OOM_KILL_STEP"},
                  .set = set_oom_kill_step},
       .srun_variable = "SLURM_OOMKILLSTEP"},
  };
  return kRows;
}

}  // namespace

void add_machine_options(std::vector<JobOption>& table) {
  table.insert(table.end(), machine_rows().begin(), machine_rows().end());
  table.insert(table.end(), spared_rows().begin(), spared_rows().end());
}

}  // namespace ym::cli
