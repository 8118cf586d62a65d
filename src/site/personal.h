// SPDX-License-Identifier: Apache-2.0
// A personal cluster: one user's own, all on this machine, in one folder, without root and without
// a configuration of the site's. `yardmaster up` makes it; commands find it when nothing else is
// configured.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ym {

// The longest path that a Unix socket can have (sockaddr_un's 108 bytes hold a closing NUL).
inline constexpr std::size_t kSocketPathMax = 107;
inline constexpr std::uint32_t kPersonalNodesMax = 256;

// ${XDG_STATE_HOME:-$HOME/.local/state}/yardmaster; empty if neither variable is set.
std::string personal_folder();
// DIR/etc/slurm.conf
std::string personal_configuration(const std::string& folder);

// What a personal cluster's slurm.conf is made of.
struct PersonalPlan {
  std::string cluster, user, folder;
  std::string run_folder;  // pid files and sockets
  std::uint16_t controller_port = 0;
  std::vector<std::uint16_t> node_ports;  // one for each node n1, n2, …
  std::uint32_t cpus = 1;
  std::uint64_t memory_mb = 1;
};

// "Emil Smith" gives "emil-smith-yard": letters, digits and dashes, at most 40 of them.
std::string personal_cluster_name(std::string_view user);

// The folder for pid files and sockets: DIR/run, or a short one below `temp` where the sockets'
// paths would be too long. The second one depends on nothing but its arguments.
std::string personal_run_folder(const std::string& folder, std::uint32_t uid,
                                const std::string& temp = "/tmp");

// slurm.conf with a first line that says who wrote it and carries a checksum of the rest.
std::string personal_slurm_conf(const PersonalPlan& plan);
// Whether the text is just what personal_slurm_conf wrote: nobody has edited it since.
bool is_untouched(std::string_view text);

}  // namespace ym
