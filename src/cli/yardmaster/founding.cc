// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/founding.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/cluster.h"
#include "config/values.h"
#include "os/files.h"
#include "os/users.h"
#include "site/personal.h"

namespace ym::cli {
namespace {

constexpr std::uint64_t kNodeMemoryMin_mb = 64;
constexpr std::uint32_t kNodeCpusMin = 2;

std::string own_user() {
  auto user = user_by_uid(::geteuid());
  return user ? user->name : fmt::format("{}", ::geteuid());
}

// Nobody but the owner may have been able to prepare a folder in a place where all may write.
Status check_private(const std::string& folder) {
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) != 0) return fail(errno_text(folder));
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022) != 0)
    return fail(
        fmt::format("{} is not a folder of your own that only you can write to; "
                    "choose a shorter --dir, so that it is not needed",
                    folder));
  return {};
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

Status make_all_folders(const std::string& folder, const LoadedConfiguration& loaded) {
  const ClusterConfig& config = loaded.config;
  // A site's folders are readable; a user's own cluster is nobody else's business.
  mode_t mode = ::geteuid() == 0 ? 0755 : 0700;
  std::string run = folder_of(config.controller_pid_file);
  if (Status made = make_folders(run, run.starts_with(folder) ? mode : 0700); !made) return made;
  if (!run.starts_with(folder))
    if (Status safe = check_private(run); !safe) return safe;
  std::vector<std::string> wanted{config.state_dir};
  if (!config.controller_log.empty()) wanted.push_back(folder_of(config.controller_log));
  for (const NodeSpec& node : config.nodes) {
    std::string host = node.hostname.empty() ? node.name : node.hostname;
    wanted.push_back(expand_node_path(config.spool_dir, node.name, host));
    if (!config.node_log.empty()) wanted.push_back(folder_of(node_log_path(config, node)));
  }
  for (const std::string& path : wanted)
    if (Status made = make_folders(path, mode); !made) return made;
  return {};
}

bool ports_are_free(const ClusterConfig& config) {
  return port_is_free(config.controller_port) &&
         std::ranges::all_of(config.nodes,
                             [](const NodeSpec& node) { return port_is_free(node.port); });
}

bool fulfils(const ClusterConfig& config, const FoundingWishes& wishes) {
  if (wishes.nodes && *wishes.nodes != config.nodes.size()) return false;
  return !wishes.cpus || std::ranges::all_of(config.nodes, [&](const NodeSpec& node) {
    return node.cpus == *wishes.cpus;
  });
}

Status write_configuration(const std::string& folder, const FoundingWishes& wishes) {
  std::uint32_t nodes = wishes.nodes.value_or(kPersonalNodesUsual);
  auto port = free_ports(nodes + 1, std::hash<std::string>()(folder));
  if (!port) return std::unexpected(port.error());
  std::string user = own_user();
  PersonalPlan plan{.cluster = personal_cluster_name(user),
                    .user = user,
                    .folder = folder,
                    .run_folder = personal_run_folder(folder, ::geteuid()),
                    .controller_port = *port,
                    .node_ports = {},
                    .cpus = wishes.cpus.value_or(std::max(machine_cpus(), kNodeCpusMin)),
                    .memory_mb = std::max(machine_memory_mb() / nodes, kNodeMemoryMin_mb)};
  for (std::uint32_t n = 1; n <= nodes; ++n)
    plan.node_ports.push_back(static_cast<std::uint16_t>(*port + n));
  return write_file(personal_configuration(folder), personal_slurm_conf(plan), 0644);
}

// What is there, if it will do. Nothing: it has to be written (again). The wishes are completed
// with what a file of ours says.
Result<std::optional<Founded>> take_existing(const std::string& path, FoundingWishes& wishes) {
  auto text = read_file(path);
  if (!text && ::access(path.c_str(), F_OK) == 0) return std::unexpected(text.error());
  if (!text) return std::optional<Founded>();
  Founded out{.loaded = {}, .by_hand = !is_untouched(*text)};
  auto loaded = load_configuration(path);
  if (!loaded && out.by_hand) return std::unexpected(loaded.error());
  if (!loaded) return std::optional<Founded>();
  out.loaded = std::move(*loaded);
  const ClusterConfig& config = out.loaded.config;
  std::string what = counted(config.nodes.size(), "node");
  if (out.by_hand) {
    if (fulfils(config, wishes)) return out;
    return fail(fmt::format("{} was edited by hand and has {}; change it there, or remove the file",
                            path, what));
  }
  bool fits = fulfils(config, wishes);
  if (!processes_of(out.loaded).empty()) {
    if (fits) return out;
    return fail(fmt::format(
        "the cluster runs with {} of {} CPUs; `yardmaster down` first, then start it anew", what,
        config.nodes.empty() ? 0 : config.nodes.front().cpus));
  }
  if (fits && ports_are_free(config)) return out;
  if (!wishes.nodes) wishes.nodes = static_cast<std::uint32_t>(config.nodes.size());
  if (!wishes.cpus && !config.nodes.empty()) wishes.cpus = config.nodes.front().cpus;
  return std::optional<Founded>();
}

}  // namespace

bool port_is_free(std::uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool free = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
              ::listen(fd, 1) == 0;
  ::close(fd);
  return free;
}

Result<std::uint16_t> free_ports(std::size_t count, std::uint64_t seed) {
  constexpr std::size_t kRange = kPortsEnd - kPortsBegin;
  if (count > kRange / 2) return fail(fmt::format("{} ports are too many", count));
  std::size_t places = kRange / count;
  for (std::size_t i = 0; i < places; ++i) {
    auto first = static_cast<std::uint16_t>(kPortsBegin + (seed + i) % places * count);
    bool free = true;
    for (std::size_t n = 0; n < count && free; ++n)
      free = port_is_free(static_cast<std::uint16_t>(first + n));
    if (free) return first;
  }
  return fail(fmt::format("no {} free ports in a row between {} and {} on 127.0.0.1", count,
                          kPortsBegin, kPortsEnd));
}

std::uint32_t machine_cpus() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
  return static_cast<std::uint32_t>(std::max(1l, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::uint64_t machine_memory_mb() {
  struct sysinfo facts {};
  std::uint64_t bytes = ::sysinfo(&facts) == 0 ? facts.totalram * facts.mem_unit : 0;
  // In a container the limit counts, not the machine.
  if (auto text = read_file("/sys/fs/cgroup/memory.max", 64))
    if (auto limit = parse_u64(trim(*text))) bytes = std::min(bytes, *limit);
  return std::max<std::uint64_t>(bytes >> 20, 1);
}

Result<Founded> found_cluster(const std::string& folder, const FoundingWishes& wishes) {
  std::string path = personal_configuration(folder);
  FoundingWishes completed = wishes;
  auto existing = take_existing(path, completed);
  if (!existing) return std::unexpected(existing.error());
  Founded out;
  if (*existing) {
    out = std::move(**existing);
  } else {
    if (Status written = write_configuration(folder, completed); !written)
      return std::unexpected(written.error());
    auto loaded = load_configuration(path);
    if (!loaded) return std::unexpected(loaded.error());
    out.loaded = std::move(*loaded);
  }
  if (Status made = make_all_folders(folder, out.loaded); !made)
    return std::unexpected(made.error());
  return out;
}

}  // namespace ym::cli
