// SPDX-License-Identifier: Apache-2.0
#include "os/change_user.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <vector>

#include "os/files.h"
#include "os/privileges.h"

namespace ym {
namespace {

constexpr int kDepthMax = 8;  // of a folder that is given away

// What `fd`, opened with O_PATH, names. What root cannot look at is not root's (on a file system of
// another machine).
bool give(const UserEntry& user, int fd) {
  struct stat found{};
  if (fd < 0 || ::fstat(fd, &found) != 0 || found.st_uid != 0) return true;
  bool plain = S_ISDIR(found.st_mode) || S_ISSOCK(found.st_mode) || S_ISREG(found.st_mode);
  if (!plain || (!S_ISDIR(found.st_mode) && found.st_nlink != 1)) return false;
  return ::fchownat(fd, "", user.uid, user.gid, AT_EMPTY_PATH) == 0;
}

int open_path(int folder, const char* name) {
  return ::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

// With all that is in it, if it is a folder.
bool give_tree(const UserEntry& user, int fd, int depth) {
  struct stat found{};
  if (fd < 0 || ::fstat(fd, &found) != 0) return true;
  if (!S_ISDIR(found.st_mode)) return give(user, fd);
  if (depth > kDepthMax) return false;
  int readable = ::openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (readable < 0) return true;
  DIR* entries = ::fdopendir(readable);
  if (!entries) {
    ::close(readable);
    return false;
  }
  bool all = true;
  while (const dirent* entry = all ? ::readdir(entries) : nullptr) {
    std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    int one = open_path(fd, entry->d_name);
    all = give_tree(user, one, depth + 1);
    if (one >= 0) ::close(one);
  }
  ::closedir(entries);
  return all && give(user, fd);
}

}  // namespace

Status become_for_good(const UserEntry& user) {
  std::vector<std::uint32_t> known = groups_of(user.name, user.gid);
  std::vector<gid_t> groups(known.begin(), known.end());
  if (::setgroups(groups.size(), groups.data()) != 0) return fail(errno_text("setgroups"));
  if (::setresgid(user.gid, user.gid, user.gid) != 0) return fail(errno_text("setresgid"));
  if (::setresuid(user.uid, user.uid, user.uid) != 0) return fail(errno_text("setresuid"));
  // The change of user took those that act; those that a program could inherit are left.
  if (!keep_no_capability()) return fail(errno_text("capset"));
  if (user.uid != 0 && ::setuid(0) == 0) return fail("root's rights could not be given up");
  return {};
}

bool give_to(const UserEntry& user, const std::string& path) {
  int fd = open_path(AT_FDCWD, path.c_str());
  bool given = give(user, fd);
  if (fd >= 0) ::close(fd);
  return given;
}

bool give_tree_to(const UserEntry& user, const std::string& path) {
  int fd = open_path(AT_FDCWD, path.c_str());
  bool given = give_tree(user, fd, 0);
  if (fd >= 0) ::close(fd);
  return given;
}

}  // namespace ym
