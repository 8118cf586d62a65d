// SPDX-License-Identifier: Apache-2.0
// slurmd: the daemon of a node.
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/format.h"
#include "config/values.h"
#include "daemon/configless/fetch.h"
#include "daemon/slurmd/gres_here.h"
#include "daemon/slurmd/join.h"
#include "daemon/slurmd/node_daemon.h"
#include "daemon/slurmd/options.h"
#include "net/keyring.h"
#include "os/change_user.h"
#include "os/clock.h"
#include "os/daemonize.h"
#include "os/environment.h"
#include "os/files.h"
#include "os/privileges.h"
#include "os/users.h"

namespace ym {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGUSR2, SIGTERM, SIGINT};

int print_machine() {
  auto machine = examine_machine();
  if (!machine) {
    fmt::print(stderr, "slurmd: {}\n", machine.error().text);
    return 1;
  }
  auto uptime = (wall_clock() - boot_time()).count() / 1000;
  fmt::print(
      "NodeName={} CPUs={} Boards={} SocketsPerBoard={} CoresPerSocket={} ThreadsPerCore={} "
      "RealMemory={}\n",
      host_name(), machine->cpus, machine->boards, machine->sockets / std::max(machine->boards, 1u),
      machine->cores_per_socket, machine->threads_per_core, machine->memory_mb);
  fmt::print("UpTime={}-{:02}:{:02}:{:02}\n", uptime / 86400, uptime / 3600 % 24, uptime / 60 % 60,
             uptime % 60);
  return 0;
}

LogLevel level_for(const ClusterConfig& config, int verbosity) {
  LogLevel level = parse_log_level(config.node_debug).value_or(LogLevel::Info);
  int raised = std::min(static_cast<int>(level) + verbosity, static_cast<int>(LogLevel::Debug5));
  return static_cast<LogLevel>(raised);
}

// On the controller's own machine whoever comes first makes the key; elsewhere it has to be
// brought.
Result<KeyRing> cluster_keys(const LoadedConfiguration& loaded) {
  bool with_controller =
      std::ranges::any_of(loaded.config.controllers, [](const ControllerHost& host) {
        return host.name == host_name() || host.name == "localhost" ||
               host.address == "localhost" || host.address == "127.0.0.1";
      });
  KeyFiles files{.key = key_file(loaded.path, loaded.config),
                 .jwks = jwks_file(loaded.path, loaded.config)};
  bool there = ::access(files.key.c_str(), F_OK) == 0;
  auto keys = load_keyring(files, with_controller, wall_clock());
  // slurmctld has to read what was made here, too.
  if (auto user = user_by_name(loaded.config.slurm_user); user && !there && ::geteuid() == 0)
    give_to(*user, files.key);
  return keys;
}

std::vector<Address> controllers_of(const ClusterConfig& config) {
  std::vector<Address> all;
  for (const ControllerHost& host : config.controllers)
    all.push_back(
        {.host = host.address.empty() ? host.name : host.address, .port = config.controller_port});
  return all;
}

// Returns slurm.conf's path.
Result<std::string> keep_here(const Result<ConfigFiles>& files, const std::string& node) {
  if (!files) return std::unexpected(files.error());
  auto folder = node_folder(*files, node);
  if (!folder) return folder;
  return keep_files(*files, *folder);
}

struct Prepared {
  LoadedConfiguration loaded;
  NodeSpec node;
  std::string log_path, pid_path, spool;
};

Result<Prepared> prepare(const SlurmdOptions& options) {
  std::string path = options.configuration;
  if (!options.conf_server.empty()) {
    auto servers = parse_conf_servers(options.conf_server);
    if (!servers) return std::unexpected(servers.error());
    if (!options.join.empty())
      if (Status joined = join_cluster(*servers, options.join, fetched_key_file()); !joined)
        return std::unexpected(joined.error());
    auto fetched = keep_here(fetch_patiently(*servers, waiting_aloud("slurmd")), options.node);
    if (!fetched) return std::unexpected(fetched.error());
    path = *fetched;
  }
  auto loaded = load_configuration(path);
  if (!loaded) return std::unexpected(loaded.error());
  if (!options.conf_server.empty() && loaded->config.key_file.empty())
    loaded->config.key_file = fetched_key_file();
  if (!options.join.empty() && options.conf_server.empty())
    if (Status joined = join_cluster(controllers_of(loaded->config), options.join,
                                     key_file(loaded->path, loaded->config));
        !joined)
      return std::unexpected(joined.error());
  auto node = find_own_node(loaded->config, options.node, host_name());
  if (!node) return std::unexpected(node.error());
  const ClusterConfig& config = loaded->config;
  std::string host = node->hostname.empty() ? node->name : node->hostname;
  auto expanded = [&](const std::string& text) { return expand_node_path(text, node->name, host); };
  return Prepared{
      .loaded = *loaded,
      .node = *node,
      .log_path = expanded(options.log_file.empty() ? config.node_log : options.log_file),
      .pid_path = expanded(config.node_pid_file),
      .spool = expanded(config.spool_dir)};
}

int print_gres(const SlurmdOptions& options) {
  auto prepared = prepare(options);
  if (!prepared) {
    fmt::print(stderr, "slurmd: fatal: {}\n", prepared.error().text);
    return 1;
  }
  GresHere here = find_gres(prepared->loaded.config, prepared->node);
  for (const std::string& trouble : here.troubles)
    fmt::print(stderr, "slurmd: error: {}\n", trouble);
  fmt::print("{}", gres_lines(here));
  return 0;
}

// The daemon's life from here on, in the background or not.
class Slurmd {
 public:
  Slurmd(SlurmdOptions options, Prepared prepared)
      : options_(std::move(options)),
        prepared_(std::move(prepared)),
        log_({.path = prepared_.log_path,
              .level = level_for(prepared_.loaded.config, options_.verbosity),
              .to_stderr = options_.foreground,
              .program = "slurmd"}) {}

  int run(Daemonizing& starter) {
    if (auto ready = start(); !ready) {
      log_.set_to_stderr(false);
      log_.write(LogLevel::Fatal, ready.error().text);
      starter.failed("slurmd: fatal: " + ready.error().text);
      return 1;
    }
    starter.serving();
    daemon_->run();
    log_.info("slurmd of node {} ends; jobs go on", prepared_.node.name);
    daemon_->loop().unwatch(signals_.get());
    daemon_.reset();
    remove_pid_file(prepared_.pid_path);
    return 0;
  }

 private:
  Status start() {
    ::umask(022);
    if (auto opened = log_.reopen(); !opened) return opened;
    for (const std::string& warning : prepared_.loaded.warnings) log_.verbose("{}", warning);
    auto keys = cluster_keys(prepared_.loaded);
    if (!keys) return std::unexpected(keys.error());
    log_.info("keys: {}", keys->describe());
    auto machine = examine_machine();
    if (!machine) return std::unexpected(machine.error());
    daemon_ = std::make_unique<NodeDaemon>(
        NodeDaemon::Parts{.loaded = prepared_.loaded,
                          .node = prepared_.node,
                          .keys = std::move(*keys),
                          .machine = *machine,
                          .log = log_,
                          .spool = prepared_.spool,
                          .shepherd_program = program_folder() + "/slurmstepd",
                          .clean = options_.clean,
                          .booted = options_.booted});
    daemon_->set_on_reconfigure([this] { reconfigure(); });
    if (auto watched = watch_signals(); !watched) return watched;
    if (auto ready = daemon_->start(); !ready) return ready;
    return write_pid_file(prepared_.pid_path, "slurmd");
  }

  Status watch_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (int signal : kSignals) ::sigaddset(&set, signal);
    signals_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) return fail(errno_text("signalfd"));
    return daemon_->loop().watch_readable(signals_.get(), [this] { on_signal(); });
  }

  void on_signal() {
    signalfd_siginfo info;
    if (::read(signals_.get(), &info, sizeof info) != sizeof info) return;
    int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGTERM || signal == SIGINT) return daemon_->stop();
    if (auto opened = log_.reopen(); !opened) log_.error("{}", opened.error().text);
    if (signal == SIGHUP) reconfigure();
  }

  void reconfigure() {
    // Without files of its own it fetches all of them anew, gres.conf and the others among them.
    if (!options_.conf_server.empty()) {
      auto servers = parse_conf_servers(options_.conf_server);
      auto fetched = keep_here(fetch_files(*servers), options_.node);
      if (!fetched) return log_.error("the configuration stays as it is: {}", fetched.error().text);
    }
    auto loaded = load_configuration(prepared_.loaded.path);
    if (!loaded) return log_.error("the configuration stays as it is: {}", loaded.error().text);
    if (!options_.conf_server.empty() && loaded->config.key_file.empty())
      loaded->config.key_file = fetched_key_file();
    auto keys = cluster_keys(*loaded);
    if (!keys) return log_.error("the configuration stays as it is: {}", keys.error().text);
    log_.set_level(level_for(loaded->config, options_.verbosity));
    log_.info("keys: {}", keys->describe());
    daemon_->reconfigure(*loaded, std::move(*keys));
    prepared_.loaded = std::move(*loaded);
    log_.info("configuration read again");
  }

  const SlurmdOptions options_;
  Prepared prepared_;
  Log log_;
  Fd signals_;
  std::unique_ptr<NodeDaemon> daemon_;
};

int serve(const SlurmdOptions& options) {
  auto prepared = prepare(options);
  if (!prepared) {
    fmt::print(stderr, "slurmd: fatal: {}\n", prepared.error().text);
    return 1;
  }
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : kSignals) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  auto starter = Daemonizing::begin(options.foreground);
  if (!starter) {
    fmt::print(stderr, "slurmd: fatal: {}\n", starter.error().text);
    return 1;
  }
  keep_needed_capabilities(GiveUp::ForGood);
  // A personal one is its user's to look into.
  if (::geteuid() == 0) hide_memory();
  return Slurmd(options, std::move(*prepared)).run(*starter);
}

}  // namespace
}  // namespace ym

int main(int argc, char** argv) {
  auto options = ym::parse_slurmd_options(argc, argv);
  if (!options) {
    fmt::print(stderr, "slurmd: {}\n", options.error().text);
    return 1;
  }
  if (options->help) {
    std::fwrite(ym::slurmd_help().data(), 1, ym::slurmd_help().size(), stdout);
    return 0;
  }
  if (options->print_version) {
    std::puts("slurm " YM_SLURM_VERSION);
    return 0;
  }
  if (options->print_gres) return ym::print_gres(*options);
  return options->print_machine ? ym::print_machine() : ym::serve(*options);
}
