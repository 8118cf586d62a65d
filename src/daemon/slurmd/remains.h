// SPDX-License-Identifier: Apache-2.0
// What is left of a step whose shepherd was killed: nobody else reaps or ends it.
//
// By its control group where there is one: that is complete. Otherwise by marks: the session that
// the shepherd led, and the environment that its tasks were started with (job, step, node and
// configuration together, which no process outside of the step has). A process that has both left
// the session and cleared its environment is not found.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "shepherd/order.h"

namespace ym {

class Remains {
 public:
  Remains() = default;
  // `shepherd` is its process id, 0 if it never said.
  Remains(ShepherdOrder order, pid_t shepherd);

  // Kills what is there. True when nothing is: then its groups are gone, too.
  bool end() const;
  // Of those that are there, for the log.
  std::string describe() const;

 private:
  std::vector<pid_t> find() const;
  bool is_ours(pid_t pid) const;

  ShepherdOrder order_;
  pid_t shepherd_ = 0;
  std::vector<std::string> marks_;  // NAME=value
};

}  // namespace ym
