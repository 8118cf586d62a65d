// SPDX-License-Identifier: Apache-2.0
// sackd: tokens for the commands of a login node.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "daemon/configless/fetch.h"
#include "daemon/sackd/sackd.h"
#include "os/clock.h"
#include "os/daemonize.h"
#include "os/log.h"
#include "os/privileges.h"
#include "site/configuration.h"
#include "site/sack.h"

namespace {

constexpr const char* kHelp =
    "Usage: sackd [OPTIONS]\n"
    "Hands tokens to the commands of this machine: for login nodes, where no slurmd runs.\n"
    "\n"
    "  --conf-server H[:P],…  keep the configuration of slurmctld at one of these for\n"
    "                     the commands of this machine, which has no slurm.conf\n"
    "  -D, --foreground   stay in the foreground, log to stderr\n"
    "  -f FILE            read this slurm.conf\n"
    "  -h, --help         print this help and exit\n"
    "  -L FILE            write the log to this file\n"
    "  -v                 log more; repeat for still more\n"
    "  -V, --version      print the version and exit\n"
    "\n"
    "It needs to read slurm.key, and nothing else of anybody. SIGHUP: read the keys again.\n"
    "The configuration is kept in $RUNTIME_DIRECTORY/conf, or /run/slurm/conf, where\n"
    "commands look; there the key is $SLURM_KEY_FILE, or /etc/slurm/slurm.key.\n";

struct Arguments {
  bool foreground = false;
  int verbose = 0;
  std::string config, conf_server, log;
};

Arguments parse(int argc, char** argv) {
  constexpr int kConfServer = 256;
  const option kLong[] = {{"conf-server", required_argument, nullptr, kConfServer},
                          {"foreground", no_argument, nullptr, 'D'},
                          {"help", no_argument, nullptr, 'h'},
                          {"version", no_argument, nullptr, 'V'},
                          {}};
  Arguments arguments;
  int option;
  while ((option = ::getopt_long(argc, argv, "Df:hL:vV", kLong, nullptr)) != -1) {
    switch (option) {
      case kConfServer: arguments.conf_server = optarg; break;
      case 'D': arguments.foreground = true; break;
      case 'f': arguments.config = optarg; break;
      case 'L': arguments.log = optarg; break;
      case 'v': ++arguments.verbose; break;
      case 'h': std::fputs(kHelp, stdout); std::exit(0);
      case 'V': std::puts("slurm " YM_SLURM_VERSION); std::exit(0);
      default: std::fputs("Try \"sackd -h\" for more information\n", stderr); std::exit(1);
    }
  }
  return arguments;
}

// The configuration of this machine, or that of the controller.
ym::Result<ym::LoadedConfiguration> configuration(const Arguments& arguments) {
  if (arguments.conf_server.empty()) return ym::load_configuration(arguments.config);
  auto servers = ym::parse_conf_servers(arguments.conf_server);
  if (!servers) return std::unexpected(servers.error());
  auto files = ym::fetch_patiently(*servers, ym::waiting_aloud("sackd"));
  if (!files) return std::unexpected(files.error());
  auto path = ym::keep_files(*files, ym::login_folder());
  if (!path) return std::unexpected(path.error());
  auto loaded = ym::load_configuration(*path);
  if (loaded && loaded->config.key_file.empty()) loaded->config.key_file = ym::fetched_key_file();
  return loaded;
}

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) ::sigaddset(&set, signal);
  return set;
}

int serve(ym::Sackd& sackd, ym::Log& log, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (::sigwait(&signals, &signal) != 0) continue;
    if (signal == SIGHUP) {
      if (ym::Status renewed = sackd.renew_keys(); !renewed)
        log.error("the old keys stay: {}", renewed.error().text);
    } else if (signal == SIGUSR2) {
      static_cast<void>(log.reopen());
    } else {
      log.info("ending on signal {}", signal);
      sackd.stop();
      return 0;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  auto complain = [](const std::string& text) {
    std::fprintf(stderr, "sackd: error: %s\n", text.c_str());
    return 1;
  };
  auto loaded = configuration(arguments);
  if (!loaded) return complain(loaded.error().text);
  auto daemonizing = ym::Daemonizing::begin(arguments.foreground);
  if (!daemonizing) return complain(daemonizing.error().text);
  ym::hide_memory();
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t signals = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  int level = std::min(static_cast<int>(ym::LogLevel::Info) + arguments.verbose,
                       static_cast<int>(ym::LogLevel::Debug5));
  ym::Log log({.path = arguments.log,
               .level = static_cast<ym::LogLevel>(level),
               .to_stderr = arguments.foreground,
               .program = "sackd"});
  auto give_up = [&](const std::string& text) {
    log.error("{}", text);
    daemonizing->failed("sackd: error: " + text);
    return 1;
  };
  if (ym::Status ok = log.reopen(); !ok) return give_up(ok.error().text);
  auto keys = ym::load_keyring({.key = key_file(loaded->path, loaded->config),
                                .jwks = jwks_file(loaded->path, loaded->config)},
                               false, ym::wall_clock());
  if (!keys) return give_up(keys.error().text);
  std::string pid_file = ym::sack_pid_file(loaded->config);
  std::string socket = ym::sack_socket(loaded->config);
  if (ym::Status ok = ym::write_pid_file(pid_file, "sackd"); !ok) return give_up(ok.error().text);
  ym::Sackd sackd(std::move(*loaded), std::move(*keys), log,
                  arguments.conf_server.empty() ? "" : ym::login_folder());
  if (ym::Status ok = sackd.listen(socket); !ok) return give_up(ok.error().text);
  log.info("sackd serves on {}", socket);
  daemonizing->serving();
  int status = serve(sackd, log, signals);
  ym::remove_pid_file(pid_file);
  return status;
}
