// SPDX-License-Identifier: Apache-2.0
// srun: tasks on the nodes of an allocation, with their streams here.
#pragma once
#include "cli/common/command.h"

namespace ym::cli {

CommandPage srun_page();
int srun_main(const Arguments& arguments);

}  // namespace ym::cli
