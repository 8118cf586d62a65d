// SPDX-License-Identifier: Apache-2.0
#include "cli/yardmaster/yardmaster.h"

int main(int argc, char** argv) { return ym::yardmaster_main(ym::Arguments(argv + 1, argv + argc)); }
