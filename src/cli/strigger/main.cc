// SPDX-License-Identifier: Apache-2.0
#include "cli/strigger/strigger.h"

int main(int argc, char** argv) {
  return ym::cli::strigger_main(ym::cli::Arguments(argv + 1, argv + argc));
}
