// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmctld/side_programs.h"

#include <unistd.h>

#include <cstdlib>

#include "os/child.h"
#include "os/child_as.h"
#include "os/files.h"
#include "os/temporary.h"
#include "os/users.h"

namespace ym {
namespace {

// There as long as this is.
struct TemporaryFile {
  explicit TemporaryFile(std::string name) : path(std::move(name)) {}
  ~TemporaryFile() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string path;
};

}  // namespace

void SidePrograms::run(SideProgram program) {
  std::string name = program.program;
  if (!queue_.try_push(std::move(program)))
    return log_.error("{} is not run: too many programs wait", name);
  std::lock_guard lock(mutex_);
  if (threads_.size() < kAtOnce) threads_.emplace_back([this] { work(); });
}

void SidePrograms::stop() {
  queue_.close();
  std::lock_guard lock(mutex_);
  threads_.clear();
}

void SidePrograms::work() {
  while (!queue_.closed())
    for (const SideProgram& one : queue_.take(1, std::chrono::hours(1))) run_one(one);
}

void SidePrograms::run_one(const SideProgram& program) const {
  // Nobody's in particular: ours. So is root's where the controller is SlurmUser's.
  bool ours = program.user_name.empty() || program.uid == Uid{0};
  std::uint32_t uid = ours ? ::geteuid() : program.uid.value;
  ChildIdentity identity{.uid = uid, .gid = program.gid.value};
  std::vector<std::string> environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  if (auto user = user_by_uid(uid)) {
    identity.gid = user->gid;
    identity.groups = groups_of(user->name, user->gid);
    identity.folder = user->home;
    for (const auto& [key, value] : {std::pair("HOME", user->home), std::pair("USER", user->name),
                                     std::pair("LOGNAME", user->name)})
      environment.push_back(std::string(key) + "=" + value);
  }
  if (!config_path_.empty()) environment.push_back("SLURM_CONF=" + config_path_);
  Result<std::string> written;
  if (!program.file_text.empty())
    written = write_temporary("/tmp/slurm-resume-", program.file_text);
  if (!written)
    log_.error("{} goes without {}: {}", program.program, program.file_variable,
               written.error().text);
  TemporaryFile file(written.value_or(""));
  if (!program.file_variable.empty())
    environment.push_back(program.file_variable + "=" + file.path);
  environment.insert(environment.end(), program.environment.begin(), program.environment.end());
  std::vector<std::string> arguments = {program.program};
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  auto pid = start_child_as(identity, arguments, environment);
  if (!pid) return log_.error("{}", pid.error().text);
  ChildEnd end = wait_for_child(*pid, kLimit, [this] { return queue_.closed(); });
  if (!end.error.empty()) log_.error("{}: {}", program.program, end.error);
}

}  // namespace ym
