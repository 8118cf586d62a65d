// SPDX-License-Identifier: Apache-2.0
// salloc: nodes for a command or a shell that runs here.
#pragma once
#include "cli/common/command.h"

namespace ym::cli {

CommandPage salloc_page();
int salloc_main(const Arguments& arguments);

}  // namespace ym::cli
