// SPDX-License-Identifier: Apache-2.0
#include "cli/sbatch/sbatch.h"

int main(int argc, char** argv) { return ym::sbatch_main(ym::Arguments(argv + 1, argv + argc)); }
