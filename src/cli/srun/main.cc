// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/srun.h"

int main(int argc, char** argv) {
  return ym::cli::srun_main(ym::cli::Arguments(argv + 1, argv + argc));
}
