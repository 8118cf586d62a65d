// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/sbatch.h"

int main(int argc, char** argv) {
  return ym::cli::sbatch_main(ym::cli::Arguments(argv + 1, argv + argc));
}
