// SPDX-License-Identifier: Apache-2.0
#include "cli/sattach/sattach.h"

int main(int argc, char** argv) {
  return ym::cli::sattach_main(ym::cli::Arguments(argv + 1, argv + argc));
}
