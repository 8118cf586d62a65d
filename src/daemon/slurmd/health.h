// SPDX-License-Identifier: Apache-2.0
// HealthCheckProgram: run before the node registers, and then at each HealthCheckInterval of the
// clock, so that all nodes do it at the same time. One at a time. What follows from what it finds
// is the program's business: it drains the node itself.
//
// Thread rule: the loop's thread.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "base/time.h"
#include "model/config.h"
#include "model/node.h"
#include "net/address.h"
#include "net/loop.h"
#include "os/log.h"

namespace ym {

// HealthCheckNodeState, taken apart.
struct HealthStates {
  bool any = false, idle = false, nondrained_idle = false, alloc = false, mixed = false;
  bool cycle = false;        // not all nodes at the same time
  bool start_only = false;   // only before the node registers
  bool reboot_only = false;  // only that, and only once per boot

  bool match(const Node& node) const;
};
// Nothing but CYCLE said, or nothing at all, is any state.
HealthStates parse_health_states(std::string_view text);

// How long until the next check is due: at multiples of the interval, or with CYCLE so much after
// them as is this node's own. Between 1 ms and the interval. REQUIRES: interval > 0.
Duration until_check(Instant now, Duration interval, std::uint64_t own);

class HealthCheck {
 public:
  struct Place {
    std::string node, configuration;
    std::string boot_file;  // remembers the boot of the last check
    std::string boot_id;
  };
  // `ask_state` asks the controller for this node's state; the answer is for take_state(). Says
  // false if it is out of reach: nothing is checked then.
  HealthCheck(Loop& loop, Log& log, Place place, std::function<bool()> ask_state);
  ~HealthCheck();
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;

  // Runs the first check, if there is one to be made, and calls `ready` when it is over, at once
  // or later.
  void start(const ClusterConfig& config, std::function<void()> ready);
  void reconfigure(const ClusterConfig& config);
  void take_state(const Node& node);

 private:
  bool periodic() const;
  void schedule();
  void due();
  void run();
  void ended();
  void over();

  Loop& loop_;
  Log& log_;
  const Place place_;
  const std::function<bool()> ask_state_;
  std::string program_;
  Duration interval_{0}, timeout_{0};
  HealthStates states_;
  std::function<void()> ready_;
  TimerId due_, limit_;
  pid_t pid_ = 0;  // 0: none runs
  Fd pidfd_;
  bool timed_out_ = false;
  bool asked_ = false;
};

}  // namespace ym
