// SPDX-License-Identifier: Apache-2.0
#include "shepherd/cgroup.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "os/files.h"

namespace ym {
namespace {

bool write_word(const std::string& path, const char* word) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool ok = ::write(fd, word, 1) == 1;
  ::close(fd);
  return ok;
}

}  // namespace

std::string cgroup_path(const std::string& node, JobId job, Sluid sluid, StepId step) {
  if (::geteuid() != 0) return {};
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    if (::access(fmt::format("{}/cgroup.procs", root).c_str(), W_OK) != 0) continue;
    if (::access(fmt::format("{}/cgroup.controllers", root).c_str(), R_OK) != 0) continue;
    return fmt::format("{}/yardmaster/{}/job_{}_{:016x}/step_{}", root, node, job.value,
                       sluid.value, step.value);
  }
  return {};
}

std::string make_cgroup(const std::string& path) {
  if (path.empty() || !make_folders(path)) return {};
  if (::access((path + "/cgroup.kill").c_str(), W_OK) != 0) return {};
  return path;
}

void join_cgroup(const std::string& path) {
  if (!path.empty()) write_word(path + "/cgroup.procs", "0");
}

void kill_cgroup(const std::string& path) {
  if (!path.empty()) write_word(path + "/cgroup.kill", "1");
}

void remove_cgroup(const std::string& path) {
  if (path.empty()) return;
  ::rmdir(path.c_str());
  ::rmdir(path.substr(0, path.rfind('/')).c_str());
}

}  // namespace ym
