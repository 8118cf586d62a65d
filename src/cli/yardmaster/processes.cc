// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <map>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/common/world.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/files.h"

namespace ym::cli {
namespace {

constexpr int kPause_ms = 20;
constexpr std::size_t kProcFileMax = 4 << 20;
constexpr std::size_t kOutputMax = 1 << 20;

std::string base_name(std::string_view path) {
  auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::vector<std::string> nul_separated(const std::string& path) {
  std::vector<std::string> out;
  auto text = read_file(path, kProcFileMax);
  if (!text) return out;
  for (std::string_view part : split(*text, '\0')) out.emplace_back(part);
  if (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

std::string program_of(const std::string& folder) {
  char path[PATH_MAX];
  ssize_t length = ::readlink((folder + "/exe").c_str(), path, sizeof path);
  if (length <= 0) return {};
  std::string_view file(path, static_cast<std::size_t>(length));
  // A file that was replaced may have had any name last: linkers and packagers move it out of the
  // way first. The name that the process began with stays.
  if (file.ends_with(" (deleted)"))
    return std::string(trim(read_file(folder + "/comm", 4096).value_or("")));
  return base_name(file);
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> out;
  std::unique_ptr<DIR, int (*)(DIR*)> proc(::opendir("/proc"), ::closedir);
  if (!proc) return out;
  while (const dirent* entry = ::readdir(proc.get()))
    if (auto pid = parse_unsigned<std::uint32_t>(entry->d_name))
      out.push_back(static_cast<pid_t>(*pid));
  return out;
}

// "12 (a name) S 7 …": state and parent follow the name, which may hold anything.
std::vector<std::string> stat_words(pid_t pid) {
  std::vector<std::string> out;
  auto text = read_file(fmt::format("/proc/{}/stat", pid), 4096);
  if (!text) return out;
  auto name_end = text->rfind(") ");
  if (name_end == std::string::npos) return out;
  for (std::string_view word : split(std::string_view(*text).substr(name_end + 2), ' '))
    out.emplace_back(word);
  return out;
}

std::optional<pid_t> parent_of(pid_t pid) {
  auto words = stat_words(pid);
  if (words.size() < 2) return std::nullopt;
  auto parent = parse_unsigned<std::uint32_t>(words[1]);
  if (!parent) return std::nullopt;
  return static_cast<pid_t>(*parent);
}

bool is_daemon(std::string_view program) {
  return program == "slurmctld" || program == "slurmd" || program == "slurmstepd";
}

}  // namespace

std::optional<ClusterProcess> classify(const ProcessFacts& facts, const std::string& configuration,
                                       const std::string& spool) {
  if (!is_daemon(facts.program)) return std::nullopt;
  ClusterProcess out{.program = facts.program};
  const auto& words = facts.arguments;
  bool ours = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (facts.program == "slurmstepd" && words[i].starts_with(spool + "/")) ours = true;
    if (i + 1 < words.size() && words[i] == "-f" && words[i + 1] == configuration) ours = true;
    if (i + 1 < words.size() && words[i] == "-N") out.node = words[i + 1];
  }
  // Started by hand, with the variable instead of -f. A shepherd's environment is the job's.
  bool named = std::find(words.begin(), words.end(), "-f") != words.end();
  if (!named && facts.program != "slurmstepd")
    ours = std::find(facts.environment.begin(), facts.environment.end(),
                     "SLURM_CONF=" + configuration) != facts.environment.end();
  if (!ours) return std::nullopt;
  return out;
}

std::vector<ClusterProcess> cluster_processes(const std::string& configuration,
                                              const std::string& spool) {
  std::vector<ClusterProcess> out;
  for (pid_t pid : all_processes()) {
    std::string folder = fmt::format("/proc/{}", pid);
    ProcessFacts facts{.program = program_of(folder)};
    if (!is_daemon(facts.program)) continue;
    facts.arguments = nul_separated(folder + "/cmdline");
    if (!facts.arguments.empty()) facts.arguments.erase(facts.arguments.begin());
    facts.environment = nul_separated(folder + "/environ");
    auto found = classify(facts, configuration, spool);
    if (!found) continue;
    found->pid = pid;
    if (alive(found->pid)) out.push_back(std::move(*found));
  }
  return out;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (pid_t pid : all_processes())
    if (auto parent = parent_of(pid)) children[*parent].push_back(pid);
  std::vector<pid_t> out{ancestor};
  for (std::size_t i = 0; i < out.size(); ++i)
    if (auto at = children.find(out[i]); at != children.end())
      out.insert(out.end(), at->second.begin(), at->second.end());
  out.erase(out.begin());
  return out;
}

Result<std::string> find_program(const std::string& name) {
  std::string here = program_folder(), prefix = program_prefix();
  for (const std::string& folder : {here, prefix + "/sbin", prefix + "/bin"}) {
    std::string path = folder + "/" + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return fail(fmt::format("the program {} is neither in {} nor in {}/sbin", name, here, prefix));
}

Result<Child> spawn(const Spawn& what) {
  std::vector<char*> arguments, environment;
  arguments.push_back(const_cast<char*>(what.program.c_str()));
  for (const std::string& one : what.arguments) arguments.push_back(const_cast<char*>(one.c_str()));
  arguments.push_back(nullptr);
  for (const std::string& one : what.environment)
    environment.push_back(const_cast<char*>(one.c_str()));
  environment.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (what.capture && ::pipe2(ends, O_CLOEXEC) != 0) return fail(errno_text("pipe"));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (what.capture) {
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  }
  if (!what.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, what.folder.c_str());
  Child child{.output = ends[0]};
  int error = ::posix_spawn(&child.pid, what.program.c_str(), &actions, nullptr, arguments.data(),
                            environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (ends[1] >= 0) ::close(ends[1]);
  if (error == 0) return child;
  if (ends[0] >= 0) ::close(ends[0]);
  errno = error;
  return fail(errno_text(what.program));
}

ChildEnd wait_for_child(Child child) {
  ChildEnd end;
  char buffer[4096];
  while (child.output >= 0) {
    ssize_t got = ::read(child.output, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (end.output.size() < kOutputMax) end.output.append(buffer, static_cast<std::size_t>(got));
  }
  if (child.output >= 0) ::close(child.output);
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

std::vector<std::string> clean_environment() {
  std::vector<std::string> out;
  for (std::string& one : own_environment()) {
    bool of_a_job = false;
    for (std::string_view prefix :
         {"SLURM_", "SLURMD_", "SBATCH_", "SALLOC_", "SRUN_", "SQUEUE_", "SINFO_", "SCANCEL_"})
      of_a_job = of_a_job || one.starts_with(prefix);
    if (!of_a_job) out.push_back(std::move(one));
  }
  return out;
}

// A zombie is no longer alive: its parent alone has an interest in it.
bool alive(pid_t pid) {
  auto words = stat_words(pid);
  return !words.empty() && words[0] != "Z";
}

void short_pause() { ::poll(nullptr, 0, kPause_ms); }
Duration now_for_waiting() { return monotonic_clock(); }

}  // namespace ym::cli
