// SPDX-License-Identifier: Apache-2.0
#include "cli/salloc/salloc.h"

int main(int argc, char** argv) { return ym::salloc_main(ym::Arguments(argv + 1, argv + argc)); }
