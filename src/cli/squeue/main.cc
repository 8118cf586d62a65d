// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/squeue.h"

int main(int argc, char** argv) {
  return ym::cli::squeue_main(ym::cli::Arguments(argv + 1, argv + argc));
}
