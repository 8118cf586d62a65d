// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/spawn.h"

#include <fcntl.h>
#include <signal.h>

#include <cstring>

#include "base/format.h"

namespace ym {
namespace {

constexpr int kSpareFd = 20;  // above the numbers that a program expects

}  // namespace

SpawnSetup::SpawnSetup() {
  ::posix_spawn_file_actions_init(&actions_);
  ::posix_spawnattr_init(&attributes_);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &all);
  ::posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions_, 0, 1);
}

SpawnSetup::~SpawnSetup() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

void SpawnSetup::pass(const Fd& fd, int as) {
  if (!fd) return;
  moved_.emplace_back(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kSpareFd));
  ::posix_spawn_file_actions_adddup2(&actions_, moved_.back().get(), as);
}

Result<pid_t> SpawnSetup::spawn(const std::string& program, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& one : arguments) argv.push_back(one.data());
  argv.push_back(nullptr);
  char* environment[] = {nullptr};
  pid_t pid = 0;
  int error =
      ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, argv.data(), environment);
  if (error != 0) return fail(fmt::format("{}: {}", program, std::strerror(error)));
  return pid;
}

}  // namespace ym
