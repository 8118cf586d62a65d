// SPDX-License-Identifier: Apache-2.0
#include "daemon/launch/gres_order.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

struct Variable {
  const char* name;
  std::uint32_t flag;
};
constexpr Variable kGpuVariables[] = {{"CUDA_VISIBLE_DEVICES", kGresNvidiaEnv},
                                      {"GPU_DEVICE_ORDINAL", kGresOpenclEnv},
                                      {"ROCR_VISIBLE_DEVICES", kGresAmdEnv},
                                      {"ZE_AFFINITY_MASK", kGresOneapiEnv}};
constexpr const char* kOfOthers[] = {"SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE",
                                     "SLURM_SHARDS_ON_NODE", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"};

bool is_on_gpus(std::string_view name) { return name == "gpu" || name == "shard" || name == "mps"; }

// The GPUs of the shares, whole or in parts, by index.
std::set<std::uint32_t> gpus_of(const GresShares& shares) {
  std::set<std::uint32_t> gpus;
  for (const GresShare& share : shares)
    if (is_on_gpus(share.name)) gpus.insert(share.devices.begin(), share.devices.end());
  return gpus;
}

const GresDeviceHere* find_gpu(const GresHere& here, std::uint32_t index) {
  for (const GresDeviceHere& device : here.devices)
    if (device.name == "gpu" && device.index == index) return &device;
  return nullptr;
}

std::uint64_t count_of(const GresShares& shares, std::string_view name) {
  std::uint64_t count = 0;
  for (const GresShare& share : shares)
    if (share.name == name) count += share.count;
  return count;
}

std::string list_of(const std::set<std::uint32_t>& gpus, const GresHere& here) {
  std::string out;
  for (std::uint32_t index : gpus) {
    const GresDeviceHere* gpu = find_gpu(here, index);
    out += fmt::format("{}{}", out.empty() ? "" : ",", gpu ? gpu->number : index);
  }
  return out;
}

// As programs count them: from 0 among those that they may open, or by the numbers of the devices.
std::string visible_list(const std::set<std::uint32_t>& gpus, const std::set<std::uint32_t>& among,
                         const GresHere& here) {
  if (!here.constrained) return list_of(gpus, here);
  std::string out;
  std::uint32_t place = 0;
  for (std::uint32_t index : among) {
    if (gpus.contains(index)) out += fmt::format("{}{}", out.empty() ? "" : ",", place);
    ++place;
  }
  return out;
}

std::uint32_t flags_of(const std::set<std::uint32_t>& gpus, const GresHere& here) {
  std::uint32_t flags = 0;
  for (std::uint32_t index : gpus)
    if (const GresDeviceHere* gpu = find_gpu(here, index)) flags |= gpu->flags;
  constexpr std::uint32_t kAll = kGresNvidiaEnv | kGresAmdEnv | kGresOneapiEnv | kGresOpenclEnv;
  if (flags & kGresNoGpuEnv) return 0;
  return flags & kAll ? flags & kAll : kAll;
}

void set_visible(EnvironmentBlock& environment, const std::string& list, std::uint32_t flags) {
  for (const Variable& variable : kGpuVariables)
    if (flags & variable.flag) environment.set(variable.name, list);
}

// Hundredths of the GPU, for CUDA's server.
void set_mps(EnvironmentBlock& environment, const GresShares& mine, const GresHere& here) {
  std::uint64_t parts = count_of(mine, "mps"), room = 0;
  if (parts == 0) return;
  std::uint64_t gpus = 0;
  for (const GresItem& item : here.items)
    if (item.name == "mps") room += item.count;
  for (const GresDeviceHere& device : here.devices) gpus += device.name == "gpu" ? 1 : 0;
  std::uint64_t whole =
      gpus ? std::max<std::uint64_t>(1, room / gpus) : std::max<std::uint64_t>(1, room);
  environment.set("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                  std::min<std::uint64_t>(100, parts * 100 / whole));
}

// --- which task gets which ---

struct BindWay {
  bool verbose = false;
  std::string way;  // "closest", "map_gpu:0,1" …; empty: all see all
};

BindWay way_of(std::string_view text) {
  for (std::string_view one : split_words(text, ';')) {
    if (one.starts_with("gres/")) one.remove_prefix(5);
    if (!one.starts_with("gpu:")) continue;
    one.remove_prefix(4);
    BindWay found;
    for (std::string_view start : {"verbose,", "v,"})
      if (one.starts_with(start)) {
        found.verbose = true;
        one.remove_prefix(start.size());
      }
    found.way = to_lower(one);
    return found;
  }
  return {};
}

// "1*2,3" is 1, 1, 3.
std::vector<std::string> repeated_items(std::string_view list) {
  constexpr std::uint32_t kItemsMax = 4096;
  std::vector<std::string> out;
  for (std::string_view one : split_words(list, ',')) {
    auto star = one.find('*');
    auto times = star == std::string_view::npos
                     ? std::optional<std::uint32_t>(1)
                     : parse_unsigned<std::uint32_t>(one.substr(star + 1));
    for (std::uint32_t i = 0; i < times.value_or(1) && out.size() < kItemsMax; ++i)
      out.emplace_back(one.substr(0, star));
  }
  return out;
}

class Binder {
 public:
  Binder(const GresHere& here, const std::set<std::uint32_t>& gpus)
      : here_(here), gpus_(gpus), list_(gpus.begin(), gpus.end()) {}

  // Nothing fitting: all of them.
  std::set<std::uint32_t> of_task(std::string_view way, std::size_t task,
                                  const CpuNumbers& cores) const {
    std::set<std::uint32_t> chosen;
    if (way == "closest") chosen = closest(cores);
    if (way.starts_with("single:")) chosen = single(number_in(way.substr(7)), task);
    if (way.starts_with("per_task:")) chosen = per_task(number_in(way.substr(9)), task);
    if (way.starts_with("map_gpu:")) chosen = mapped(repeated_items(way.substr(8)), task);
    if (way.starts_with("mask_gpu:")) chosen = masked(repeated_items(way.substr(9)), task);
    return chosen.empty() ? gpus_ : chosen;
  }

 private:
  static std::size_t number_in(std::string_view text) {
    return std::max<std::size_t>(1, parse_unsigned<std::uint32_t>(text).value_or(1));
  }
  std::set<std::uint32_t> closest(const CpuNumbers& cores) const {
    std::set<std::uint32_t> out;
    for (std::uint32_t index : list_) {
      const GresDeviceHere* gpu = find_gpu(here_, index);
      bool near = !gpu || gpu->cores.empty() || std::ranges::any_of(cores, [&](std::uint32_t core) {
        return std::ranges::binary_search(gpu->cores, core);
      });
      if (near) out.insert(index);
    }
    return out;
  }
  // One GPU for each task, so many tasks on each.
  std::set<std::uint32_t> single(std::size_t tasks, std::size_t task) const {
    return {list_[task / tasks % list_.size()]};
  }
  std::set<std::uint32_t> per_task(std::size_t count, std::size_t task) const {
    std::set<std::uint32_t> out;
    for (std::size_t i = 0; i < std::min(count, list_.size()); ++i)
      out.insert(list_[(task * count + i) % list_.size()]);
    return out;
  }
  // Counted from 0 among the step's where programs count so, else by the devices' numbers.
  void add(std::uint32_t number, std::set<std::uint32_t>& out) const {
    if (here_.constrained) {
      if (number < list_.size()) out.insert(list_[number]);
      return;
    }
    for (std::uint32_t index : list_) {
      const GresDeviceHere* gpu = find_gpu(here_, index);
      if ((gpu ? gpu->number : index) == number) out.insert(index);
    }
  }
  std::set<std::uint32_t> mapped(const std::vector<std::string>& items, std::size_t task) const {
    std::set<std::uint32_t> out;
    if (items.empty()) return out;
    if (auto number = parse_unsigned<std::uint32_t>(items[task % items.size()])) add(*number, out);
    return out;
  }
  std::set<std::uint32_t> masked(const std::vector<std::string>& items, std::size_t task) const {
    std::set<std::uint32_t> out;
    if (items.empty()) return out;
    if (auto numbers = parse_cpu_mask(items[task % items.size()]))
      for (std::uint32_t number : *numbers) add(number, out);
    return out;
  }

  const GresHere& here_;
  const std::set<std::uint32_t>& gpus_;
  std::vector<std::uint32_t> list_;
};

std::string mask_of(const std::set<std::uint32_t>& numbers) {
  return numbers.empty() ? "0x0" : print_cpu_mask({numbers.begin(), numbers.end()});
}

}  // namespace

void set_gres_variables(EnvironmentBlock& environment, const GresGiven& given,
                        const GresHere& here) {
  std::set<std::uint32_t> gpus = gpus_of(given.mine);
  for (const char* name : kOfOthers) environment.remove(name);
  if (!given.step) environment.remove("SLURM_JOB_GPUS");
  // A job without GPUs leaves to its user what the user has set.
  if (!gpus_of(given.job).empty())
    for (const Variable& variable : kGpuVariables) environment.remove(variable.name);
  if (!gpus.empty()) {
    set_visible(environment, visible_list(gpus, gpus, here), flags_of(gpus, here));
    environment.set(given.step ? "SLURM_STEP_GPUS" : "SLURM_JOB_GPUS", list_of(gpus, here));
  }
  if (std::uint64_t count = count_of(given.mine, "gpu"))
    environment.set("SLURM_GPUS_ON_NODE", count);
  if (std::uint64_t count = count_of(given.mine, "shard"))
    environment.set("SLURM_SHARDS_ON_NODE", count);
  set_mps(environment, given.mine, here);
}

void set_gres(ShepherdOrder& order, const GresGiven& given, const GresHere& here) {
  EnvironmentBlock environment(order.environment);
  set_gres_variables(environment, given, here);
  order.environment = environment.bytes();
  for (const GresShare& share : given.mine)
    for (const GresDeviceHere& device : here.devices) {
      bool same = device.name == share.name || (device.name == "gpu" && is_on_gpus(share.name));
      if (!same || std::ranges::find(share.devices, device.index) == share.devices.end()) continue;
      order.devices.insert(order.devices.end(), device.rules.begin(), device.rules.end());
      if (device.name == "gpu" && !device.file.empty()) order.gpu_files.push_back(device.file);
    }
}

void bind_gres(ShepherdOrder& order, const GresGiven& given, const GresHere& here,
               const std::function<CpuNumbers(const TaskOrder&)>& cores_of) {
  BindWay wish = way_of(given.bind);
  std::set<std::uint32_t> gpus = gpus_of(given.mine);
  if (gpus.empty() || (wish.way.empty() && !wish.verbose)) return;
  // A task's own variables stand beside the order's: no name may be in both.
  EnvironmentBlock environment(order.environment);
  for (const Variable& variable : kGpuVariables) environment.remove(variable.name);
  order.environment = environment.bytes();
  Binder binder(here, gpus);
  std::uint32_t flags = flags_of(gpus, here);
  for (std::size_t i = 0; i < order.tasks.size(); ++i) {
    TaskOrder& task = order.tasks[i];
    std::set<std::uint32_t> mine = binder.of_task(wish.way, i, cores_of(task));
    EnvironmentBlock own(task.environment);
    std::string list = visible_list(mine, gpus, here);
    set_visible(own, list, flags);
    task.environment = own.bytes();
    if (wish.verbose)
      task.notice += fmt::format(
          "gpu-bind: usable_gres={}; bit_alloc={}; local_inx={}; global_list={}; local_list={}\n",
          mask_of(mine), mask_of(gpus), gpus.size(), list_of(mine, here), list);
  }
}

}  // namespace ym
