// SPDX-License-Identifier: Apache-2.0
#include "cli/squeue/squeue.h"

int main(int argc, char** argv) { return ym::squeue_main(ym::Arguments(argv + 1, argv + argc)); }
