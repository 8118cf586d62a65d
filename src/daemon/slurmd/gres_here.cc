// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/gres_here.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "daemon/slurmd/gpu_detect.h"
#include "model/node_gres.h"
#include "notation/gres.h"
#include "notation/hostlist.h"

namespace ym {
namespace {

std::optional<std::string> device_rule(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  bool block = S_ISBLK(status.st_mode), device = block || S_ISCHR(status.st_mode);
  // A plain file is nothing that could be denied.
  if (!device) return "";
  return fmt::format("{} {}:{} rwm", block ? 'b' : 'c', major(status.st_rdev),
                     minor(status.st_rdev));
}

std::optional<std::uint32_t> number_at_end(std::string_view path) {
  std::size_t begin = path.size();
  while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9') --begin;
  return parse_unsigned<std::uint32_t>(path.substr(begin));
}

bool is_for(const GresLine& line, const std::string& node) {
  if (line.nodes.empty()) return true;
  auto nodes = Hostlist::parse(line.nodes);
  return nodes && nodes->contains(node);
}

// A node's own word counts more than everybody's.
std::string detector_for(const ClusterConfig& config, const std::string& node) {
  std::string way, own;
  for (const GresLine& line : config.gres_conf) {
    if (line.autodetect.empty() || !is_for(line, node)) continue;
    (line.nodes.empty() ? way : own) = line.autodetect;
  }
  return own.empty() ? way : own;
}

// Files that are not there are left out, and told of.
GresItem with_files(GresItem item, const std::string& root, std::vector<std::string>& troubles) {
  if (item.files.empty()) return item;
  auto files = expand_files(item.files);
  std::string kept;
  std::uint64_t count = 0;
  for (const std::string& file : *files) {
    if (!device_rule(root + file)) {
      troubles.push_back(fmt::format("gres.conf: {} is not there", file));
      continue;
    }
    kept += (kept.empty() ? "" : ",") + file;
    ++count;
  }
  bool shared = is_shared_gres(item.name);
  if (count < files->size()) item.files = kept;
  if (!shared) item.count = item.multiple ? std::min<std::uint64_t>(1, count) : count;
  if (count == 0) item.count = 0;
  return item;
}

// What slurm.conf says of names that gres.conf has nothing on. GPUs are not believed without files.
void add_unwritten(const NodeSpec& node, std::vector<GresItem>& items) {
  auto terms = parse_node_gres(node.gres);
  if (!terms) return;
  std::vector<GresItem> written = items;
  for (const GresTerm& term : *terms) {
    bool known =
        std::ranges::any_of(written, [&](const GresItem& item) { return item.name == term.name; });
    if (!known && term.name != "gpu")
      items.push_back({.name = term.name, .type = term.type, .count = term.count});
  }
}

// slurm.conf may name a part of what the driver says: a100 of nvidia_a100-sxm4-40gb.
GresItem with_known_type(GresItem item, const NodeSpec& node) {
  auto terms = parse_node_gres(node.gres);
  if (!terms) return item;
  for (const GresTerm& term : *terms)
    if (term.name == item.name && !term.type.empty() &&
        item.type.find(to_lower(term.type)) != std::string::npos) {
      item.type = term.type;
      break;
    }
  return item;
}

void add_devices(GresHere& here, const std::string& root) {
  std::map<std::string, std::uint32_t> next;
  for (const GresItem& item : here.items) {
    if (item.files.empty() || is_shared_gres(item.name) || (item.flags & kGresCountOnly)) continue;
    auto files = expand_files(item.files);
    if (!files) continue;
    auto cores = parse_cpu_list(item.cores);
    for (std::size_t i = 0; i < files->size(); ++i) {
      bool joins = item.multiple && i > 0;
      if (!joins) {
        std::uint32_t index = next[item.name]++;
        here.devices.push_back({.name = item.name,
                                .index = index,
                                .number = number_at_end((*files)[i]).value_or(index),
                                .file = (*files)[i],
                                .rules = {},
                                .cores = cores ? *cores : CpuNumbers{},
                                .flags = item.flags});
      }
      if (auto rule = device_rule(root + (*files)[i]); rule && !rule->empty())
        here.devices.back().rules.push_back(*rule);
    }
  }
}

std::string flag_names(std::uint32_t flags) {
  struct {
    std::uint32_t bit;
    std::string_view name;
  } names[] = {{kGresCountOnly, "CountOnly"},   {kGresNvidiaEnv, "nvidia_gpu_env"},
               {kGresAmdEnv, "amd_gpu_env"},    {kGresOneapiEnv, "intel_gpu_env"},
               {kGresOpenclEnv, "opencl_env"},  {kGresNoGpuEnv, "no_gpu_env"},
               {kGresOneSharing, "one_sharing"}};
  std::string out;
  for (const auto& [bit, name] : names)
    if (flags & bit) out += fmt::format("{}{}", out.empty() ? "" : ",", name);
  return out;
}

}  // namespace

GresHere find_gres(const ClusterConfig& config, const NodeSpec& node, const std::string& root) {
  GresHere here{.constrained = config.cgroup.constrain_devices};
  std::vector<GresItem> items;
  for (const GresLine& line : config.gres_conf)
    if (!line.item.name.empty() && is_for(line, node.name))
      items.push_back(with_files(line.item, root, here.troubles));
  std::string detector = detector_for(config, node.name);
  bool gpus_written = std::ranges::any_of(
      items, [](const GresItem& item) { return item.name == "gpu" && !item.files.empty(); });
  if (!detector.empty() && detector != "off" && !gpus_written)
    for (GresItem& found : detect_gpus(detector, root, here.troubles))
      items.push_back(with_known_type(std::move(found), node));
  for (GresItem& item : items) {
    if (item.name != "gpu" || !item.files.empty() || (item.flags & kGresCountOnly)) continue;
    here.troubles.push_back("gres.conf: Name=gpu needs File, or Flags=CountOnly");
    item.count = 0;
  }
  add_unwritten(node, items);
  std::erase_if(items, [](const GresItem& item) { return item.count == 0; });
  here.items = trim_gres(node, std::move(items));
  add_devices(here, root);
  return here;
}

std::string gres_lines(const GresHere& here) {
  std::string out;
  for (const GresItem& item : here.items) {
    out += fmt::format("Gres Name={}", item.name);
    if (!item.type.empty()) out += fmt::format(" Type={}", item.type);
    out += fmt::format(" Count={}", item.count);
    if (!item.files.empty()) out += fmt::format(" File={}", item.files);
    if (!item.cores.empty()) out += fmt::format(" Cores={}", item.cores);
    if (!item.links.empty()) out += fmt::format(" Links={}", item.links);
    if (item.flags) out += fmt::format(" Flags={}", flag_names(item.flags));
    out += "\n";
  }
  return out;
}

}  // namespace ym
