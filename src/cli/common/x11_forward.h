// SPDX-License-Identifier: Apache-2.0
// --x11: X clients of a job's nodes come to the display that this command was started in front of.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/common/allocation.h"
#include "cli/common/controller.h"
#include "cli/options/job_options.h"
#include "x11/display.h"

namespace ym::cli {

struct LocalDisplay {
  DisplayName name;
  Address address;
  std::string cookie;
};
// The one that DISPLAY names, with its cookie from XAUTHORITY or ~/.Xauthority. Errors in Slurm's
// words, with its exit code.
Result<LocalDisplay> own_display();

// The nodes that --x11 means, of all in order. REQUIRES: there is one.
std::vector<NodeAddress> x11_nodes(const std::vector<NodeAddress>& all, X11Where where);

// A process that carries the connections, as long as this lives.
class X11Carrier {
 public:
  // Returns when clients on all chosen nodes may come. `jobs`: the components of one job.
  static Result<X11Carrier> start(Controller& controller, const std::vector<JobId>& jobs,
                                  X11Where where, const LocalDisplay& display);
  X11Carrier(X11Carrier&& other) noexcept : child_(std::exchange(other.child_, -1)) {}
  X11Carrier& operator=(X11Carrier&&) = delete;
  ~X11Carrier();

 private:
  explicit X11Carrier(pid_t child) : child_(child) {}
  pid_t child_ = -1;
};

// The same for an allocation that was just granted, which is given back if it fails.
Result<X11Carrier> carry_x11(Controller& controller, const Granted& granted, X11Where where,
                             const LocalDisplay& display);

// sbatch: the display's address and cookie as variables for the node of the script, which goes
// there itself. Refuses a display that only this machine can reach.
Result<std::vector<std::pair<std::string, std::string>>> batch_display(const LocalDisplay& display,
                                                                       const std::string& host);

}  // namespace ym::cli
