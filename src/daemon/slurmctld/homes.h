// SPDX-License-Identifier: Apache-2.0
// Where slurm.conf says that the log lives.
#pragma once
#include <memory>

#include "base/result.h"
#include "model/config.h"
#include "site/configuration.h"
#include "store/disk.h"
#include "store/log_home.h"

namespace ym {

// `disk` outlives it.
Result<std::unique_ptr<LogHome>> make_home(const LoadedConfiguration& loaded, Disk& disk);

// One that lives in etcd has to lead there, even without standbys: another may have been started.
bool has_epochs(const ClusterConfig& config);

}  // namespace ym
