// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/options.h"

#include <getopt.h>

#include "base/format.h"

namespace ym {
namespace {

enum Long { kConfServer = 256, kJoin };
constexpr option kLongOptions[] = {
    {"conf-server", required_argument, nullptr, kConfServer},
    {"join", required_argument, nullptr, kJoin},
    {"version", no_argument, nullptr, 'V'},
    {"help", no_argument, nullptr, 'h'},
    {nullptr, 0, nullptr, 0},
};

}  // namespace

Result<SlurmdOptions> parse_slurmd_options(int argc, char** argv) {
  SlurmdOptions options;
  ::optind = 0;
  ::opterr = 0;
  for (int option;
       (option = ::getopt_long(argc, argv, ":bcCDf:GhL:MN:n:svV", kLongOptions, nullptr)) != -1;) {
    switch (option) {
      case 'b': options.booted = true; break;
      case 'c': options.clean = true; break;
      case 'C': options.print_machine = true; break;
      case 'D': options.foreground = true; break;
      case 'f': options.configuration = ::optarg; break;
      case 'G': options.print_gres = true; break;
      case 'h': options.help = true; break;
      case 'L': options.log_file = ::optarg; break;
      case 'N': options.node = ::optarg; break;
      case 'v': ++options.verbosity; break;
      case 'V': options.print_version = true; break;
      case kConfServer: options.conf_server = ::optarg; break;
      case kJoin: options.join = ::optarg; break;
      case 'M':
      case 'n':
      case 's': break;  // Slurm's; nothing to do for us
      case ':': return fail(fmt::format("option {} needs an argument", argv[::optind - 1]));
      default: return fail(fmt::format("unknown option {}; -h lists them", argv[::optind - 1]));
    }
  }
  if (::optind < argc) return fail(fmt::format("unexpected argument {}", argv[::optind]));
  return options;
}

std::string_view slurmd_help() {
  return "Usage: slurmd [OPTIONS]\n"
         "  -b                 say that the machine has just booted, for tests\n"
         "  -c                 forget what has ended before the start\n"
         "  -C                 print the node's line for slurm.conf and exit\n"
         "  -D                 stay in the foreground, log to stderr, too\n"
         "  -f FILE            read FILE instead of slurm.conf at its usual place\n"
         "  -G                 print the node's generic resources and exit\n"
         "  -h, --help         print this help\n"
         "  -L FILE            log to FILE\n"
         "  -N NAME            be the node NAME\n"
         "  -v                 log more; may be repeated\n"
         "  -V, --version      print the version\n"
         "  --conf-server H[:P],…  fetch the configuration from slurmctld at one of these\n"
         "  --join TOKEN|FILE  get the cluster's key with a token of scontrol token join=NODE\n";
}

}  // namespace ym
