// SPDX-License-Identifier: Apache-2.0
#include "shepherd/cpu_freq.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "notation/cpu_freq.h"
#include "notation/cpu_list.h"
#include "shepherd/kernel_value.h"

namespace ym {
namespace {

constexpr std::size_t kTroublesMax = 3;  // all CPUs have the same

// What the CPU can do, ascending; its two ends where the kernel has no list.
std::vector<std::uint32_t> speeds_of(const std::string& folder) {
  std::set<std::uint32_t> speeds;
  for (std::string_view word :
       split_words(kernel_value(folder + "/scaling_available_frequencies"), ' '))
    if (auto khz = parse_unsigned<std::uint32_t>(word)) speeds.insert(*khz);
  if (speeds.empty()) {
    speeds.insert(kernel_number(folder + "/cpuinfo_min_freq"));
    speeds.insert(kernel_number(folder + "/cpuinfo_max_freq"));
    speeds.erase(0);
  }
  return {speeds.begin(), speeds.end()};
}

bool has_word(std::string_view list, char separator, std::string_view word) {
  return std::ranges::any_of(split_words(list, separator), [&](std::string_view one) {
    return same_ignoring_case(trim(one), word);
  });
}

// The kernel takes no least above the most, so the way leads over the lowest.
Status set_range(const std::string& folder, std::uint32_t least, std::uint32_t most) {
  std::uint32_t lowest = kernel_number(folder + "/cpuinfo_min_freq");
  if (lowest)
    if (Status ok = put_kernel_value(folder + "/scaling_min_freq", lowest); !ok) return ok;
  if (Status ok = put_kernel_value(folder + "/scaling_max_freq", most); !ok) return ok;
  return put_kernel_value(folder + "/scaling_min_freq", least);
}

Status set_governor(const std::string& folder, const std::string& governor,
                    const ShepherdOrder& order) {
  if (!has_word(order.cpu_governors, ',', governor))
    return fail(fmt::format("governor {} is not one of CpuFreqGovernors", governor));
  std::string there = kernel_value(folder + "/scaling_available_governors");
  std::string name = to_lower(governor);
  if (!there.empty() && !has_word(there, ' ', name))
    return fail(fmt::format("{}: no governor {}", folder, name));
  return put_kernel_value(folder + "/scaling_governor", name);
}

Status set_one(const std::string& folder, const CpuFreq& wish, const ShepherdOrder& order) {
  std::vector<std::uint32_t> speeds = speeds_of(folder);
  bool exact = wish.least.kind != SpeedKind::None && wish.most.kind == SpeedKind::None;
  std::string governor = wish.governor;
  if (governor.empty()) governor = exact ? "UserSpace" : order.cpu_freq_default;
  if (!governor.empty())
    if (Status ok = set_governor(folder, governor, order); !ok) return ok;
  if (wish.least.kind == SpeedKind::None) return {};
  if (speeds.empty()) return fail(fmt::format("{}: it is not told how fast it can be", folder));
  std::uint32_t least = choose_speed(wish.least, speeds, SpeedRounding::Down);
  std::uint32_t most =
      exact ? least : std::max(least, choose_speed(wish.most, speeds, SpeedRounding::Down));
  if (Status ok = set_range(folder, least, most); !ok) return ok;
  if (exact && governor == "UserSpace")
    return put_kernel_value(folder + "/scaling_setspeed", least);
  return {};
}

}  // namespace

std::vector<std::string> CpuSpeeds::set(const ShepherdOrder& order) {
  const std::string& text = order.cpu_freq.empty() ? order.cpu_freq_default : order.cpu_freq;
  auto cpus = parse_cpu_list(order.cpus);
  auto wish = CpuFreq::parse(text);
  if (text.empty() || !wish || !cpus || cpus->empty()) return {};
  std::vector<std::string> troubles;
  for (std::uint32_t cpu : *cpus) {
    std::string folder = fmt::format("{}/devices/system/cpu/cpu{}/cpufreq", order.sysfs, cpu);
    Before before{.folder = folder,
                  .governor = kernel_value(folder + "/scaling_governor"),
                  .least = kernel_number(folder + "/scaling_min_freq"),
                  .most = kernel_number(folder + "/scaling_max_freq")};
    Status done = before.governor.empty()
                      ? Status(fail(fmt::format("CPU {} cannot change its speed", cpu)))
                      : set_one(folder, *wish, order);
    if (!done && troubles.size() < kTroublesMax) troubles.push_back(done.error().text);
    if (!before.governor.empty()) before_.push_back(std::move(before));
  }
  return troubles;
}

void CpuSpeeds::restore() {
  for (const Before& one : before_) {
    (void)put_kernel_value(one.folder + "/scaling_governor", one.governor);
    if (one.most) (void)set_range(one.folder, one.least, one.most);
  }
  before_.clear();
}

}  // namespace ym
