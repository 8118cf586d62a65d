// SPDX-License-Identifier: Apache-2.0
#include "cli/options/gres_counts.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "model/gres_request.h"
#include "notation/gres.h"

namespace ym::cli {
namespace {

constexpr const char* kBadGres = "Invalid generic resource (gres) specification";

std::uint64_t gpus_in(const std::string& list) {
  auto terms = parse_gres(list);
  std::uint64_t sum = 0;
  if (terms)
    for (const GresTerm& term : *terms)
      if (term.name == "gpu") sum += std::min<std::uint64_t>(term.count, UINT32_MAX);
  return sum;
}

bool mixes_types(const std::string& list) {
  auto terms = parse_gres(list);
  if (!terms) return false;
  for (const GresTerm& one : *terms)
    for (const GresTerm& other : *terms)
      if (one.name == other.name && one.type.empty() != other.type.empty()) return true;
  return false;
}

Status check_nodes(const JobOptions& options, const GresOptions& wish) {
  std::uint64_t of_job = gpus_in(wish.per_job), of_node = gpus_in(wish.per_node);
  if (of_job == 0 || of_node == 0) return {};
  std::uint64_t nodes = of_job / of_node;
  std::uint64_t least = options.min_nodes.value_or(1), most = options.max_nodes.value_or(0);
  if (of_job % of_node == 0 && nodes >= least && (most == 0 || nodes <= most)) return {};
  if (of_job % of_node != 0) return fail(kBadGres);
  return fail(fmt::format(
      "Failed to validate job spec. Based on --gpu and --gres=gpu/--gpus-per-node required nodes "
      "({}) doesn't fall between min_nodes ({}) and max_nodes ({}) boundaries.\n{}",
      nodes, least, most, kBadGres));
}

}  // namespace

GresOptions gres_options_of(const JobOptions& options) {
  JobExtras extras = options.extras;
  extras.specials = Ref(options.specials);
  return gres_options(extras);
}

Status check_gres(const JobOptions& options, bool in_job) {
  const JobSpecials& wish = options.specials;
  GresOptions all = gres_options_of(options);
  for (const std::string* list : {&options.extras.gres, &wish.tres_per_job, &wish.tres_per_node,
                                  &wish.tres_per_socket, &wish.tres_per_task}) {
    if (*list != kNoGres && !parse_gres(*list)) return fail(kBadGres);
    if (mixes_types(*list))
      return fail("Invalid GRES specification (with and without type identification)");
  }
  if (gpus_in(wish.tres_per_task) && wish.tasks_per_tres)
    return fail(kFatal,
                "--gpus-per-task is mutually exclusive with --ntasks-per-gpu and "
                "SLURM_NTASKS_PER_GPU");
  if (in_job) return {};
  if (!wish.tres_per_socket.empty() && !options.extras.sockets_per_node)
    return fail(fmt::format(
        "--gpus-per-socket option requires --sockets-per-node specification\n{}", kBadGres));
  bool counted = options.tasks || options.tasks_per_node || gpus_in(all.per_job) > 0;
  if (gpus_in(wish.tres_per_task) && !counted)
    return fail(
        fmt::format("Failed to validate job spec. --gpus-per-task used without either "
                    "--gpus or -n/--ntasks is not allowed.\n{}",
                    kBadGres));
  return check_nodes(options, all);
}

std::optional<std::uint32_t> tasks_by_gpus(const JobOptions& options) {
  if (options.tasks || options.tasks_per_node) return std::nullopt;
  GresOptions wish = gres_options_of(options);
  std::uint64_t of_job = gpus_in(wish.per_job), of_node = gpus_in(wish.per_node),
                of_task = gpus_in(wish.per_task);
  std::uint64_t tasks = 0;
  if (of_job && of_task) tasks = of_job / of_task;
  if (wish.tasks_per) {
    std::uint64_t nodes = options.min_nodes.value_or(options.soft_nodes.value_or(1));
    tasks = (of_job ? of_job : of_node * nodes) * wish.tasks_per;
  }
  if (tasks == 0 || tasks > 0x7fffffff) return std::nullopt;
  return static_cast<std::uint32_t>(tasks);
}

std::uint32_t cpus_by_gpus(const JobOptions& options) {
  std::uint64_t cpus =
      gpus_in(options.specials.cpus_per_tres) * gpus_in(options.specials.tres_per_task);
  return cpus == 0 || cpus > 0xffff ? 1 : static_cast<std::uint32_t>(cpus);
}

std::string gpu_binding(const JobOptions& options) {
  const JobSpecials& wish = options.specials;
  if (!wish.tres_bind.empty()) return wish.tres_bind;
  if (wish.tasks_per_tres) return fmt::format("gpu:single:{}", wish.tasks_per_tres);
  bool apart = wish.gres_flags.find("one-task-per-sharing") != std::string::npos &&
               !wish.tres_per_task.empty() && gpus_in(wish.tres_per_task) == 0;
  if (apart) return "gpu:per_task:1";
  if (std::uint64_t gpus = gpus_in(wish.tres_per_task)) return fmt::format("gpu:per_task:{}", gpus);
  return "";
}

}  // namespace ym::cli
