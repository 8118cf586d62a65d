// SPDX-License-Identifier: Apache-2.0
// What this slurmctld is: the only controller of its cluster, the one that leads, or a standby; and
// the change from one to the other. A standby and a leader are two services; there is one at a
// time.
//
// Thread rule: all calls on one thread, which `wake` (called from others) makes call turn().
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/slurmctld/lease_keeper.h"
#include "daemon/slurmctld/service.h"
#include "daemon/slurmctld/standby.h"
#include "os/log.h"
#include "store/disk_posix.h"
#include "store/log_home.h"

namespace ym {

class Roles {
 public:
  struct Options {
    LoadedConfiguration loaded;
    std::string name;  // -N: which SlurmctldHost this is; empty: by the machine's name
    bool clean = false, accept_loss = false;
    std::uint64_t open_files = 0;  // that we may have; 0: enough
    std::function<void()> shut_down;
    std::function<void()> wake;
  };
  static Result<std::unique_ptr<Roles>> start(Options options, Log& log);
  ~Roles() { stop(); }

  // After `wake`: becomes what it has to be. An error means that it can be neither.
  Status turn();
  void reconfigure();
  void stop();

 private:
  Roles(Options options, std::size_t index, Log& log);
  Status lead(State known);
  Status stand_by();
  void step_down(const std::string& why);
  void run_program(const std::string& program) const;

  Options options_;
  const std::size_t index_;
  Log& log_;
  DiskPosix disk_;
  std::unique_ptr<LogHome> home_;
  std::unique_ptr<LeaseKeeper> keeper_;
  std::unique_ptr<ControllerService> service_;
  std::unique_ptr<Standby> standby_;

  std::mutex mutex_;
  bool won_ = false;     // the standby has the lead; guarded by mutex_
  std::string deposed_;  // why the leader leads no more; guarded by mutex_
};

// The place among the SlurmctldHost lines of the one called `name`, or of this machine's. Where
// there is only one, it is that.
Result<std::size_t> own_index(const ClusterConfig& config, const std::string& name);

}  // namespace ym
