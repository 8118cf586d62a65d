// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/slurm_user.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/format.h"
#include "net/key.h"
#include "os/change_user.h"
#include "os/files.h"
#include "os/users.h"
#include "store/etcd_home.h"

namespace ym {
namespace {

// What slurmctld keeps in StateSaveLocation; parts that were set aside have a suffix.
constexpr std::array<std::string_view, 5> kOurs = {"log", "blobs", "leader", "tls", "format"};

bool is_ours(const std::string& name) {
  auto stem = std::string_view(name).substr(0, name.find_first_of(".-"));
  return std::ranges::find(kOurs, stem) != kOurs.end();
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

std::unexpected<Error> to_be_given(const UserEntry& user, std::string_view key,
                                   const std::string& path, bool all) {
  return fail(fmt::format(
      "{}={} belongs to root, and slurmctld runs as SlurmUser={}; mend it with: chown {}{} {}", key,
      path, user.name, all ? "-R " : "", user.name, path));
}

// A folder of ours is closed to others; one that only has the same name (/var/log) is not ours.
bool is_closed(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) return false;
  return !S_ISDIR(found.st_mode) || (found.st_mode & 077) == 0;
}

// The folder may be one that others use, too (/var/spool): of those only what is ours is touched.
// On a file system of another machine root may be nobody, and then nothing here is root's.
Status give_state(const UserEntry& user, const std::string& named) {
  if (!exists(named)) static_cast<void>(make_folders(named, 0700));
  bool strangers = false;
  std::error_code error;
  std::string folder = std::filesystem::canonical(named, error).string();
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string path = entry.path().string();
    bool ours = is_ours(entry.path().filename().string()) && is_closed(path);
    strangers = strangers || !ours;
    if (ours && !give_tree_to(user, path))
      return to_be_given(user, "StateSaveLocation", folder, true);
  }
  if (!error && !strangers && !give_to(user, folder))
    return to_be_given(user, "StateSaveLocation", folder, true);
  return {};
}

void give_log(const UserEntry& user, const std::string& path) {
  if (path.empty()) return;
  // The folder may be root's alone (/var/log): it is there before we are somebody else.
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
                  0600);
  if (fd >= 0) ::close(fd);
  give_to(user, path);
}

bool may_write(const UserEntry& user, const std::string& folder) {
  struct stat found{};
  if (::stat(folder.c_str(), &found) != 0) return false;
  if (found.st_uid == user.uid) return found.st_mode & S_IWUSR;
  if (found.st_gid == user.gid) return found.st_mode & S_IWGRP;
  return found.st_mode & S_IWOTH;
}

// /run/slurmctld.pid → /run/slurmctld
std::string own_folder(const std::string& pid) {
  return std::filesystem::path(pid).replace_extension().string();
}

// Sockets and what commands read stand beside the pid file; if that is in a folder of root's, as
// /run, in one of the same name (site/configuration.h).
Status give_run_folder(const UserEntry& user, const std::string& pid) {
  std::string folder = folder_of(pid);
  if (!exists(folder)) {  // of a /run that is new with each boot
    if (Status made = make_folders(folder, 0755); !made) return made;
    give_to(user, folder);
  }
  if (!may_write(user, folder)) {
    int fd = ::open(pid.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
    if (fd >= 0) ::close(fd);
    if (Status made = make_folders(own_folder(pid), 0755); !made) return made;
    give_to(user, own_folder(pid));
  }
  for (const char* suffix : {".pid", ".sock", ".sock.lock", ".ca"})
    give_to(user, std::filesystem::path(pid).replace_extension(suffix).string());
  return {};
}

Status give_keys(const UserEntry& user, const LoadedConfiguration& loaded) {
  std::string key = key_file(loaded.path, loaded.config);
  if (exists(key) || exists(jwks_file(loaded.path, loaded.config))) return {};
  auto made = load_or_create_key(key, system_entropy());
  if (!made) return std::unexpected(made.error());
  return give_to(user, key) ? Status() : Status(fail(errno_text(key)));
}

// As SlurmUser: what he cannot use, in words that help.
Status check_access(const UserEntry& user, const LoadedConfiguration& loaded,
                    const OwnFiles& files) {
  for (const std::string& path :
       {key_file(loaded.path, loaded.config), jwks_file(loaded.path, loaded.config)})
    if (exists(path) && ::access(path.c_str(), R_OK) != 0)
      return fail(fmt::format(
          "key file {} cannot be read by SlurmUser={}, as whom slurmctld runs; mend it with: chown "
          "{} {}",
          path, user.name, user.name, path));
  const std::string& state = loaded.config.state_dir;
  if (!is_etcd_place(state) && ::access(state.c_str(), W_OK | X_OK) != 0)
    return to_be_given(user, "StateSaveLocation", state, true);
  std::string run = exists(own_folder(files.pid)) ? own_folder(files.pid) : folder_of(files.pid);
  if (::access(run.c_str(), W_OK | X_OK) != 0)
    return fail(fmt::format("SlurmUser={}, as whom slurmctld runs, cannot write to {}: chown {} {}",
                            user.name, run, user.name, run));
  return {};
}

}  // namespace

Status become_slurm_user(const LoadedConfiguration& loaded, const OwnFiles& files) {
  if (::geteuid() != 0) return {};
  auto user = user_by_name(loaded.config.slurm_user);
  if (!user) return fail("SlurmUser: " + user.error().text);
  if (user->uid == 0) return {};
  give_log(*user, files.log);
  if (Status ok = give_run_folder(*user, files.pid); !ok) return ok;
  if (!is_etcd_place(loaded.config.state_dir))
    if (Status ok = give_state(*user, loaded.config.state_dir); !ok) return ok;
  if (Status ok = give_keys(*user, loaded); !ok) return ok;
  if (Status ok = become_for_good(*user); !ok)
    return fail(fmt::format("cannot become SlurmUser={}: {}", user->name, ok.error().text));
  return check_access(*user, loaded, files);
}

}  // namespace ym
