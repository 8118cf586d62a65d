// SPDX-License-Identifier: Apache-2.0
#include "cli/salloc/salloc.h"

int main(int argc, char** argv) {
  return ym::cli::salloc_main(ym::cli::Arguments(argv + 1, argv + argc));
}
