// SPDX-License-Identifier: Apache-2.0
#include "shepherd/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace ym {
namespace {

// Fields of /proc/PID/stat behind the name, the state being number 0; see proc(5).
constexpr std::size_t kState = 0, kParent = 1, kMajorFaults = 9, kChildMajorFaults = 10,
                      kUserTime = 11, kSystemTime = 12, kChildUserTime = 13, kChildSystemTime = 14,
                      kVirtualSize = 20, kResident = 21, kFields = 22;

std::string read_proc(pid_t pid, const char* name) {
  std::array<char, 1024> buffer;
  int fd = ::open(fmt::format("/proc/{}/{}", pid, name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  ssize_t length = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return length > 0 ? std::string(buffer.data(), static_cast<std::size_t>(length)) : std::string();
}

std::uint64_t milliseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 +
         static_cast<std::uint64_t>(time.tv_usec) / 1000;
}

// Counters add up; sizes only while something is alive.
void add_counters(Usage& sum, const Usage& one) {
  sum.user_ms += one.user_ms;
  sum.system_ms += one.system_ms;
  sum.major_faults += one.major_faults;
  sum.read_bytes += one.read_bytes;
  sum.write_bytes += one.write_bytes;
}

std::vector<ProcessStat> all_processes() {
  const auto page_kb = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  const auto ticks = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  std::vector<ProcessStat> found;
  DIR* proc = ::opendir("/proc");
  if (!proc) return found;
  while (dirent* entry = ::readdir(proc)) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    auto stat = parse_stat(read_proc(pid, "stat"), page_kb, ticks);
    if (stat && !stat->zombie) found.push_back(*stat);
  }
  ::closedir(proc);
  return found;
}

}  // namespace

std::optional<ProcessStat> parse_stat(std::string_view text, std::uint64_t page_kb,
                                      std::uint64_t ticks) {
  auto name_end = text.rfind(')');  // the name itself may hold anything
  auto pid = parse_unsigned<std::uint32_t>(text.substr(0, text.find(' ')));
  if (name_end == text.npos || name_end + 2 >= text.size() || !pid || ticks == 0)
    return std::nullopt;
  std::vector<std::string_view> words = split_words(text.substr(name_end + 2), ' ');
  if (words.size() < kFields) return std::nullopt;
  bool sound = true;
  auto number = [&](std::size_t field) {
    auto value = parse_unsigned<std::uint64_t>(words[field]);
    sound = sound && value.has_value();
    return value.value_or(0);
  };
  auto time = [&](std::size_t own, std::size_t children) {
    return (number(own) + number(children)) * 1000 / ticks;
  };
  ProcessStat stat{.pid = static_cast<pid_t>(*pid),
                   .parent = static_cast<pid_t>(number(kParent)),
                   .zombie = words[kState] == "Z" || words[kState] == "X"};
  stat.usage = {.user_ms = time(kUserTime, kChildUserTime),
                .system_ms = time(kSystemTime, kChildSystemTime),
                .rss_kb = number(kResident) * page_kb,
                .vm_kb = number(kVirtualSize) / 1024,
                .major_faults = number(kMajorFaults) + number(kChildMajorFaults)};
  if (!sound) return std::nullopt;
  return stat;
}

void parse_io(std::string_view text, Usage& usage) {
  for (std::string_view line : split(text, '\n')) {
    auto colon = line.find(": ");
    if (colon == line.npos) continue;
    auto value = parse_unsigned<std::uint64_t>(line.substr(colon + 2));
    if (!value) continue;
    if (line.substr(0, colon) == "rchar") usage.read_bytes = *value;
    if (line.substr(0, colon) == "wchar") usage.write_bytes = *value;
  }
}

void UsageMeter::sample() {
  if (tasks_.empty()) return;
  std::multimap<pid_t, ProcessStat> children;
  for (const ProcessStat& one : all_processes()) children.emplace(one.parent, one);
  std::map<pid_t, Process> found;
  // Parents before their children; a child belongs to its parent's task. What was left to us by a
  // parent that ended keeps its task, and is the first one's if it was never seen before.
  std::vector<std::pair<pid_t, std::size_t>> open{{::getpid(), 0}};
  for (bool top = true; !open.empty(); top = false) {
    auto [parent, inherited] = open.back();
    open.pop_back();
    auto [first, last] = children.equal_range(parent);
    for (auto child = first; child != last; ++child) {
      ProcessStat& stat = child->second;
      std::size_t task = inherited;
      if (top) {
        auto own = std::ranges::find(tasks_, stat.pid, &Task::pid);
        auto before = alive_.find(stat.pid);
        if (own != tasks_.end())
          task = static_cast<std::size_t>(own - tasks_.begin());
        else if (before != alive_.end())
          task = before->second.task;
      }
      parse_io(read_proc(stat.pid, "io"), stat.usage);
      found[stat.pid] = {.task = task, .usage = stat.usage};
      open.emplace_back(stat.pid, task);
    }
  }
  alive_ = std::move(found);
  sum_up();
}

void UsageMeter::sum_up() {
  for (Task& task : tasks_) {
    Usage now = task.gone;
    now.max_rss_kb = task.usage.max_rss_kb;
    now.max_vm_kb = task.usage.max_vm_kb;
    task.usage = now;
  }
  for (const auto& [pid, process] : alive_) {
    Usage& usage = tasks_[process.task].usage;
    add_counters(usage, process.usage);
    usage.rss_kb += process.usage.rss_kb;
    usage.vm_kb += process.usage.vm_kb;
  }
  for (Task& task : tasks_) {
    task.usage.max_rss_kb = std::max(task.usage.max_rss_kb, task.usage.rss_kb);
    task.usage.max_vm_kb = std::max(task.usage.max_vm_kb, task.usage.vm_kb);
  }
}

// The bytes of a dead process can be read only before it is reaped.
pid_t UsageMeter::reap(int* status) {
  siginfo_t dead{};
  if (::waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0) return -1;
  if (dead.si_pid == 0) return 0;
  Usage usage;
  parse_io(read_proc(dead.si_pid, "io"), usage);
  rusage used{};
  pid_t pid = ::wait4(dead.si_pid, status, WNOHANG, &used);
  if (pid <= 0) return pid;
  usage.user_ms = milliseconds(used.ru_utime);
  usage.system_ms = milliseconds(used.ru_stime);
  usage.max_rss_kb = static_cast<std::uint64_t>(std::max(used.ru_maxrss, 0L));
  usage.major_faults = static_cast<std::uint64_t>(std::max(used.ru_majflt, 0L));
  note_end(pid, usage);
  return pid;
}

void UsageMeter::note_end(pid_t pid, const Usage& usage) {
  if (tasks_.empty()) return;
  auto own = std::ranges::find(tasks_, pid, &Task::pid);
  auto before = alive_.find(pid);
  std::size_t task = before != alive_.end() ? before->second.task : 0;
  if (own != tasks_.end() && !own->ended) {
    task = static_cast<std::size_t>(own - tasks_.begin());
    own->ended = true;
  }
  if (before != alive_.end()) alive_.erase(before);
  add_counters(tasks_[task].gone, usage);
  Usage& seen = tasks_[task].usage;
  seen.max_rss_kb = std::max(seen.max_rss_kb, usage.max_rss_kb);
  sum_up();
}

std::vector<std::uint32_t> UsageMeter::pids() const {
  std::vector<std::uint32_t> out;
  for (const auto& [pid, process] : alive_) out.push_back(static_cast<std::uint32_t>(pid));
  return out;
}

StepUsage UsageMeter::total(const std::string& node) const {
  StepUsage step;
  for (const Task& task : tasks_)
    add_task(step,
             {.rank = task.rank, .pid = static_cast<std::uint32_t>(task.pid), .usage = task.usage},
             node);
  return step;
}

}  // namespace ym
