// SPDX-License-Identifier: Apache-2.0
#include "cli/sinfo/sinfo.h"

int main(int argc, char** argv) { return ym::sinfo_main(ym::Arguments(argv + 1, argv + argc)); }
