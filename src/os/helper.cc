// SPDX-License-Identifier: Apache-2.0
#include "os/helper.h"

#include <grp.h>
#include <unistd.h>

#include <vector>

#include "base/text.h"
#include "os/files.h"

namespace ym {

bool become_user(std::string_view uid, std::string_view gid, std::string_view groups) {
  auto user = parse_unsigned<std::uint32_t>(uid), group = parse_unsigned<std::uint32_t>(gid);
  if (!user || !group) return false;
  std::vector<gid_t> others;
  for (std::string_view one : split_words(groups, ',')) {
    auto other = parse_unsigned<std::uint32_t>(one);
    if (!other) return false;
    others.push_back(*other);
  }
  if (::geteuid() != 0) return *user == ::geteuid();
  return ::setgroups(others.size(), others.data()) == 0 &&
         ::setresgid(*group, *group, *group) == 0 && ::setresuid(*user, *user, *user) == 0;
}

std::string read_inherited(int fd) {
  auto text = read_file("/proc/self/fd/" + std::to_string(fd));
  ::close(fd);
  return text ? *text : std::string();
}

}  // namespace ym
