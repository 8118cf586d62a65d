// SPDX-License-Identifier: Apache-2.0
// What a node daemon keeps on disk: README.md shows the folders. Blocking calls, one thread.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "base/result.h"
#include "net/address.h"
#include "shepherd/record.h"

namespace ym {

class Spool {
 public:
  explicit Spool(std::string root) : root_(std::move(root)) {}

  // Makes the folders. Refuses a spool that a stranger could write to.
  Status prepare();
  const std::string& root() const { return root_; }

  // Outlives this process when it returns, not a power cut: then nothing of the step is alive, and
  // the controller gives up what a rebooted node does not report.
  Status write_order(const ShepherdOrder& order);
  Result<ShepherdOrder> read_order(Sluid sluid, StepId step) const;
  Status write_result(Sluid sluid, StepId step, const ShepherdResult& result);
  Result<StepRecord> read_record(Sluid sluid, StepId step) const;
  // Of that the result alone, which is less work; none if there is none.
  std::optional<ShepherdResult> read_result(Sluid sluid, StepId step) const;
  // The control socket's name; empty if there is none such step.
  std::string control(Sluid sluid, StepId step) const;
  // REQUIRES: an order was written or found.
  std::string stem(Sluid sluid, StepId step) const;

  // The shepherd's lock, taken; an error if it lives.
  Result<Fd> take_lock(Sluid sluid, StepId step) const;
  void forget(Sluid sluid, std::optional<StepId> step);

  struct Scan {
    std::vector<agent::Recovered> found;
    std::vector<std::string> troubles;  // folders that make no sense, left alone
  };
  // Everything there is. `boot_id` is the machine's present one.
  Scan scan(const std::string& boot_id);

 private:
  std::string attempt_folder(Sluid sluid) const;
  void scan_attempt(const std::string& name, const std::string& boot_id, Scan& scan);
  agent::Recovered examine(const StepRecord& seen, const std::string& boot_id) const;

  struct Attempt {
    std::string name;                     // of its folder
    std::map<StepId, std::string> steps;  // with the names of their control sockets
  };
  bool reuse_spare(const std::string& attempt);
  bool make_spare(const Attempt& attempt);

  const std::string root_;
  std::map<Sluid, Attempt> attempts_;
  // Folders of forgotten batch jobs, each with a blank record in it, for the next ones: a file
  // system has more work with new files than with old ones under a new name.
  std::vector<std::string> spares_;
  std::uint64_t last_spare_ = 0;
};

std::string step_name(StepId step);
agent::Ended ended_of(const ShepherdResult& result);

}  // namespace ym
