// SPDX-License-Identifier: Apache-2.0
#include "cli/scancel/scancel.h"

int main(int argc, char** argv) {
  return ym::cli::scancel_main(ym::cli::Arguments(argv + 1, argv + argc));
}
