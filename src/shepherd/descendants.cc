// SPDX-License-Identifier: Apache-2.0
#include "shepherd/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "base/format.h"
#include "base/text.h"
#include "shepherd/cgroup_file.h"

namespace ym {
namespace {

constexpr int kStopRounds = 64;
constexpr int kQuietRounds = 2;  // nobody new so often: there is nobody
constexpr std::size_t kDescriptionMax = 4096;

// The parent from /proc/PID/stat: the fourth field, counted behind the name, which may hold
// anything. 0 if gone.
pid_t parent_of(pid_t pid) {
  int fd = ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  ssize_t length = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (length <= 0) return 0;
  text[length] = 0;
  std::string_view line(text);
  auto name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 4 >= line.size()) return 0;
  if (line[name_end + 2] == 'Z') return 0;  // ended, waiting to be reaped
  return static_cast<pid_t>(std::strtol(text + name_end + 4, nullptr, 10));
}

// Ascending by number, so that parents come before most of their children.
template <class Visit>
void for_each_process(Visit&& visit) {
  DIR* proc = ::opendir("/proc");
  if (!proc) return;
  while (const dirent* entry = ::readdir(proc)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    visit(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  }
  ::closedir(proc);
}

}  // namespace

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  for_each_process([&](pid_t pid) {
    if (pid_t parent = parent_of(pid)) children.emplace(parent, pid);
  });
  std::vector<pid_t> found;
  std::vector<pid_t> open{::getpid()};
  while (!open.empty()) {
    pid_t parent = open.back();
    open.pop_back();
    auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      found.push_back(child->second);
      open.push_back(child->second);
    }
  }
  return found;
}

std::size_t signal_descendants(int signal) {
  std::size_t count = 0;
  for (pid_t pid : descendants()) count += ::kill(pid, signal) == 0 ? 1 : 0;
  return count;
}

// Each is stopped as soon as it is seen to be ours, not after the scan: by then those who replace
// themselves by a child have done so.
void stop_descendants() {
  std::set<pid_t> stopped;
  int quiet = 0;
  for (int round = 0; round < kStopRounds && quiet < kQuietRounds; ++round) {
    ++quiet;
    std::set<pid_t> ours = stopped;
    ours.insert(::getpid());
    for_each_process([&](pid_t pid) {
      if (stopped.contains(pid) || !ours.contains(parent_of(pid))) return;
      ::kill(pid, SIGSTOP);
      stopped.insert(pid);
      ours.insert(pid);
      quiet = 0;
    });
  }
}

void kill_descendants() {
  stop_descendants();
  signal_descendants(SIGKILL);
}

std::string describe_process(pid_t pid) {
  auto part = [&](const char* file) {
    std::string text = read_cgroup(fmt::format("/proc/{}", pid), file).value_or("");
    return text.substr(0, kDescriptionMax);
  };
  std::string stat = part("stat"), text;
  auto end = stat.rfind(')');
  if (end == std::string::npos || end + 2 >= stat.size()) return {};
  if (stat[end + 2] == 'Z' || stat[end + 2] == 'X') return {};
  text = fmt::format("process {} in state {}, waits in {}\n", stat.substr(0, end + 1),
                     stat[end + 2], part("wchan"));
  for (std::string_view line : split(part("stack"), '\n'))
    if (!line.empty()) text += fmt::format("  {}\n", line);
  return text;
}

}  // namespace ym
