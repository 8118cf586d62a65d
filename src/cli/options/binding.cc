// SPDX-License-Identifier: Apache-2.0
// Where tasks go: over nodes, sockets and cores, and what they are bound to there.
#include "notation/binding.h"

#include "cli/options/setters.h"
#include "notation/distribution.h"

namespace ym::cli {
namespace {

template <std::uint32_t BindingWish::* Member>
Status set_wish(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0 || *number > 0xffff) return bad_number();
  options.extras.binding.*Member = *number;
  return {};
}

Status set_distribution(JobOptions& options, std::string_view value) {
  if (value == "plane")
    return fail(kWholeText,
                "Invalid plane size or size not specified\n"
                "Invalid --distribution specification");
  auto distribution = Distribution::parse(value);
  if (!distribution) return std::unexpected(distribution.error());
  options.extras.binding.distribution = value;
  return {};
}

Status set_cpu_bind(JobOptions& options, std::string_view value) {
  auto bind = CpuBind::parse(value);
  if (!bind)
    return fail(kWholeTextOne, fmt::format("unrecognized --cpu-bind argument \"{}\"\n"
                                           "fatal: Failed to parse --cpu-bind= values.",
                                           printable(value)));
  if (bind->help) options.answer = cpu_bind_help();
  options.extras.binding.cpu_bind = value;
  return {};
}

Status set_mem_bind(JobOptions& options, std::string_view value) {
  auto bind = MemBind::parse(value);
  if (!bind)
    return fail(kWholeText,
                fmt::format("unrecognized --mem-bind argument \"{}\"", printable(value)));
  if (bind->help) options.answer = mem_bind_help();
  options.extras.binding.mem_bind = value;
  return {};
}

// A hint is a short word for other options.
Status set_hint(JobOptions& options, std::string_view value) {
  if (same_ignoring_case(value, "help")) {
    options.answer = hint_help();
    return {};
  }
  auto hint = parse_hint(value);
  if (!hint)
    return fail(kWholeTextOne, fmt::format("unrecognized --hint argument \"{}\", see --hint=help",
                                           printable(value)));
  BindingWish& wish = options.extras.binding;
  wish.hint = to_lower(value);
  options.give(Wish::Hint);
  bool single = *hint != Hint::None && *hint != Hint::Multithread;
  if (single && !wish.threads_per_core) wish.threads_per_core = 1;
  if (*hint == Hint::MemoryBound && !wish.tasks_per_socket) wish.tasks_per_socket = 1;
  return {};
}

std::span<const JobOption> layout_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "distribution",
                           .letter = 'm',
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "How tasks are laid over nodes:sockets:cores; each block or "
                                   "cyclic, also plane=SIZE, arbitrary and :fcyclic",
                           .variable = "DISTRIBUTION"},
                  .set = set_distribution}},
      {.option = {.info = {.name = "ntasks-per-socket",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Tasks on each socket at most"},
                  .set = set_wish<&BindingWish::tasks_per_socket>},
       .srun_variable = "SLURM_NTASKS_PER_SOCKET"},
      {.option = {.info = {.name = "ntasks-per-core",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Tasks on each core at most"},
                  .set = set_wish<&BindingWish::tasks_per_core>},
       .srun_variable = "SLURM_NTASKS_PER_CORE"},
      {.option = {.info = {.name = "threads-per-core",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Hardware threads of each core that are used",
                           .variable = "THREADS_PER_CORE"},
                  .set = set_wish<&BindingWish::threads_per_core>}},
      {.option = {.info = {.name = "hint",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "How tasks use their CPUs: compute_bound, memory_bound, "
                                   "multithread, nomultithread",
                           .variable = "HINT"},
                  .set = set_hint},
       .other_variable = "SLURM_HINT"},
  };
  return kRows;
}

std::span<const JobOption> bind_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "cpu-bind",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "Which CPUs tasks are bound to; help shows the types",
                           .variable = "CPU_BIND"},
                  .set = set_cpu_bind},
       .commands = kSrun},
      {.option = {.info = {.name = "cpu_bind",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "The former name of --cpu-bind",
                           .hidden = true},
                  .set = set_cpu_bind},
       .commands = kSrun},
      {.option = {.info = {.name = "mem-bind",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "Which memory tasks are bound to; help shows the types",
                           .variable = "MEM_BIND"},
                  .set = set_mem_bind}},
      {.option = {.info = {.name = "mem_bind",
                           .takes = Takes::Value,
                           .argument = "TYPE",
                           .help = "The former name of --mem-bind",
                           .hidden = true},
                  .set = set_mem_bind},
       .commands = kSrun},
  };
  return kRows;
}

}  // namespace

void add_binding_options(std::vector<JobOption>& table) {
  table.insert(table.end(), layout_rows().begin(), layout_rows().end());
  table.insert(table.end(), bind_rows().begin(), bind_rows().end());
}

}  // namespace ym::cli
