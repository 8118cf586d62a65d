// SPDX-License-Identifier: Apache-2.0
// A program started in a session of its own, with chosen descriptors, no environment, and all
// signals as they are by default.
#pragma once
#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace ym {

class SpawnSetup {
 public:
  SpawnSetup();
  ~SpawnSetup();
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  // REQUIRES: as < 20. None is passed over.
  void pass(const Fd& fd, int as);
  Result<pid_t> spawn(const std::string& program, std::vector<std::string> arguments);

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<Fd> moved_;
};

}  // namespace ym
