// SPDX-License-Identifier: Apache-2.0
#include "cli/sstat/sstat.h"

int main(int argc, char** argv) {
  return ym::cli::sstat_main(ym::cli::Arguments(argv + 1, argv + argc));
}
