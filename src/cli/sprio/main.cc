// SPDX-License-Identifier: Apache-2.0
#include "cli/sprio/sprio.h"

int main(int argc, char** argv) {
  return ym::cli::sprio_main(ym::cli::Arguments(argv + 1, argv + argc));
}
