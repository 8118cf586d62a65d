// SPDX-License-Identifier: Apache-2.0
#include "shepherd/cpu_freq.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "notation/cpu_freq.h"
#include "notation/cpu_list.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::size_t kLineMax = 4096;
constexpr std::size_t kTroublesMax = 3;  // all CPUs have the same

std::string line_of(const std::string& path) {
  auto text = read_file(path, kLineMax);
  return text ? std::string(trim(*text)) : std::string();
}

std::uint32_t number_of(const std::string& path) {
  return parse_unsigned<std::uint32_t>(line_of(path)).value_or(0);
}

// In place, and in one write(2): that is how the kernel takes a value.
Status put(const std::string& path, const std::string& value) {
  int fd = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return fail(errno_text(path));
  bool wrote = ::write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  Status status;
  if (!wrote) status = fail(errno_text(path));
  ::close(fd);
  return status;
}
Status put(const std::string& path, std::uint32_t value) {
  return put(path, fmt::format("{}", value));
}

// What the CPU can do, ascending; its two ends where the kernel has no list.
std::vector<std::uint32_t> speeds_of(const std::string& folder) {
  std::set<std::uint32_t> speeds;
  for (std::string_view word : split_words(line_of(folder + "/scaling_available_frequencies"), ' '))
    if (auto khz = parse_unsigned<std::uint32_t>(word)) speeds.insert(*khz);
  if (speeds.empty()) {
    speeds.insert(number_of(folder + "/cpuinfo_min_freq"));
    speeds.insert(number_of(folder + "/cpuinfo_max_freq"));
    speeds.erase(0);
  }
  return {speeds.begin(), speeds.end()};
}

// REQUIRES: there are speeds. The highest that is not above a number.
std::uint32_t khz_of(const CpuSpeed& wish, const std::vector<std::uint32_t>& speeds) {
  switch (wish.kind) {
    case CpuSpeedKind::None: break;
    case CpuSpeedKind::Low: return speeds.front();
    case CpuSpeedKind::Medium: return speeds[(speeds.size() - 1) / 2];
    case CpuSpeedKind::High: return speeds.back();
    case CpuSpeedKind::HighMinusOne: return speeds[speeds.size() > 1 ? speeds.size() - 2 : 0];
    case CpuSpeedKind::Number: {
      auto above = std::ranges::upper_bound(speeds, wish.khz);
      return above == speeds.begin() ? speeds.front() : *(above - 1);
    }
  }
  return 0;
}

bool has_word(std::string_view list, char separator, std::string_view word) {
  return std::ranges::any_of(split_words(list, separator), [&](std::string_view one) {
    return same_ignoring_case(trim(one), word);
  });
}

// The kernel takes no least above the most, so the way leads over the lowest.
Status set_range(const std::string& folder, std::uint32_t least, std::uint32_t most) {
  std::uint32_t lowest = number_of(folder + "/cpuinfo_min_freq");
  if (lowest)
    if (Status ok = put(folder + "/scaling_min_freq", lowest); !ok) return ok;
  if (Status ok = put(folder + "/scaling_max_freq", most); !ok) return ok;
  return put(folder + "/scaling_min_freq", least);
}

Status set_governor(const std::string& folder, const std::string& governor,
                    const ShepherdOrder& order) {
  if (!has_word(order.cpu_governors, ',', governor))
    return fail(fmt::format("governor {} is not one of CpuFreqGovernors", governor));
  std::string there = line_of(folder + "/scaling_available_governors");
  std::string name = to_lower(governor);
  if (!there.empty() && !has_word(there, ' ', name))
    return fail(fmt::format("{}: no governor {}", folder, name));
  return put(folder + "/scaling_governor", name);
}

Status set_one(const std::string& folder, const CpuFreq& wish, const ShepherdOrder& order) {
  std::vector<std::uint32_t> speeds = speeds_of(folder);
  bool exact = wish.least.kind != CpuSpeedKind::None && wish.most.kind == CpuSpeedKind::None;
  std::string governor = wish.governor;
  if (governor.empty()) governor = exact ? "UserSpace" : order.cpu_freq_default;
  if (!governor.empty())
    if (Status ok = set_governor(folder, governor, order); !ok) return ok;
  if (wish.least.kind == CpuSpeedKind::None) return {};
  if (speeds.empty()) return fail(fmt::format("{}: it is not told how fast it can be", folder));
  std::uint32_t least = khz_of(wish.least, speeds);
  std::uint32_t most = exact ? least : std::max(least, khz_of(wish.most, speeds));
  if (Status ok = set_range(folder, least, most); !ok) return ok;
  if (exact && governor == "UserSpace") return put(folder + "/scaling_setspeed", least);
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
                  .governor = line_of(folder + "/scaling_governor"),
                  .least = number_of(folder + "/scaling_min_freq"),
                  .most = number_of(folder + "/scaling_max_freq")};
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
    (void)put(one.folder + "/scaling_governor", one.governor);
    if (one.most) (void)set_range(one.folder, one.least, one.most);
  }
  before_.clear();
}

}  // namespace ym
