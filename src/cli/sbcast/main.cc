// SPDX-License-Identifier: Apache-2.0
#include "cli/sbcast/sbcast.h"

int main(int argc, char** argv) {
  return ym::cli::sbcast_main(ym::cli::Arguments(argv + 1, argv + argc));
}
