// SPDX-License-Identifier: Apache-2.0
// slurmd's command line.
#pragma once
#include <string>

#include "base/result.h"

namespace ym {

struct SlurmdOptions {
  bool foreground = false;     // -D
  bool clean = false;          // -c: forget what has ended
  bool booted = false;         // -b: say that the machine has just booted
  bool print_machine = false;  // -C
  bool print_gres = false;     // -G
  bool print_version = false;  // -V
  bool help = false;           // -h
  int verbosity = 0;           // -v, repeated
  std::string node;            // -N
  std::string configuration;   // -f
  std::string log_file;        // -L
  std::string conf_server;     // --conf-server host[:port]
  std::string join;            // --join: a token, or the file that has it
};

Result<SlurmdOptions> parse_slurmd_options(int argc, char** argv);
std::string_view slurmd_help();

}  // namespace ym
