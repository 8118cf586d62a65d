// SPDX-License-Identifier: Apache-2.0
// Generic resources at admission: the options are understood once, here, and what they say about
// tasks, nodes and memory is filled in.
#include <algorithm>

#include "base/text.h"
#include "controller/controller.h"
#include "model/errc.h"
#include "model/gres_request.h"

namespace ym {
namespace {

bool asks_for_gpus(const GresRequest& request) {
  return std::ranges::any_of(request.wishes,
                             [](const GresWish& wish) { return wish.name == "gpu"; });
}

std::uint64_t gpus_per(const GresRequest& request, GresPer per) {
  std::uint64_t sum = 0;
  for (const GresWish& wish : request.wishes)
    if (wish.name == "gpu" && wish.per == per) sum += wish.count;
  return sum;
}

// --gpus together with --gpus-per-node says how many nodes it takes.
Status count_nodes(JobSpec& spec, GresRequest& request) {
  std::uint64_t of_job = gpus_per(request, GresPer::Job);
  std::uint64_t of_node = gpus_per(request, GresPer::Node);
  if (of_job == 0 || of_node == 0) return {};
  if (of_job % of_node != 0 || of_job / of_node > UINT32_MAX) return refuse(Errc::InvalidGres);
  auto nodes = static_cast<std::uint32_t>(of_job / of_node);
  if (nodes < spec.min_nodes || (spec.max_nodes && nodes > spec.max_nodes))
    return refuse(Errc::InvalidGres);
  spec.min_nodes = spec.max_nodes = nodes;
  spec.tasks = std::max(spec.tasks, nodes);
  std::erase_if(request.wishes, [](const GresWish& wish) {
    return wish.name == "gpu" && wish.per == GresPer::Job;
  });
  return {};
}

// --ntasks-per-gpu without a number of GPUs: as many as the tasks need.
void count_gpus(const JobSpec& spec, GresRequest& request) {
  if (request.tasks_per_gpu == 0 || asks_for_gpus(request)) return;
  std::uint64_t gpus =
      (std::uint64_t{spec.tasks} + request.tasks_per_gpu - 1) / request.tasks_per_gpu;
  request.wishes.push_back({.name = "gpu", .type = "", .count = gpus, .per = GresPer::Job});
}

void set_request(JobSpec& spec, Ref<GresRequest> request) {
  JobExtras extras = *spec.extras;
  JobSpecials specials = *extras.specials;
  specials.gres = std::move(request);
  extras.specials = Ref(std::move(specials));
  spec.extras = Ref(std::move(extras));
}

}  // namespace

Status Controller::understand_gres(JobSpec& spec) const {
  GresOptions options = gres_options(*spec.extras);
  bool none =
      options == GresOptions{.bind = options.bind, .freq = options.freq, .flags = options.flags};
  if (none) {
    // What a client may have written there counts for nothing.
    if (spec.extras->specials->gres) set_request(spec, {});
    return {};
  }
  auto request = understand(options);
  if (!request) return std::unexpected(request.error());
  count_gpus(spec, *request);
  std::vector<std::string_view> types = split_words(config_.gres_types, ',');
  for (const GresWish& wish : request->wishes)
    if (std::ranges::find(types, std::string_view(wish.name)) == types.end())
      return refuse(Errc::InvalidGres);
  if (gpus_per(*request, GresPer::Socket) && !spec.extras->sockets_per_node)
    return refuse(Errc::InvalidGres);
  if (Status ok = count_nodes(spec, *request); !ok) return ok;
  auto has_flag = [&](std::string_view name) {
    return std::ranges::any_of(split_words(options.flags, ','), [&](std::string_view flag) {
      return same_ignoring_case(flag, name);
    });
  };
  request->enforce_binding |= config_.gres_enforce_binding && !has_flag("disable-binding");
  request->many_per_shared = config_.gres_many_per_shared;
  request->one_task_per_shared |=
      config_.gres_one_task_per_shared && !has_flag("multiple-tasks-per-sharing");
  set_request(spec, request->wishes.empty() ? Ref<GresRequest>() : Ref(std::move(*request)));
  return {};
}

void Controller::fill_gpu_defaults(JobSpec& spec, const PartitionSpec& partition) const {
  const Ref<GresRequest>& known = spec.extras->specials->gres;
  if (!known || !asks_for_gpus(*known)) return;
  GresRequest request = *known;
  auto first = [](auto one, auto other) { return one ? one : other; };
  if (!request.cpus_per_gpu && spec.cpus_per_task <= 1)
    request.cpus_per_gpu = first(partition.default_cpus_per_gpu, config_.default_cpus_per_gpu);
  bool memory = spec.memory_per_cpu_mb || spec.memory_per_node_mb || request.memory_per_gpu_mb ||
                spec.extras->specials->all_memory;
  if (!memory)
    request.memory_per_gpu_mb =
        first(partition.default_memory_per_gpu_mb, config_.default_memory_per_gpu_mb);
  if (!(request == *known)) set_request(spec, Ref(std::move(request)));
}

}  // namespace ym
