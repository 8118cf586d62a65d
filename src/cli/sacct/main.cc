// SPDX-License-Identifier: Apache-2.0
#include "cli/sacct/sacct.h"

int main(int argc, char** argv) {
  return ym::cli::sacct_main(ym::cli::Arguments(argv + 1, argv + argc));
}
