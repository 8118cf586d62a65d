// SPDX-License-Identifier: Apache-2.0
#include "cli/scrontab/scrontab.h"

int main(int argc, char** argv) {
  return ym::cli::scrontab_main(ym::cli::Arguments(argv + 1, argv + argc));
}
