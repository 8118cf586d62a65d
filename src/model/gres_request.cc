// SPDX-License-Identifier: Apache-2.0
#include "model/gres_request.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "model/errc.h"
#include "notation/gres.h"

namespace ym {
namespace {

// The more of --gres and --gpus-per-node, where both name a kind.
void add_wish(GresRequest& request, const GresTerm& term, GresPer per) {
  for (GresWish& wish : request.wishes) {
    if (wish.per != per || wish.name != term.name || wish.type != term.type) continue;
    wish.count = std::max(wish.count, term.count);
    return;
  }
  request.wishes.push_back({.name = term.name, .type = term.type, .count = term.count, .per = per});
}

Status add_wishes(GresRequest& request, std::string_view list, GresPer per) {
  auto terms = parse_gres(list);
  if (!terms) return refuse(Errc::InvalidGres);
  for (const GresTerm& term : *terms)
    if (term.count > 0) add_wish(request, term, per);
  return {};
}

bool mixes_types(const GresRequest& request) {
  for (const GresWish& one : request.wishes)
    for (const GresWish& other : request.wishes)
      if (one.per == other.per && one.name == other.name && one.type.empty() != other.type.empty())
        return true;
  return false;
}

// "gpu:4"
Result<std::uint64_t> amount_for_gpu(std::string_view text) {
  auto terms = parse_gres(text);
  if (!terms || terms->size() > 1) return refuse(Errc::InvalidGres);
  if (terms->empty()) return 0;
  if (terms->front().name != "gpu") return refuse(Errc::InvalidGres);
  return terms->front().count;
}

}  // namespace

GresOptions gres_options(const JobExtras& extras) {
  const JobSpecials& specials = *extras.specials;
  GresOptions options{.per_job = specials.tres_per_job,
                      .per_node = extras.gres,
                      .per_socket = specials.tres_per_socket,
                      .per_task = specials.tres_per_task,
                      .cpus_per = specials.cpus_per_tres,
                      .memory_per = specials.memory_per_tres,
                      .bind = specials.tres_bind,
                      .freq = specials.tres_freq,
                      .flags = specials.gres_flags,
                      .tasks_per = specials.tasks_per_tres};
  if (!specials.tres_per_node.empty())
    options.per_node += (options.per_node.empty() ? "" : ",") + specials.tres_per_node;
  return options;
}

Result<GresRequest> understand(const GresOptions& options) {
  GresRequest request;
  if (options.per_node != kNoGres) {
    // Each by itself: what --gres and --gpus-per-node both name is not wanted twice.
    for (std::string_view one : split_words(options.per_node, ','))
      if (Status ok = add_wishes(request, one, GresPer::Node); !ok)
        return std::unexpected(ok.error());
  }
  struct {
    const std::string& list;
    GresPer per;
  } others[] = {{options.per_job, GresPer::Job},
                {options.per_socket, GresPer::Socket},
                {options.per_task, GresPer::Task}};
  for (const auto& [list, per] : others)
    if (Status ok = add_wishes(request, list, per); !ok) return std::unexpected(ok.error());
  if (mixes_types(request) || request.wishes.size() > kGresKindsMax)
    return refuse(Errc::InvalidGres);
  auto cpus = amount_for_gpu(options.cpus_per);
  auto memory = amount_for_gpu(options.memory_per);
  if (!cpus || !memory || *cpus > 0xffff) return refuse(Errc::InvalidGres);
  request.cpus_per_gpu = static_cast<std::uint32_t>(*cpus);
  request.memory_per_gpu_mb = *memory;
  request.tasks_per_gpu = options.tasks_per;
  for (std::string_view flag : split_words(options.flags, ',')) {
    request.enforce_binding |= same_ignoring_case(flag, "enforce-binding");
    request.one_task_per_shared |= same_ignoring_case(flag, "one-task-per-sharing");
  }
  return request;
}

std::uint64_t wanted_on_node(const GresRequest& request, std::string_view name,
                             std::string_view type, std::uint64_t tasks, std::uint32_t sockets) {
  std::uint64_t most = 0;
  for (const GresWish& wish : request.wishes) {
    if (wish.name != name || wish.type != type || wish.per == GresPer::Job) continue;
    std::uint64_t factor = wish.per == GresPer::Task     ? tasks
                           : wish.per == GresPer::Socket ? std::max(1u, sockets)
                                                         : 1;
    bool huge = factor > 0 && wish.count > UINT64_MAX / factor;
    most = std::max(most, huge ? UINT64_MAX : wish.count * factor);
  }
  return most;
}

std::vector<std::pair<std::string, std::string>> gres_variables(const JobSpecials& specials) {
  std::vector<std::pair<std::string, std::string>> out;
  // "gpu:a100:2,gpu:1" is "a100:2,1" to those who ask for GPUs only.
  auto add = [&](const char* name, std::string_view list, bool one_text) {
    std::string text;
    std::vector<std::string_view> parts = one_text ? std::vector{list} : split_words(list, ',');
    for (std::string_view part : parts) {
      if (!part.starts_with("gpu:")) continue;
      text += fmt::format("{}{}", text.empty() ? "" : ",", part.substr(4));
    }
    if (!text.empty()) out.emplace_back(name, std::move(text));
  };
  add("SLURM_GPUS", specials.tres_per_job, false);
  add("SLURM_GPUS_PER_NODE", specials.tres_per_node, false);
  add("SLURM_GPUS_PER_SOCKET", specials.tres_per_socket, false);
  add("SLURM_GPUS_PER_TASK", specials.tres_per_task, false);
  add("SLURM_CPUS_PER_GPU", specials.cpus_per_tres, false);
  add("SLURM_MEM_PER_GPU", specials.memory_per_tres, false);
  add("SLURM_GPU_BIND", specials.tres_bind, true);
  add("SLURM_GPU_FREQ", specials.tres_freq, true);
  if (specials.tasks_per_tres)
    out.emplace_back("SLURM_NTASKS_PER_GPU", fmt::format("{}", specials.tasks_per_tres));
  if (!specials.tres_per_task.empty())
    out.emplace_back("SLURM_TRES_PER_TASK", shown_gres(specials.tres_per_task));
  return out;
}

std::string shown_gres(std::string_view list) {
  std::string out;
  for (std::string_view one : split_words(list, ',')) {
    for (std::string_view start : {"gres/", "gres:"})
      if (one.starts_with(start)) one.remove_prefix(start.size());
    out += fmt::format("{}gres/{}", out.empty() ? "" : ",", one);
  }
  return out;
}

}  // namespace ym
