// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/sinfo.h"

int main(int argc, char** argv) {
  return ym::cli::sinfo_main(ym::cli::Arguments(argv + 1, argv + argc));
}
