// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/sbcast/broadcast.h"

namespace ym::cli {

struct SbcastSettings {
  BroadcastWish wish;
  std::string job;    // JOB[.STEP]
  std::string nodes;  // a hostlist: only these of the job's
  std::optional<bool> send_libs;
  std::optional<std::string> exclude;
  bool compress_given = false;
  int verbose = 0;
};

CommandPage sbcast_page();
std::vector<Option<SbcastSettings>> sbcast_table();
int sbcast_main(const Arguments& arguments);

}  // namespace ym::cli
