// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/gpu_detect.h"

#include <dirent.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "os/files.h"

namespace ym {
namespace {

constexpr std::string_view kAmdVendor = "0x1002";

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> names;
  DIR* opened = ::opendir(folder.c_str());
  if (!opened) return names;
  while (const dirent* entry = ::readdir(opened))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  ::closedir(opened);
  std::ranges::sort(names);
  return names;
}

// "Model: 		 NVIDIA A100-SXM4-40GB" of a file of such lines.
std::string field(std::string_view text, std::string_view key) {
  for (std::string_view line : split(text, '\n')) {
    auto colon = line.find(':');
    if (colon != std::string_view::npos && same_ignoring_case(trim(line.substr(0, colon)), key))
      return std::string(trim(line.substr(colon + 1)));
  }
  return "";
}

// As a type: lower case, blanks are underscores.
std::string type_of(std::string_view model) {
  std::string type = to_lower(model);
  for (char& c : type)
    if (c == ' ' || c == '/') c = '_';
  std::erase_if(type, [](char c) {
    return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '-' || c == '.');
  });
  constexpr std::size_t kTypeMax = 64;
  return type.substr(0, kTypeMax);
}

std::string line_of(const std::string& path) {
  auto text = read_file(path);
  return text ? std::string(trim(*text)) : "";
}

std::vector<GresItem> nvidia_gpus(const std::string& root) {
  std::vector<GresItem> found;
  std::string folder = root + "/proc/driver/nvidia/gpus";
  for (const std::string& bus : entries_of(folder)) {
    auto text = read_file(folder + "/" + bus + "/information");
    if (!text) continue;
    if (auto gpu = nvidia_gpu(*text)) found.push_back(std::move(*gpu));
  }
  return found;
}

std::vector<GresItem> amd_gpus(const std::string& root) {
  std::vector<GresItem> found;
  std::string folder = root + "/sys/class/drm";
  for (const std::string& name : entries_of(folder)) {
    if (!name.starts_with("renderD")) continue;
    std::string device = folder + "/" + name + "/device";
    auto gpu = amd_gpu(name, line_of(device + "/vendor"), line_of(device + "/product_name"));
    if (gpu) found.push_back(std::move(*gpu));
  }
  return found;
}

}  // namespace

std::optional<GresItem> nvidia_gpu(std::string_view information) {
  auto number = parse_unsigned<std::uint32_t>(field(information, "Device Minor"));
  if (!number) return std::nullopt;
  return GresItem{.name = "gpu",
                  .type = type_of(field(information, "Model")),
                  .count = 1,
                  .files = fmt::format("/dev/nvidia{}", *number),
                  .flags = kGresNvidiaEnv};
}

std::optional<GresItem> amd_gpu(const std::string& name, std::string_view vendor,
                                std::string_view product) {
  if (vendor != kAmdVendor) return std::nullopt;
  return GresItem{.name = "gpu",
                  .type = type_of(product),
                  .count = 1,
                  .files = "/dev/dri/" + name,
                  .flags = kGresAmdEnv};
}

std::vector<GresItem> detect_gpus(const std::string& way, const std::string& root,
                                  std::vector<std::string>& troubles) {
  std::vector<GresItem> found;
  if (way == "nvml" || way == "nvidia")
    found = nvidia_gpus(root);
  else if (way == "rsmi")
    found = amd_gpus(root);
  else
    troubles.push_back(fmt::format("gres.conf: AutoDetect={} is not known here", way));
  if (found.empty()) troubles.push_back(fmt::format("AutoDetect={} found no GPU", way));
  return found;
}

}  // namespace ym
