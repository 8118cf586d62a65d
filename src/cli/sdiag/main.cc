// SPDX-License-Identifier: Apache-2.0
#include "cli/sdiag/sdiag.h"

int main(int argc, char** argv) {
  return ym::cli::sdiag_main(ym::cli::Arguments(argv + 1, argv + argc));
}
