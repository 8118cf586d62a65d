// SPDX-License-Identifier: Apache-2.0
// What can be told from files: configuration, users, key, folders, programs.
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "cli/yardmaster/doctor.h"
#include "config/values.h"
#include "os/environment.h"
#include "os/users.h"
#include "trace/parameters.h"

namespace ym::cli {
namespace {

constexpr std::uint64_t kDiskMin_mb = 100, kDiskGood_mb = 1024;

std::string user_of(uid_t uid) {
  auto user = user_by_uid(uid);
  return user ? user->name : fmt::format("{}", uid);
}

bool node_is_here(const NodeSpec& node) {
  std::string host = node.hostname.empty() ? node.name : node.hostname;
  return host == "localhost" || host.substr(0, host.find('.')) == host_name();
}

bool controller_is_here(const ClusterConfig& config) {
  return std::ranges::any_of(config.controllers, [](const ControllerHost& host) {
    return host.name == "localhost" || host.name.substr(0, host.name.find('.')) == host_name();
  });
}

// All folders of this machine that a daemon writes to.
std::vector<std::string> written_folders(const ClusterConfig& config) {
  std::vector<std::string> out;
  auto add = [&out](const std::string& path) {
    if (!path.empty() && std::ranges::find(out, path) == out.end()) out.push_back(path);
  };
  auto above = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  if (controller_is_here(config)) {
    if (!config.state_dir.starts_with("etcd")) add(config.state_dir);
    add(above(config.controller_pid_file));
    if (!config.controller_log.empty()) add(above(config.controller_log));
  }
  for (const NodeSpec& node : config.nodes) {
    if (!node_is_here(node)) continue;
    std::string host = node.hostname.empty() ? node.name : node.hostname;
    add(expand_node_path(config.spool_dir, node.name, host));
    if (!config.node_log.empty()) add(above(node_log_path(config, node)));
  }
  return out;
}

Finding check_space(const std::string& folder) {
  struct statvfs facts{};
  if (::statvfs(folder.c_str(), &facts) != 0)
    return {Health::Warn, "disk", fmt::format("cannot tell how much is free for {}", folder), ""};
  std::uint64_t free_mb = facts.f_bavail * facts.f_frsize >> 20;
  Health health = free_mb < kDiskMin_mb    ? Health::Fail
                  : free_mb < kDiskGood_mb ? Health::Warn
                                           : Health::Ok;
  return {health, "disk", fmt::format("{} MB free for {}", free_mb, folder),
          health == Health::Ok ? "" : "make room: without it no job can be accepted"};
}

}  // namespace

std::vector<Finding> check_configuration(const Patient& patient) {
  const LoadedConfiguration& loaded = patient.loaded;
  std::vector<Finding> out{
      {Health::Ok, "configuration",
       fmt::format("{}: cluster {}, {}, {}", loaded.path, loaded.config.cluster_name,
                   counted(loaded.config.nodes.size(), "node"),
                   counted(loaded.config.partitions.size(), "partition")),
       ""}};
  for (const std::string& warning : loaded.warnings)
    out.push_back({Health::Warn, "configuration", warning, ""});
  for (const std::string& warning : trace::parameter_warnings(loaded.config.scheduler_parameters))
    out.push_back({Health::Warn, "configuration", warning, ""});
  if (loaded.config.nodes.empty())
    out.push_back({Health::Fail, "configuration", "no nodes", "add a NodeName line"});
  if (loaded.config.partitions.empty())
    out.push_back({Health::Fail, "configuration", "no partitions", "add a PartitionName line"});
  return out;
}

std::vector<Finding> check_users(const Patient& patient) {
  std::vector<Finding> out;
  const ClusterConfig& config = patient.loaded.config;
  for (const auto& [key, name] :
       {std::pair("SlurmUser", config.slurm_user), std::pair("SlurmdUser", config.node_user)}) {
    auto user = user_by_name(name);
    if (user)
      out.push_back({Health::Ok, "users", fmt::format("{} is {} ({})", key, name, user->uid), ""});
    else
      out.push_back({Health::Fail, "users", fmt::format("{} {} does not exist here", key, name),
                     fmt::format("make the user, or change {} in {}", key, patient.loaded.path)});
  }
  return out;
}

std::vector<Finding> check_key(const Patient& patient) {
  std::string path = key_file(patient.loaded.path, patient.loaded.config);
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0)
    return {{Health::Fail, "key", fmt::format("{} is not there", path),
             "start the controller, which makes one; copy it to machines that only have nodes"}};
  if ((facts.st_mode & 077) != 0)
    return {{Health::Fail, "key",
             fmt::format("{} can be read by others (mode {:04o})", path, facts.st_mode & 07777),
             fmt::format("chmod 600 {}", path)}};
  auto user = user_by_name(patient.loaded.config.slurm_user);
  // Where slurmctld runs, its user has to read it.
  bool of_root = facts.st_uid == 0 && !controller_is_here(patient.loaded.config);
  if (user && facts.st_uid != user->uid && !of_root)
    return {{Health::Fail, "key", fmt::format("{} belongs to {}", path, user_of(facts.st_uid)),
             fmt::format("chown {} {}", user->name, path)}};
  return {
      {Health::Ok, "key",
       fmt::format("{}, mode {:04o}, of {}", path, facts.st_mode & 07777, user_of(facts.st_uid)),
       ""}};
}

std::vector<Finding> check_folders(const Patient& patient) {
  std::vector<Finding> out;
  std::vector<std::string> folders = written_folders(patient.loaded.config);
  auto slurm_user = user_by_name(patient.loaded.config.slurm_user);
  // Only the daemons' own user can tell what they may write to.
  bool may_judge = ::geteuid() == 0 || (slurm_user && slurm_user->uid == ::geteuid());
  std::size_t good = 0;
  for (const std::string& folder : folders) {
    if (::access(folder.c_str(), F_OK) != 0)
      out.push_back({Health::Fail, "folders", fmt::format("{} does not exist", folder),
                     fmt::format("mkdir -p {}", folder)});
    else if (may_judge && ::access(folder.c_str(), W_OK) != 0)
      out.push_back({Health::Fail, "folders", fmt::format("{} cannot be written to", folder),
                     fmt::format("chown {} {}", patient.loaded.config.slurm_user, folder)});
    else
      ++good;
  }
  if (out.empty())
    out.push_back({Health::Ok, "folders",
                   fmt::format("{} exist{}", good, may_judge ? " and can be written to" : ""), ""});
  if (!folders.empty()) out.push_back(check_space(folders.front()));
  return out;
}

std::vector<Finding> check_programs(const Patient&) {
  std::vector<Finding> out;
  for (const char* name : {"slurmctld", "slurmd", "slurmstepd", "sbatch", "srun", "salloc",
                           "squeue", "sinfo", "scancel", "scontrol"}) {
    auto path = find_program(name);
    if (!path) {
      out.push_back({Health::Fail, "programs", path.error().text,
                     "install all programs of one build into one prefix"});
      continue;
    }
    auto child = spawn({.program = *path,
                        .arguments = {"-V"},
                        .environment = clean_environment(),
                        .folder = {},
                        .capture = true});
    std::string said = child ? wait_for_child(*child).output : child.error().text;
    if (trim(said) != "slurm " YM_SLURM_VERSION)
      out.push_back({Health::Fail, "programs",
                     fmt::format("{} says '{}', not 'slurm {}'", *path, printable(trim(said)),
                                 YM_SLURM_VERSION),
                     "install all programs of one build into one prefix"});
  }
  if (out.empty())
    out.push_back(
        {Health::Ok, "programs",
         fmt::format("all found beside {}, all of version {}", program_folder(), YM_SLURM_VERSION),
         ""});
  return out;
}

}  // namespace ym::cli
