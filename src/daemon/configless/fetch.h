// SPDX-License-Identifier: Apache-2.0
// A machine without slurm.conf gets it, and the files that belong to it, from the controller: a
// node (slurmd --conf-server) or one where people log in (sackd --conf-server). All it must have is
// the cluster's key: that makes it a member, and is what the controller proves.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/control_messages.h"
#include "net/address.h"

namespace ym {

inline constexpr std::uint16_t kControllerPort = 6817;

// "host[:port][,host[:port]…]", as --conf-server has it.
Result<std::vector<Address>> parse_conf_servers(std::string_view text);

// The key of a machine that has no configuration of its own: $SLURM_KEY_FILE, else
// /etc/slurm/slurm.key.
std::string fetched_key_file();

// Of the first of the servers that leads. kNobodyThere: none could be reached, or none leads yet;
// other errors are those of one who was there.
inline constexpr std::uint32_t kNobodyThere = ~0u;
Result<ConfigFiles> fetch_files(const std::vector<Address>& servers);

// The same, for as long as nobody is there: `wait` is told why, and how long to wait.
using WaitFn = std::function<void(const std::string& why, Duration pause)>;
Result<ConfigFiles> fetch_patiently(const std::vector<Address>& servers, const WaitFn& wait);
// Says so on stderr, once for each reason, and sleeps.
WaitFn waiting_aloud(std::string program);

// Where a node keeps what it fetched: conf-cache/ of the SlurmdSpoolDir that the files name.
Result<std::string> node_folder(const ConfigFiles& files, const std::string& node);
// Where those who log in find it: $RUNTIME_DIRECTORY/conf, else /run/slurm/conf.
std::string login_folder();

// Makes `folder` hold these files and no others that were fetched before, slurm.conf last; returns
// its path. Refuses names that lead elsewhere.
Result<std::string> keep_files(const ConfigFiles& files, const std::string& folder);

}  // namespace ym
