// SPDX-License-Identifier: Apache-2.0
// GPUs and other generic resources: by job, node, socket and task, and what goes with each.
#include "cli/options/setters.h"
#include "model/gres_request.h"
#include "notation/gpu_freq.h"
#include "notation/gres.h"
#include "notation/size.h"
#include "site/configuration.h"

namespace ym::cli {
namespace {

constexpr const char* kBadGres = "Invalid generic resource (gres) specification";

// [TYPE:]COUNT, several separated by commas; kept as "gpu:[TYPE:]COUNT".
template <auto Member>
Status set_gpus(JobOptions& options, std::string_view value) {
  std::string out;
  for (std::string_view one : split(value, ',')) {
    auto colon = one.rfind(':');
    std::string_view count = colon == std::string_view::npos ? one : one.substr(colon + 1);
    bool named = colon == std::string_view::npos || colon > 0;
    if (!parse_unsigned<std::uint32_t>(count) || !named) return fail(kWholeTextOne, kBadGres);
    out += fmt::format("{}gpu:{}", out.empty() ? "" : ",", one);
  }
  member_of(options, Member) = std::move(out);
  if constexpr (Member == &JobSpecials::tres_per_node) options.give(Wish::GpusPerNode);
  if constexpr (Member == &JobSpecials::tres_per_job)
    options.gpus_inherited = options.source == OptionSource::Environment;
  return {};
}

// What slurm.conf knows, as it may be asked for.
Status list_gres(JobOptions& options) {
  auto loaded = load_main_config();
  if (!loaded) return fail(kWholeTextOne, loaded.error().text);
  options.answer = "Valid gres options are:\n";
  for (std::string_view name : split_words(loaded->config.gres_types, ','))
    options.answer += fmt::format("{}[[:type]:count]\n", name);
  return {};
}

Status set_gres(JobOptions& options, std::string_view value) {
  if (same_ignoring_case(value, "help")) return list_gres(options);
  if (!parse_gres(value)) return fail(kWholeTextOne, kBadGres);
  options.extras.gres = same_ignoring_case(value, kNoGres) ? kNoGres : value;
  for (std::string_view one : split(value, ','))
    if (one == "gpu" || one.starts_with("gpu:") || one.starts_with("gres/gpu"))
      options.give(Wish::GpuGres);
  return {};
}

Status set_gres_flags(JobOptions& options, std::string_view value) {
  std::string words;
  for (std::string_view one : split(value, ',')) {
    auto word = one_of(one, {"disable-binding", "enforce-binding", "one-task-per-sharing",
                             "multiple-tasks-per-sharing", "allow-task-sharing"});
    if (!word) return std::unexpected(word.error());
    words += fmt::format("{}{}", words.empty() ? "" : ",", *word);
  }
  options.specials.gres_flags = std::move(words);
  return {};
}

Status set_cpus_per_gpu(JobOptions& options, std::string_view value) {
  auto number = parse_unsigned<std::uint32_t>(value);
  if (!number || *number == 0 || *number > 0xffff) return bad_number();
  options.specials.cpus_per_tres = fmt::format("gpu:{}", *number);
  options.give(Wish::CpusPerGpu);
  return {};
}

Status set_memory_per_gpu(JobOptions& options, std::string_view value) {
  auto megabytes = parse_megabytes(value);
  if (!megabytes) return std::unexpected(megabytes.error());
  options.specials.memory_per_tres = fmt::format("gpu:{}", *megabytes);
  options.give_memory(MemoryWish::PerGpu);
  return {};
}

bool count_after(std::string_view value, std::string_view word) {
  return value.starts_with(word) && parse_unsigned<std::uint32_t>(value.substr(word.size()));
}

// [verbose,]WAY
Status set_gpu_bind(JobOptions& options, std::string_view value) {
  std::string all = to_lower(value);
  std::string_view way = all;
  for (std::string_view start : {"verbose,", "v,"})
    if (way.starts_with(start)) way.remove_prefix(start.size());
  bool list = (way.starts_with("map_gpu:") || way.starts_with("mask_gpu:")) && way.back() != ':';
  if (way != "closest" && way != "none" && !list && !count_after(way, "single:") &&
      !count_after(way, "per_task:"))
    return fail(kWholeText, fmt::format("Invalid --gpu-bind argument: gpu:{}", printable(value)));
  options.specials.tres_bind = fmt::format("gpu:{}", value);
  return {};
}

Status set_gpu_freq(JobOptions& options, std::string_view value) {
  if (!GpuFreq::parse(value))
    return fail(kWholeText, fmt::format("Invalid --gpu-freq argument: gpu:{}", printable(value)));
  options.specials.tres_freq = fmt::format("gpu:{}", value);
  return {};
}

// cpu=N and gres/NAME[:TYPE]=N, also with a colon before the number. CPUs are --cpus-per-task.
Status set_tres_per_task(JobOptions& options, std::string_view value) {
  std::string resources;
  std::optional<std::uint32_t> cpus;
  for (std::string_view one : split(value, ',')) {
    auto end = one.find_last_of("=:");
    if (end == std::string_view::npos) return fail(fmt::format("no count in '{}'", printable(one)));
    auto number = parse_unsigned<std::uint32_t>(one.substr(end + 1));
    std::string_view name = one.substr(0, end);
    if (!number || *number == 0) return fail(fmt::format("no count in '{}'", printable(one)));
    if (name == "cpu")
      cpus = *number;
    else if (name.starts_with("gres/") && name.size() > 5)
      resources += fmt::format("{}{}:{}", resources.empty() ? "" : ",", name.substr(5), *number);
    else
      return fail(fmt::format("'{}' cannot be asked for by task", printable(name)));
  }
  if (cpus) options.cpus_per_task = cpus;
  options.specials.tres_per_task = std::move(resources);
  return {};
}

Status set_tasks_per_gpu(JobOptions& options, std::string_view value) {
  return set_count<&JobSpecials::tasks_per_tres>(options, value);
}

std::span<const JobOption> gpu_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "gpus",
                           .letter = 'G',
                           .takes = Takes::Value,
                           .argument = "[TYPE:]N",
                           .help = "GPUs of the whole job",
                           .variable = "GPUS"},
                  .set = set_gpus<&JobSpecials::tres_per_job>}},
      {.option = {.info = {.name = "gpus-per-node",
                           .takes = Takes::Value,
                           .argument = "[TYPE:]N",
                           .help = "GPUs on each node",
                           .variable = "GPUS_PER_NODE"},
                  .set = set_gpus<&JobSpecials::tres_per_node>}},
      {.option = {.info = {.name = "gpus-per-socket",
                           .takes = Takes::Value,
                           .argument = "[TYPE:]N",
                           .help = "GPUs on each socket",
                           .variable = "GPUS_PER_SOCKET"},
                  .set = set_gpus<&JobSpecials::tres_per_socket>}},
      {.option = {.info = {.name = "gpus-per-task",
                           .takes = Takes::Value,
                           .argument = "[TYPE:]N",
                           .help = "GPUs of each task",
                           .variable = "GPUS_PER_TASK"},
                  .set = set_gpus<&JobSpecials::tres_per_task>}},
      {.option = {.info = {.name = "cpus-per-gpu",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "CPUs for each GPU",
                           .variable = "CPUS_PER_GPU"},
                  .set = set_cpus_per_gpu}},
      {.option = {.info = {.name = "mem-per-gpu",
                           .takes = Takes::Value,
                           .argument = "SIZE[KMGT]",
                           .help = "Memory for each GPU",
                           .variable = "MEM_PER_GPU"},
                  .set = set_memory_per_gpu}},
      {.option = {.info = {.name = "ntasks-per-gpu",
                           .takes = Takes::Value,
                           .argument = "N",
                           .help = "Tasks on each GPU"},
                  .set = set_tasks_per_gpu},
       .srun_variable = "SLURM_NTASKS_PER_GPU"},
      {.option = {.info = {.name = "gpu-bind",
                           .takes = Takes::Value,
                           .argument = "[verbose,]WAY",
                           .help = "Which GPUs tasks see: closest, none, map_gpu:LIST, "
                                   "mask_gpu:LIST, single:N, per_task:N",
                           .variable = "GPU_BIND"},
                  .set = set_gpu_bind}},
      {.option = {.info = {.name = "gpu-freq",
                           .takes = Takes::Value,
                           .argument = "FREQUENCY",
                           .help =
                               "Clocks of the step's GPUs: low, medium, high, highm1 or a number "
                               "of MHz, memory=FREQUENCY, verbose",
                           .variable = "GPU_FREQ"},
                  .set = set_gpu_freq}},
  };
  return kRows;
}

std::span<const JobOption> gres_rows() {
  static constexpr JobOption kRows[] = {
      {.option = {.info = {.name = "gres",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Generic resources on each node: NAME[[:TYPE]:COUNT]; "
                                   "help lists them, none means none",
                           .variable = "GRES"},
                  .set = set_gres},
       .srun_variable = "SLURM_STEP_GRES"},
      {.option = {.info = {.name = "gres-flags",
                           .takes = Takes::Value,
                           .argument = "WORD,...",
                           .help = "disable-binding, enforce-binding, one-task-per-sharing, "
                                   "multiple-tasks-per-sharing, allow-task-sharing",
                           .variable = "GRES_FLAGS"},
                  .set = set_gres_flags}},
      {.option = {.info = {.name = "tres-per-task",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "Resources of each task: cpu=N,gres/NAME[:TYPE]=N",
                           .variable = "TRES_PER_TASK"},
                  .set = set_tres_per_task}},
      {.option = {.info = {.name = "tres-bind",
                           .takes = Takes::Value,
                           .argument = "LIST",
                           .help = "How tasks are bound to resources: gres/gpu:closest and others",
                           .variable = "TRES_BIND"},
                  .set = set_text<&JobSpecials::tres_bind>}},
  };
  return kRows;
}

}  // namespace

void add_generic_options(std::vector<JobOption>& table) {
  table.insert(table.end(), gpu_rows().begin(), gpu_rows().end());
  table.insert(table.end(), gres_rows().begin(), gres_rows().end());
}

bool wants_generic_resources(const JobOptions& options) {
  const JobSpecials& wish = options.specials;
  bool gres = !options.extras.gres.empty() && options.extras.gres != kNoGres;
  return gres || !wish.tres_per_job.empty() || !wish.tres_per_node.empty() ||
         !wish.tres_per_socket.empty() || !wish.tres_per_task.empty() ||
         !wish.cpus_per_tres.empty() || !wish.memory_per_tres.empty() || wish.tasks_per_tres != 0;
}

}  // namespace ym::cli
