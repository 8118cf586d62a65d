// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/yardmaster.h"

int main(int argc, char** argv) {
  return ym::cli::yardmaster_main(ym::cli::Arguments(argv + 1, argv + argc));
}
