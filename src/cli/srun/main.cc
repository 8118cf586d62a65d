// SPDX-License-Identifier: Apache-2.0
#include "cli/srun/srun.h"

int main(int argc, char** argv) { return ym::srun_main(ym::Arguments(argv + 1, argv + argc)); }
