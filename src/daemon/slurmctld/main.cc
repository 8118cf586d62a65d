// SPDX-License-Identifier: Apache-2.0
// slurmctld: the controller.
#include <getopt.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "config/values.h"
#include "daemon/slurmctld/restore.h"
#include "daemon/slurmctld/roles.h"
#include "daemon/slurmctld/slurm_user.h"
#include "os/daemonize.h"
#include "os/log.h"
#include "os/open_files.h"
#include "os/privileges.h"
#include "site/configuration.h"
#include "store/disk_posix.h"

namespace {

constexpr const char* kHelp =
    "Usage: slurmctld [OPTIONS]\n"
    "The controller of a cluster: nodes, partitions, jobs, scheduling.\n"
    "\n"
    "  -c           start with a clean state: forget all jobs\n"
    "  -D           stay in the foreground, log to stderr too\n"
    "  -f FILE      read this slurm.conf\n"
    "  -h           print this help and exit\n"
    "  -i           start in spite of a damaged log: keep what is before the damage\n"
    "  -L FILE      write the log to this file\n"
    "  -N NAME      be this SlurmctldHost, rather than the one with this machine's name\n"
    "  -R           recover the full state (what is done anyway)\n"
    "  -v           log more; repeat for still more\n"
    "  -V           print the version and exit\n"
    "\n"
    "  --restore FILE  make the state of a backup ours, and exit\n"
    "  --check      with --restore: read the backup, and write nothing\n"
    "  --force      with --restore: set a state aside that is there\n";

struct Arguments {
  bool foreground = false, clean = false, accept_loss = false;
  int verbose = 0;
  std::string config, log, name;
  ym::RestoreOrder restore;
};

constexpr int kRestore = 1000, kCheck = 1001, kForce = 1002;
const option kLongOptions[] = {{"restore", required_argument, nullptr, kRestore},
                               {"check", no_argument, nullptr, kCheck},
                               {"force", no_argument, nullptr, kForce},
                               {"help", no_argument, nullptr, 'h'},
                               {}};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  int option;
  while ((option = ::getopt_long(argc, argv, "cDf:hiL:n:N:rRsvV", kLongOptions, nullptr)) != -1) {
    switch (option) {
      case 'c': arguments.clean = true; break;
      case 'D': arguments.foreground = true; break;
      case 'f': arguments.config = optarg; break;
      case 'i': arguments.accept_loss = true; break;
      case 'L': arguments.log = optarg; break;
      case 'N': arguments.name = optarg; break;
      case 'v': ++arguments.verbose; break;
      case kRestore: arguments.restore.file = optarg; break;
      case kCheck: arguments.restore.check_only = true; break;
      case kForce: arguments.restore.force = true; break;
      case 'n':
      case 'r':
      case 'R':
      case 's': break;
      case 'h': std::fputs(kHelp, stdout); std::exit(0);
      case 'V': std::puts("slurm " YM_SLURM_VERSION); std::exit(0);
      default: std::fputs("Try \"slurmctld -h\" for more information\n", stderr); std::exit(1);
    }
  }
  return arguments;
}

ym::LogLevel level_of(const std::string& configured, int verbose) {
  auto level = ym::parse_log_level(configured).value_or(ym::LogLevel::Info);
  int raised = static_cast<int>(level) + verbose;
  return static_cast<ym::LogLevel>(std::min(raised, static_cast<int>(ym::LogLevel::Debug5)));
}

// The signals that end or turn the daemon; blocked in every thread, taken here.
sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) ::sigaddset(&set, signal);
  return set;
}

int restore(const ym::LoadedConfiguration& loaded, const ym::RestoreOrder& order) {
  ym::DiskPosix disk;
  auto done = ym::restore_state(disk, loaded, order);
  if (!done) {
    std::fprintf(stderr, "slurmctld: error: %s\n", done.error().text.c_str());
    return 1;
  }
  std::fputs(done->c_str(), stdout);
  return 0;
}

int serve(ym::Roles& roles, ym::Log& log, const sigset_t& signals) {
  for (;;) {
    int signal = 0;
    if (::sigwait(&signals, &signal) != 0) continue;
    if (signal == SIGHUP) {
      log.info("SIGHUP: reading the configuration again");
      roles.reconfigure();
    } else if (signal == SIGUSR1) {  // our own: it leads now, or no more
      if (ym::Status turned = roles.turn(); !turned) {
        log.error("{}", turned.error().text);
        roles.stop();
        return 1;
      }
    } else if (signal == SIGUSR2) {
      static_cast<void>(log.reopen());
    } else {
      log.info("ending on signal {}", signal);
      roles.stop();
      return 0;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  auto loaded = ym::load_with_topologies(arguments.config);
  if (!loaded) {
    std::fprintf(stderr, "slurmctld: error: %s\n", loaded.error().text.c_str());
    return 1;
  }
  if (!arguments.restore.file.empty()) return restore(*loaded, arguments.restore);
  auto daemonizing = ym::Daemonizing::begin(arguments.foreground);
  if (!daemonizing) {
    std::fprintf(stderr, "slurmctld: error: %s\n", daemonizing.error().text.c_str());
    return 1;
  }
  ::signal(SIGPIPE, SIG_IGN);
  std::uint64_t open_files = ym::raise_open_files();
  sigset_t signals = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const ym::ClusterConfig& config = loaded->config;
  auto index = ym::own_index(config, arguments.name);
  // Where several share a machine, %n in the names of their files tells them apart.
  std::string name = index && !config.controllers.empty() ? config.controllers[*index].name : "";
  std::string log_file = arguments.log.empty() ? config.controller_log : arguments.log;
  log_file = ym::expand_node_path(log_file, name, name);
  std::string pid_file = ym::expand_node_path(config.controller_pid_file, name, name);
  bool by_root = ::geteuid() == 0;
  if (ym::Status ok = ym::become_slurm_user(*loaded, {.log = log_file, .pid = pid_file}); !ok) {
    daemonizing->failed("slurmctld: error: " + ok.error().text);
    return 1;
  }
  // The one of a personal cluster is its user's to look into.
  if (by_root) ym::hide_memory();
  ym::Log log({.path = log_file,
               .level = level_of(config.controller_debug, arguments.verbose),
               .to_stderr = arguments.foreground,
               .program = "slurmctld"});
  auto give_up = [&](const std::string& text) {
    log.error("{}", text);
    daemonizing->failed("slurmctld: error: " + text);
    return 1;
  };
  if (ym::Status ok = log.reopen(); !ok) return give_up(ok.error().text);
  for (const std::string& warning : loaded->warnings) log.info("{}", warning);
  for (const std::string& warning : ym::parameter_warnings(loaded->config)) log.info("{}", warning);
  if (!index) return give_up(index.error().text);
  if (ym::Status ok = ym::write_pid_file(pid_file, "slurmctld"); !ok)
    return give_up(ok.error().text);
  auto roles = ym::Roles::start({.loaded = std::move(*loaded),
                                 .name = arguments.name,
                                 .clean = arguments.clean,
                                 .accept_loss = arguments.accept_loss,
                                 .open_files = open_files,
                                 .shut_down = [] { ::kill(::getpid(), SIGTERM); },
                                 .wake = [] { ::kill(::getpid(), SIGUSR1); }},
                                log);
  if (!roles) return give_up(roles.error().text);
  daemonizing->serving();
  int status = serve(**roles, log, signals);
  ym::remove_pid_file(pid_file);
  return status;
}
