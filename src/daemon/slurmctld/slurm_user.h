// SPDX-License-Identifier: Apache-2.0
// Started as root, slurmctld becomes SlurmUser before it opens anything that is to last.
#pragma once
#include <string>

#include "base/result.h"
#include "site/configuration.h"

namespace ym {

struct OwnFiles {
  std::string log, pid;  // as they are named on this machine; log may be empty
};
// Nothing happens unless we are root and SlurmUser is somebody else. What an earlier slurmctld left
// here as root is given to SlurmUser: log, pid file, sockets, what it keeps in StateSaveLocation. A
// key is made if there is none. What he cannot use then is an error that says what to do. REQUIRES:
// one thread.
Status become_slurm_user(const LoadedConfiguration& loaded, const OwnFiles& files);

}  // namespace ym
