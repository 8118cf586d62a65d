// SPDX-License-Identifier: Apache-2.0
#include "daemon/slurmd/health.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "os/child.h"
#include "os/clock.h"
#include "os/environment_block.h"
#include "os/files.h"
#include "os/programs.h"

namespace ym {
namespace {

// Of a check before the registration, which must come whatever HealthCheckTimeout=0 says.
constexpr Duration kFirstTimeout = std::chrono::seconds(60);

std::uint64_t hash_of(const std::string& name) {
  std::uint64_t hash = 1469598103934665603u;
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string environment_for(const HealthCheck::Place& place) {
  EnvironmentBlock out;
  out.set("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
  out.set("SLURM_CONF", place.configuration);
  out.set("SLURMD_NODENAME", place.node);
  out.set("SLURM_SCRIPT_CONTEXT", "health_check");
  return out.bytes();
}

}  // namespace

bool HealthStates::match(const Node& node) const {
  if (any) return true;
  if (node.jobs == 0) return idle || (nondrained_idle && !node.drain && !node.fail);
  return node.cpus_free() == 0 ? alloc : mixed;
}

HealthStates parse_health_states(std::string_view text) {
  HealthStates out;
  for (std::string_view word : split_words(text, ',')) {
    if (same_ignoring_case(word, "ANY")) out.any = true;
    if (same_ignoring_case(word, "IDLE")) out.idle = true;
    if (same_ignoring_case(word, "NONDRAINED_IDLE")) out.nondrained_idle = true;
    if (same_ignoring_case(word, "ALLOC")) out.alloc = true;
    if (same_ignoring_case(word, "MIXED")) out.mixed = true;
    if (same_ignoring_case(word, "CYCLE")) out.cycle = true;
    if (same_ignoring_case(word, "START_ONLY")) out.start_only = true;
    if (same_ignoring_case(word, "REBOOT_ONLY")) out.reboot_only = true;
  }
  if (!out.idle && !out.nondrained_idle && !out.alloc && !out.mixed) out.any = true;
  return out;
}

Duration until_check(Instant now, Duration interval, std::uint64_t own) {
  auto period = static_cast<std::uint64_t>(interval.count());
  auto past = (static_cast<std::uint64_t>(now.unix_ms) + period - own % period) % period;
  return Duration(static_cast<std::int64_t>(period - past));
}

HealthCheck::HealthCheck(Loop& loop, Log& log, Place place, std::function<bool()> ask_state)
    : loop_(loop), log_(log), place_(std::move(place)), ask_state_(std::move(ask_state)) {}

// slurmd ends: so does its check.
HealthCheck::~HealthCheck() {
  if (pidfd_) loop_.unwatch(pidfd_.get());
  if (pid_ != 0) ::kill(-pid_, SIGKILL);
}

bool HealthCheck::periodic() const {
  return !program_.empty() && interval_ > Duration(0) && !states_.start_only &&
         !states_.reboot_only;
}

void HealthCheck::start(const ClusterConfig& config, std::function<void()> ready) {
  reconfigure(config);
  bool wanted = periodic() || (!program_.empty() && (states_.start_only || states_.reboot_only));
  if (wanted && states_.reboot_only) {
    auto before = read_file(place_.boot_file, 256);
    wanted = !before || *before != place_.boot_id;
  }
  if (!wanted) return ready();
  ready_ = std::move(ready);
  run();
}

void HealthCheck::reconfigure(const ClusterConfig& config) {
  program_ = config.health_program;
  interval_ = config.health_interval;
  timeout_ = config.health_timeout;
  states_ = parse_health_states(config.health_states);
  schedule();
}

void HealthCheck::schedule() {
  loop_.cancel(due_);
  due_ = {};
  if (!periodic()) return;
  std::uint64_t own = states_.cycle ? hash_of(place_.node) : 0;
  due_ = loop_.after(until_check(wall_clock(), interval_, own), [this] { due(); });
}

void HealthCheck::due() {
  schedule();
  if (pid_ != 0) return log_.verbose("the last health check still runs");
  asked_ = ask_state_();
}

void HealthCheck::take_state(const Node& node) {
  if (!asked_ || pid_ != 0) return;
  asked_ = false;
  if (!states_.match(node)) return log_.verbose("the health check is not for this state");
  run();
}

void HealthCheck::run() {
  auto programs = programs_for(program_, place_.configuration);
  auto pid = programs ? start_child({programs->front()}, environment_for(place_))
                      : std::unexpected(programs.error());
  if (!pid) {
    log_.error("HealthCheckProgram: {}", pid.error().text);
    return over();
  }
  pid_ = *pid;
  timed_out_ = false;
  pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  Status watched = loop_.watch_readable(pidfd_.get(), [this] { ended(); });
  if (!watched) {
    log_.error("HealthCheckProgram cannot be watched: {}", watched.error().text);
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pidfd_ = Fd();
    pid_ = 0;
    return over();
  }
  Duration limit = timeout_ > Duration(0) || !ready_ ? timeout_ : kFirstTimeout;
  if (limit == Duration(0)) return;
  limit_ = loop_.after(limit, [this] {
    timed_out_ = true;
    ::kill(-pid_, SIGKILL);
  });
}

void HealthCheck::ended() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  loop_.unwatch(pidfd_.get());
  pidfd_ = Fd();
  loop_.cancel(limit_);
  limit_ = {};
  pid_ = 0;
  std::string error = timed_out_ ? "timed out" : child_error(status);
  if (!error.empty()) log_.error("HealthCheckProgram {}: {}", program_, error);
  if (states_.reboot_only && error.empty()) {
    if (Status wrote = write_file(place_.boot_file, place_.boot_id); !wrote)
      log_.error("{}", wrote.error().text);
  }
  over();
}

void HealthCheck::over() {
  if (auto ready = std::exchange(ready_, {})) ready();
}

}  // namespace ym
