// SPDX-License-Identifier: Apache-2.0
#include "site/configuration.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "config/cgroup_conf.h"
#include "config/gres_conf.h"
#include "config/oci_conf.h"
#include "config/parse.h"
#include "config/security.h"
#include "config/topology_conf.h"
#include "config/values.h"
#include "os/environment.h"
#include "os/files.h"
#include "site/personal.h"
#include "site/sack.h"

namespace ym {
namespace {

// /run/slurmctld.pid → /run/slurmctld.sock
std::string beside(std::string pid_file, std::string_view ending = ".sock") {
  if (pid_file.ends_with(".pid")) pid_file.resize(pid_file.size() - 4);
  pid_file += ending;
  return pid_file;
}

// Where SlurmUser may not write beside the pid file, root has made him a folder of the same name:
// /run/slurmctld.pid → /run/slurmctld/slurmctld.sock
std::string beside_controller(const std::string& pid_file, std::string_view ending) {
  std::string stem = beside(pid_file, "");
  struct stat found{};
  if (::stat(stem.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return beside(pid_file, ending);
  return stem + stem.substr(stem.rfind('/')) + std::string(ending);
}

std::string in_folder_of(const std::string& path, const char* name) {
  auto slash = path.rfind('/');
  return (slash == std::string::npos ? "" : path.substr(0, slash + 1)) + name;
}

std::string beside_slurm_conf(const LoadedConfiguration& loaded, const char* name) {
  return in_folder_of(loaded.path, name);
}

// cgroup.conf beside slurm.conf, if there is one.
Status add_cgroup_conf(LoadedConfiguration& loaded) {
  std::string path = beside_slurm_conf(loaded, "cgroup.conf");
  if (::access(path.c_str(), F_OK) != 0) return {};
  auto parsed = parse_cgroup_conf(path, [](const std::string& name) { return read_file(name); });
  if (!parsed) return std::unexpected(parsed.error());
  loaded.config.cgroup = parsed->config;
  loaded.files.push_back(path);
  loaded.warnings.insert(loaded.warnings.end(), parsed->warnings.begin(), parsed->warnings.end());
  return {};
}

// oci.conf, likewise.
Status add_oci_conf(LoadedConfiguration& loaded) {
  std::string path = beside_slurm_conf(loaded, "oci.conf");
  if (::access(path.c_str(), F_OK) != 0) return {};
  auto parsed = parse_oci_conf(path, [](const std::string& name) { return read_file(name); });
  if (!parsed) return std::unexpected(parsed.error());
  loaded.config.oci = std::move(parsed->config);
  loaded.files.push_back(path);
  loaded.warnings.insert(loaded.warnings.end(), parsed->warnings.begin(), parsed->warnings.end());
  return {};
}

// gres.conf, likewise.
Status add_gres_conf(LoadedConfiguration& loaded) {
  std::string path = beside_slurm_conf(loaded, "gres.conf");
  if (::access(path.c_str(), F_OK) != 0) return {};
  auto parsed = parse_gres_conf(path, loaded.config.gres_types,
                                [](const std::string& name) { return read_file(name); });
  if (!parsed) return std::unexpected(parsed.error());
  loaded.config.gres_conf = std::move(parsed->lines);
  loaded.files.push_back(path);
  loaded.warnings.insert(loaded.warnings.end(), parsed->warnings.begin(), parsed->warnings.end());
  return {};
}

// They are read where they are needed (read_topologies); they go along where the others go.
void add_topology_files(LoadedConfiguration& loaded) {
  for (const char* name : {"topology.yaml", "topology.conf"})
    if (std::string path = beside_slurm_conf(loaded, name); ::access(path.c_str(), F_OK) == 0)
      loaded.files.push_back(path);
}

const NodeSpec* find_node(const ClusterConfig& config, std::string_view name) {
  for (const NodeSpec& node : config.nodes)
    if (node.name == name) return &node;
  return nullptr;
}

}  // namespace

Result<std::string> find_configuration() {
  if (auto given = environment_variable("SLURM_CONF"); given && !given->empty()) return *given;
  std::vector<std::string> places;
  if (std::string prefix = program_prefix(); !prefix.empty() && prefix != "/") {
    places.push_back(prefix + "/etc/slurm.conf");
    places.push_back(prefix + "/etc/slurm/slurm.conf");
  }
  places.push_back("/etc/slurm/slurm.conf");
  places.push_back("/run/slurm/conf/slurm.conf");  // of a sackd that fetches it
  if (std::string folder = personal_folder(); !folder.empty())
    places.push_back(personal_configuration(folder));
  std::string looked;
  for (const std::string& place : places) {
    if (::access(place.c_str(), F_OK) == 0) return place;
    looked += fmt::format("{}{}", looked.empty() ? "" : ", ", place);
  }
  return fail(
      fmt::format("No slurm.conf found: SLURM_CONF is not set and none of these exists: {}. "
                  "`yardmaster up` starts a cluster of your own",
                  looked));
}

Result<LoadedMainConfig> load_main_config() {
  auto path = find_configuration();
  if (!path) return std::unexpected(path.error());
  auto config = parse_main_keys(*path, [](const std::string& name) { return read_file(name); });
  if (!config) return std::unexpected(config.error());
  return LoadedMainConfig{.path = std::move(*path), .config = std::move(*config)};
}

Result<LoadedConfiguration> load_configuration(const std::string& path) {
  LoadedConfiguration loaded{.path = path};
  if (path.empty()) {
    auto found = find_configuration();
    if (!found) return std::unexpected(found.error());
    loaded.path = *found;
  }
  auto parsed = parse_config(loaded.path, [](const std::string& name) { return read_file(name); });
  if (!parsed) return std::unexpected(parsed.error());
  loaded.config = std::move(parsed->config);
  loaded.warnings = std::move(parsed->warnings);
  loaded.files = parsed->files;
  for (const auto& use : parsed->not_acted_on) loaded.not_acted_on.push_back(use.text());
  if (auto added = add_cgroup_conf(loaded); !added) return std::unexpected(added.error());
  if (auto added = add_oci_conf(loaded); !added) return std::unexpected(added.error());
  if (auto added = add_gres_conf(loaded); !added) return std::unexpected(added.error());
  add_topology_files(loaded);
  return loaded;
}

namespace {

Status read_topologies(LoadedConfiguration& loaded) {
  const std::string& plugin = loaded.config.topology_plugin;
  std::vector<Topology> found;
  if (std::string yaml = beside_slurm_conf(loaded, "topology.yaml");
      ::access(yaml.c_str(), F_OK) == 0) {
    auto text = read_file(yaml);
    if (!text) return std::unexpected(text.error());
    auto parsed = parse_topology_yaml(yaml, *text);
    if (!parsed) return std::unexpected(parsed.error());
    found = std::move(*parsed);
  } else if (plugin.ends_with("/tree") || plugin.ends_with("/block") || plugin.ends_with("/ring")) {
    std::string path = beside_slurm_conf(loaded, "topology.conf");
    auto parsed =
        parse_topology_conf(path, [](const std::string& name) { return read_file(name); });
    if (!parsed) return fail(fmt::format("TopologyPlugin={}: {}", plugin, parsed.error().text));
    parsed->kind = plugin.ends_with("/tree")   ? TopologyKind::Tree
                   : plugin.ends_with("/ring") ? TopologyKind::Ring
                                               : TopologyKind::Block;
    found.push_back(std::move(*parsed));
  }
  for (const PartitionSpec& partition : loaded.config.partitions)
    if (!partition.topology.empty() && !choose_topology(found, partition.topology))
      return fail(
          fmt::format("partition {}: there is no topology {}", partition.name, partition.topology));
  loaded.config.topologies = Ref(std::move(found));
  return {};
}

}  // namespace

Result<LoadedConfiguration> load_with_topologies(const std::string& path) {
  auto loaded = load_configuration(path);
  if (!loaded) return loaded;
  if (Status read = read_topologies(*loaded); !read) return std::unexpected(read.error());
  return loaded;
}

std::string controller_socket(const MainConfig& config, const std::string& name) {
  if (config.controller_pid_file.find('%') == std::string::npos)
    return beside_controller(config.controller_pid_file, ".sock");
  bool first = name.empty() && !config.controllers.empty();
  const std::string& used = first ? config.controllers.front().name : name;
  return beside_controller(expand_node_path(config.controller_pid_file, used, used), ".sock");
}

std::vector<std::string> controller_sockets(const MainConfig& config) {
  std::vector<std::string> out;
  for (const ControllerHost& host : config.controllers)
    if (std::string path = controller_socket(config, host.name);
        std::ranges::find(out, path) == out.end())
      out.push_back(std::move(path));
  if (out.empty()) out.push_back(controller_socket(config));
  return out;
}

namespace {

std::string node_file(const ClusterConfig& config, const std::string& node,
                      std::string_view ending) {
  const NodeSpec* spec = find_node(config, node);
  const std::string& host = spec && !spec->hostname.empty() ? spec->hostname : node;
  return beside(expand_node_path(config.node_pid_file, node, host), ending);
}

}  // namespace

std::string node_socket(const ClusterConfig& config, const std::string& node) {
  return node_file(config, node, ".sock");
}

std::string node_socket(const MainConfig& config, const std::string& node,
                        const std::string& host) {
  return beside(expand_node_path(config.node_pid_file, node, host), ".sock");
}

std::string controller_trust_file(const MainConfig& config) {
  return beside_controller(config.controller_pid_file, ".ca");
}

std::string node_trust_file(const ClusterConfig& config, const std::string& node) {
  return node_file(config, node, ".ca");
}

std::vector<std::string> trust_files_here(const ClusterConfig& config) {
  std::vector<std::string> files = {controller_trust_file(config), sack_trust_file(config)};
  std::string here = host_name();
  for (const NodeSpec& node : config.nodes) {
    const std::string& host = node.hostname.empty() ? node.name : node.hostname;
    if (host.substr(0, host.find('.')) != here && host != "localhost") continue;
    if (std::string path = node_trust_file(config, node.name); path != files.back())
      files.push_back(std::move(path));
  }
  return files;
}

TlsFiles tls_files(const LoadedConfiguration& loaded) {
  TlsConfig said = tls_of(loaded.config);
  auto or_usual = [&](const std::string& path, const char* name) {
    return path.empty() ? beside_slurm_conf(loaded, name) : path;
  };
  return {.authority = or_usual(said.authority_file, "ca_cert.pem"),
          .controller_certificate = or_usual(said.controller_certificate, "ctld_cert.pem"),
          .controller_key = or_usual(said.controller_key, "ctld_cert_key.pem"),
          .node_certificate = or_usual(said.node_certificate, "slurmd_cert.pem"),
          .node_key = or_usual(said.node_key, "slurmd_cert_key.pem")};
}

std::string key_file(const std::string& path, const MainConfig& config) {
  return config.key_file.empty() ? in_folder_of(path, "slurm.key") : config.key_file;
}

std::string jwks_file(const std::string& path, const MainConfig& config) {
  if (std::string set = security_of(config).jwks_file; !set.empty()) return set;
  std::string key = key_file(path, config);
  return key.substr(0, key.rfind('/') + 1) + "slurm.jwks";
}

}  // namespace ym
