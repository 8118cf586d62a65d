// SPDX-License-Identifier: Apache-2.0
// `slurmctld --restore`: a backup becomes the state from which the next slurmctld starts.
//
// Nothing is written before the whole backup has been read and found sound. In a folder the present
// log, if there is one, is set aside beside the new one, never removed; the new one takes its place
// in one step. In etcd the present one is written into a file beside the backup, and no controller
// starts before the new one is complete.
#pragma once
#include <string>

#include "base/result.h"
#include "site/configuration.h"
#include "store/disk.h"

namespace ym {

struct RestoreOrder {
  std::string file;
  bool force = false;       // set a state aside that is there
  bool check_only = false;  // read the backup, and write nothing
};

// What was done, in words for people.
Result<std::string> restore_state(Disk& disk, const LoadedConfiguration& loaded,
                                  const RestoreOrder& order);

}  // namespace ym
