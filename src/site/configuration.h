// SPDX-License-Identifier: Apache-2.0
// Where this machine's configuration is, and what follows from it. Used by commands and daemons
// alike.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/config.h"

namespace ym {

// The slurm.conf that counts: $SLURM_CONF, else etc/slurm.conf or etc/slurm/slurm.conf of the
// prefix that the program was started from, else /etc/slurm/slurm.conf, else that which sackd
// fetches (/run/slurm/conf), else that of this user's personal cluster (site/personal.h). Says
// where it looked if there is none.
Result<std::string> find_configuration();

struct LoadedConfiguration {
  std::string path;
  ClusterConfig config;
  std::vector<std::string> warnings;
  std::vector<std::string> not_acted_on;  // keys that are known but have no effect yet
  std::vector<std::string> files;         // slurm.conf itself, what it includes, cgroup.conf
};
// `path` empty: find it.
Result<LoadedConfiguration> load_configuration(const std::string& path = {});

// What most commands need of it.
struct LoadedMainConfig {
  std::string path;
  MainConfig config;
};
Result<LoadedMainConfig> load_main_config();

// The same with topology.yaml, or topology.conf if TopologyPlugin wants one: for those who place
// jobs. Commands do without.
Result<LoadedConfiguration> load_with_topologies(const std::string& path = {});

// Unix sockets stand beside the pid files: /run/slurmctld.pid → /run/slurmctld.sock.
// World-connectable; the kernel says who is calling. Those of a controller are in a folder of their
// own where there is one: /run/slurmctld/slurmctld.sock.
// %n in the pid file's name is the controller's, where several share a machine; `name` empty: the
// first.
std::string controller_socket(const MainConfig& config, const std::string& name = {});
// Those of all controllers that may be on this machine, each once.
std::vector<std::string> controller_sockets(const MainConfig& config);
std::string node_socket(const ClusterConfig& config, const std::string& node);
std::string node_socket(const MainConfig& config, const std::string& node, const std::string& host);
// The cluster's key: as configured, else slurm.key beside slurm.conf.
std::string key_file(const std::string& path, const MainConfig& config);
// The set of keys beside it: as configured, else slurm.jwks in the key's folder.
std::string jwks_file(const std::string& path, const MainConfig& config);

// Whom commands of this machine believe over TLS (net/trust_file.h): written by the daemons beside
// their sockets, /run/slurmctld.pid → /run/slurmctld.ca.
std::string controller_trust_file(const MainConfig& config);
std::string node_trust_file(const ClusterConfig& config, const std::string& node);
// All of those that may be on this machine.
std::vector<std::string> trust_files_here(const ClusterConfig& config);

// The files of a site's own authority, with their usual names beside slurm.conf where they are not
// given.
struct TlsFiles {
  std::string authority, controller_certificate, controller_key, node_certificate, node_key;
};
TlsFiles tls_files(const LoadedConfiguration& loaded);

}  // namespace ym
