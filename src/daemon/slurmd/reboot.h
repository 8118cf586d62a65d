// SPDX-License-Identifier: Apache-2.0
// RebootProgram, run as slurmd's user in a session of its own: it outlives slurmd, which it ends.
//
// Thread rule: the loop's thread.
#pragma once
#include <sys/types.h>

#include <string>

#include "base/time.h"
#include "net/address.h"
#include "net/loop.h"
#include "os/log.h"

namespace ym {

class Reboot {
 public:
  struct Place {
    std::string node, configuration;
  };
  Reboot(Loop& loop, Log& log, Place place) : loop_(loop), log_(log), place_(std::move(place)) {}
  ~Reboot();
  Reboot(const Reboot&) = delete;
  Reboot& operator=(const Reboot&) = delete;

  // `command` is RebootProgram: a path and its arguments. The same wish again does nothing, unless
  // the program has failed.
  void order(const std::string& command, Instant asked);

 private:
  void ended();

  Loop& loop_;
  Log& log_;
  const Place place_;
  Instant asked_;  // the wish that was obeyed last
  pid_t pid_ = 0;  // 0: none runs
  Fd pidfd_;
};

}  // namespace ym
