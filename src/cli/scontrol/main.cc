// SPDX-License-Identifier: Apache-2.0
#include "cli/scontrol/scontrol.h"

int main(int argc, char** argv) {
  return ym::cli::scontrol_main(ym::cli::Arguments(argv + 1, argv + argc));
}
