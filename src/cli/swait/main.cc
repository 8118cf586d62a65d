// SPDX-License-Identifier: Apache-2.0
#include "cli/swait/swait.h"

int main(int argc, char** argv) {
  return ym::cli::swait_main(ym::cli::Arguments(argv + 1, argv + argc));
}
