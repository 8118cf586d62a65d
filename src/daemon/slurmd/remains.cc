// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/remains.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "os/environment_block.h"
#include "os/files.h"
#include "shepherd/containment.h"
#include "shepherd/unkillable.h"

namespace ym {
namespace {

constexpr std::size_t kEnvironmentMax = 4 << 20;

struct ProcessFacts {
  char state = 'X';
  pid_t session = 0;
};

// The third and sixth field, counted behind the name, which may hold anything.
ProcessFacts facts_of(pid_t pid) {
  auto text = read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text) return {};
  auto end = text->rfind(')');
  if (end == std::string::npos) return {};
  std::vector<std::string_view> words = split_words(std::string_view(*text).substr(end + 1), ' ');
  if (words.size() < 4 || words[0].empty()) return {};
  auto session = parse_unsigned<std::uint32_t>(words[3]);
  return {.state = words[0][0], .session = static_cast<pid_t>(session.value_or(0))};
}

bool belongs_to(pid_t pid, std::uint32_t uid) {
  struct stat info{};
  return ::stat(fmt::format("/proc/{}", pid).c_str(), &info) == 0 && info.st_uid == uid;
}

}  // namespace

Remains::Remains(ShepherdOrder order, pid_t shepherd)
    : order_(std::move(order)), shepherd_(shepherd) {
  EnvironmentBlock environment(order_.environment);
  for (const char* name : {"SLURM_JOB_ID", "SLURMD_NODENAME", "SLURM_CONF", "SLURM_STEP_ID"}) {
    std::string value = environment.get(name);
    if (!value.empty()) marks_.push_back(fmt::format("{}={}", name, value));
  }
}

bool Remains::is_ours(pid_t pid) const {
  ProcessFacts facts = facts_of(pid);
  if (facts.state == 'X' || facts.state == 'Z') return false;
  if (!belongs_to(pid, order_.uid)) return false;
  // A session's number is not given out again while anybody is in it; if it has a leader again,
  // everybody had left, and it is another session.
  bool same_session = shepherd_ > 0 && facts.session == shepherd_;
  if (same_session && facts_of(shepherd_).state == 'X') return true;
  if (marks_.size() < 3) return false;
  auto environment = read_file(fmt::format("/proc/{}/environ", pid), kEnvironmentMax);
  if (!environment) return false;
  std::vector<std::string_view> entries = split(*environment, '\0');
  auto has = [&](std::string_view mark) {
    return std::ranges::find(entries, mark) != entries.end();
  };
  if (!std::ranges::all_of(marks_, has)) return false;
  // A batch script's processes have no step's number; those of a step have theirs.
  bool in_step = std::ranges::any_of(
      entries, [](std::string_view entry) { return entry.starts_with("SLURM_STEP_ID="); });
  return in_step == (order_.step != kBatchStep);
}

std::vector<pid_t> Remains::find() const {
  Containment groups(order_);
  if (groups.tracks()) return groups.members();
  std::vector<pid_t> found;
  DIR* proc = ::opendir("/proc");
  if (!proc) return found;
  while (const dirent* entry = ::readdir(proc)) {
    auto pid = parse_unsigned<std::uint32_t>(entry->d_name);
    if (pid && *pid > 1 && is_ours(static_cast<pid_t>(*pid)))
      found.push_back(static_cast<pid_t>(*pid));
  }
  ::closedir(proc);
  return found;
}

bool Remains::end() const {
  Containment groups(order_);
  groups.kill();
  groups.thaw();
  std::vector<pid_t> found = find();
  if (found.empty()) {
    groups.remove();
    return true;
  }
  if (groups.tracks()) return false;
  // Who is stopped has no more children that this round would miss.
  for (pid_t pid : found) ::kill(pid, SIGSTOP);
  for (pid_t pid : find()) ::kill(pid, SIGKILL);
  return false;
}

std::string Remains::describe() const { return describe_unkillable(find()); }

}  // namespace ym
