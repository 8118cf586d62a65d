// SPDX-License-Identifier: Apache-2.0
#include "shepherd/gpu_freq.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "net/address.h"
#include "notation/gpu_freq.h"
#include "os/child.h"
#include "os/files.h"
#include "shepherd/kernel_value.h"

namespace ym {
namespace {

constexpr std::size_t kStepsMax = 1024;        // of a clock
constexpr std::size_t kAnswerMax = 256 << 10;  // of NVIDIA's program
constexpr Duration kProgramTime = std::chrono::seconds(10);
constexpr const char* kLevel = "/power_dpm_force_performance_level";

Status run(const std::vector<std::string>& arguments) {
  auto pid = start_child(arguments, std::string("PATH=/usr/bin:/bin\0", 19));
  if (!pid) return std::unexpected(pid.error());
  ChildEnd end = wait_for_child(*pid, kProgramTime, [] { return false; });
  if (!end.error.empty()) return fail(fmt::format("{}: {}", arguments.front(), end.error));
  return {};
}

Result<SupportedClocks> supported_clocks(const std::string& smi, const std::string& gpu) {
  Fd answer(::memfd_create("clocks", MFD_CLOEXEC));
  if (answer.get() < 0) return fail(errno_text("memfd_create"));
  auto path = fmt::format("/proc/{}/fd/{}", ::getpid(), answer.get());
  Status asked = run({smi, "-i", gpu, "--query-supported-clocks=memory,graphics",
                      "--format=csv,noheader,nounits", "--filename=" + path});
  if (!asked) return std::unexpected(asked.error());
  auto text = read_file(path, kAnswerMax);
  if (!text) return std::unexpected(text.error());
  SupportedClocks clocks = parse_supported_clocks(*text);
  if (clocks.empty()) return fail(fmt::format("GPU {} cannot change its clocks", gpu));
  return clocks;
}

struct Clocks {
  std::uint32_t graphics = 0, memory = 0;
};

// Memory as it is wished, or the fastest: with it most graphics clocks go.
Result<Clocks> set_nvidia(const std::string& smi, const std::string& gpu, const GpuFreq& wish) {
  auto clocks = supported_clocks(smi, gpu);
  if (!clocks) return std::unexpected(clocks.error());
  std::vector<std::uint32_t> memories;
  for (const auto& [memory, graphics] : *clocks) memories.push_back(memory);
  Speed high{.kind = SpeedKind::High};
  auto chosen = [&](const Speed& speed, const std::vector<std::uint32_t>& speeds) {
    return choose_speed(speed.kind == SpeedKind::None ? high : speed, speeds,
                        SpeedRounding::Nearest);
  };
  Clocks set{.memory = chosen(wish.memory, memories)};
  set.graphics = chosen(wish.graphics, clocks->at(set.memory));
  Status done =
      run({smi, "-i", gpu, fmt::format("--applications-clocks={},{}", set.memory, set.graphics)});
  if (!done) return std::unexpected(done.error());
  return set;
}

// Of one clock of an AMD GPU; 0: no wish. The driver takes a step only at level "manual".
Result<std::uint32_t> set_amd(const std::string& file, const Speed& wish) {
  if (wish.kind == SpeedKind::None) return 0u;
  std::vector<DpmStep> steps = parse_dpm_steps(kernel_value(file));
  if (steps.empty()) return fail(fmt::format("{}: it is not told how fast it can be", file));
  std::vector<std::uint32_t> speeds;
  for (const DpmStep& step : steps) speeds.push_back(step.mhz);
  std::ranges::sort(speeds);
  std::uint32_t mhz = choose_speed(wish, speeds, SpeedRounding::Nearest);
  auto step = std::ranges::find(steps, mhz, &DpmStep::mhz);
  if (Status ok = put_kernel_value(file, step->index); !ok) return std::unexpected(ok.error());
  return mhz;
}

}  // namespace

std::vector<DpmStep> parse_dpm_steps(std::string_view text) {
  std::vector<DpmStep> steps;
  for (std::string_view line : split_words(text, '\n')) {
    std::vector<std::string_view> words = split_words(line, ' ');
    if (words.size() < 2 || !words[0].ends_with(':') || steps.size() >= kStepsMax) continue;
    auto index = parse_unsigned<std::uint32_t>(words[0].substr(0, words[0].size() - 1));
    std::string_view speed = words[1];
    constexpr std::string_view kUnit = "Mhz";
    if (speed.size() <= kUnit.size() || !same_ignoring_case(speed.substr(speed.size() - 3), kUnit))
      continue;
    auto mhz = parse_unsigned<std::uint32_t>(speed.substr(0, speed.size() - kUnit.size()));
    if (index && mhz) steps.push_back({*index, *mhz, words.back() == "*"});
  }
  return steps;
}

SupportedClocks parse_supported_clocks(std::string_view text) {
  SupportedClocks clocks;
  std::size_t count = 0;
  for (std::string_view line : split_words(text, '\n')) {
    auto comma = line.find(',');
    if (comma == std::string_view::npos || ++count > kStepsMax * 16) continue;
    auto memory = parse_unsigned<std::uint32_t>(trim(line.substr(0, comma)));
    auto graphics = parse_unsigned<std::uint32_t>(trim(line.substr(comma + 1)));
    if (memory && graphics) clocks[*memory].push_back(*graphics);
  }
  for (auto& [memory, graphics] : clocks) std::ranges::sort(graphics);
  return clocks;
}

std::vector<std::string> GpuSpeeds::set(const ShepherdOrder& order) {
  const std::string& text = order.gpu_freq.empty() ? order.gpu_freq_default : order.gpu_freq;
  auto wish = GpuFreq::parse(text);
  if (!wish || (wish->graphics.kind == SpeedKind::None && wish->memory.kind == SpeedKind::None))
    return {};
  smi_ = order.nvidia_smi;
  std::vector<std::string> troubles;
  for (const std::string& file : order.gpu_files) {
    std::string name = file.substr(file.rfind('/') + 1);
    Result<Clocks> done;
    if (name.starts_with("nvidia")) {
      std::string gpu = name.substr(6);
      done = set_nvidia(smi_, gpu, *wish);
      if (done) nvidia_.push_back(gpu);
    } else {
      std::string folder = fmt::format("{}/class/drm/{}/device", order.sysfs, name);
      Amd before{.folder = folder, .level = kernel_value(folder + kLevel), .selected = {}};
      if (before.level.empty()) {
        troubles.push_back(fmt::format("{} cannot change its clocks", file));
        continue;
      }
      for (const char* clock : {"/pp_dpm_sclk", "/pp_dpm_mclk"})
        for (const DpmStep& step : parse_dpm_steps(kernel_value(folder + clock)))
          if (step.active) before.selected[folder + clock] = step.index;
      Status manual = put_kernel_value(folder + kLevel, "manual");
      auto graphics = set_amd(folder + "/pp_dpm_sclk", wish->graphics);
      auto memory = set_amd(folder + "/pp_dpm_mclk", wish->memory);
      if (!manual)
        done = std::unexpected(manual.error());
      else if (!graphics)
        done = std::unexpected(graphics.error());
      else if (!memory)
        done = std::unexpected(memory.error());
      else
        done = Clocks{*graphics, *memory};
      amd_.push_back(std::move(before));
    }
    if (!done) troubles.push_back(done.error().text);
    if (!wish->verbose) continue;
    told_ += "GpuFreq=";
    if (!done) told_ += "control_disabled";
    if (done && done->graphics) told_ += fmt::format("graphics_freq:{}", done->graphics);
    if (done && done->memory)
      told_ += fmt::format("{}memory_freq:{}", done->graphics ? "," : "", done->memory);
    told_ += "\n";
  }
  return troubles;
}

void GpuSpeeds::restore() {
  for (const std::string& gpu : nvidia_)
    (void)run({smi_, "-i", gpu, "--reset-applications-clocks"});
  for (const Amd& one : amd_) {
    // Somebody's own choice of steps holds at level "manual" only.
    if (one.level == "manual")
      for (const auto& [file, index] : one.selected) (void)put_kernel_value(file, index);
    (void)put_kernel_value(one.folder + kLevel, one.level);
  }
  nvidia_.clear();
  amd_.clear();
}

}  // namespace ym
